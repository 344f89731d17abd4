"""Licences: whose wording counts, when two are the same, and how a photo is credited."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from genset.core.errors import BadInput, SourceUnavailable
from genset.licenses import (
    FLICKR,
    License,
    attribution,
    choose_licenses,
    creative_commons,
    is_open,
    license_named,
    same_license,
    spdx_id,
)
from genset.sources.flickr import parse_info, parse_reply

PAGE = "https://www.flickr.com/photos/78733179@N04/10115956703"


def credit(license: License, title: str = "Jon Snow", owner: str = "@janko-m") -> str:
    return attribution(license, title=title, owner=owner, page_url=PAGE)


# Recorded answers


@pytest.mark.realdata
def test_the_table_is_what_flickr_answered_in_2025_and_means_the_same_as_in_2013(
    realdata: Path,
) -> None:
    new = ElementTree.parse(realdata / "flickr" / "api" / "licenses_getInfo_2025.xml").iter(
        "license"
    )
    assert {
        int(row.get("id", "")): License(row.get("name", ""), row.get("url", "")) for row in new
    } == FLICKR
    old = json.loads((realdata / "flickr" / "api" / "licenses_getInfo_2013.json").read_bytes())
    for row in old["licenses"]["license"]:
        license = License(row["name"], row["url"])
        same = [number for number, known in FLICKR.items() if same_license(license, known)]
        assert same == [int(row["id"])], license


@pytest.mark.realdata
def test_the_licence_of_a_recorded_photo(realdata: Path) -> None:
    body = (realdata / "flickr" / "api" / "photos_getInfo.json").read_bytes()
    assert parse_info(parse_reply(body)) == 0


@pytest.mark.parametrize(
    "body",
    [
        b'{"stat": "ok"}',
        b'{"stat": "ok", "photo": []}',
        b'{"stat": "ok", "photo": {"license": null}, "licenses": {"license": 7}}',
        b'{"stat": "ok", "photo": {"license": "CC"}, "licenses": {}}',
        b'<rsp stat="ok"><photo license="4"/></rsp>',
    ],
)
def test_an_answer_in_an_unknown_form_may_pass(body: bytes) -> None:
    with pytest.raises(SourceUnavailable):
        parse_info(parse_reply(body))


# Attribution


@pytest.mark.parametrize(
    ("number", "grant"),
    [
        (0, "all rights reserved (https://www.flickrhelp.com/"),
        (1, "licensed under CC BY-NC-SA 2.0 (https://creativecommons.org/licenses/by-nc-sa/2.0/)"),
        (7, "no known copyright restrictions (https://www.flickr.com/commons/usage/)"),
        (8, "a United States Government Work (https://www.usa.gov/government-copyright)"),
        (9, "dedicated to the public domain (CC0) (https://creativecommons.org/publicdomain/zero"),
        (10, "marked as free of known copyright (Public Domain Mark) (https://creativecommons.org"),
    ],
)
def test_the_credit_of_a_licence(number: int, grant: str) -> None:
    line = credit(FLICKR[number])
    assert line.startswith(f'"Jon Snow" by @janko-m, {grant}')
    assert line.endswith(f"), {PAGE}")


def test_a_credit_is_one_line_in_the_words_that_are_stored() -> None:
    assert len({credit(license) for license in FLICKR.values()}) == 17
    renamed = License("Attribution License", FLICKR[4].url)
    assert "licensed under Attribution License (https://" in credit(renamed)
    moved = License("All Rights Reserved", "https://example.org/terms")
    assert "all rights reserved (https://example.org/terms)" in credit(moved)
    line = credit(FLICKR[4], title="a\nb\x1b[2J\u202e", owner=" \t")
    assert line.startswith('"a b[2J" by an unknown author, ') and line.isprintable()
    assert credit(FLICKR[4], title="").startswith("A photo by @janko-m")
    bare = attribution(License("ask me", ""), title="Tench", owner="Ann", page_url="")
    assert bare == '"Tench" by Ann, licensed under ask me'


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("cc by  4.0", 11),
        ("CC-BY 4", 11),
        ("ccby 4.0", 11),
        ("Creative Commons Attribution 4.0", 11),
        ("Attribution 4.0 International", 11),
        ("Creative Commons Attribution-ShareAlike 4.0 International License", 12),
        ("Creative Commons Attribution Non-Commercial No Derivatives v2", 3),
        ("Attribution-NonCommercial-NoDerivs 2.0 Generic", 3),
        ("CC 0", 9),
        ("Creative Commons Zero", 9),
        ("public domain mark 1.0", 10),
        ("http://creativecommons.org/publicdomain/zero/1.0", 9),
    ],
)
def test_a_licence_is_found_by_its_name(words: str, number: int) -> None:
    assert license_named(words) == FLICKR[number]


def test_a_licence_of_ones_own_keeps_its_words_and_nearly_a_name_is_refused() -> None:
    for words in ("my own", "Attribution", "Museum terms 2", "Open Data Commons Attribution 1.0"):
        with pytest.raises(BadInput, match=f"no licence '{words}' is known here: .*--license-url"):
            license_named(words)
        assert license_named(words, "https://a.example") == License(words, "https://a.example")
    assert license_named("gfdl") == License("gfdl", "")
    for words, near in (
        ("cc by-sa", "CC BY-SA 4.0"),
        ("Creative Commons Attribution", "CC BY 4.0"),
        ("CC BY 5.0", "CC BY 4.0"),
        ("CC B-Y 4.0", "CC BY 4.0"),
        ("public domain marc", "Public Domain Mark"),
    ):
        with pytest.raises(BadInput, match=f"no licence '{words}': did you mean '{near}'"):
            license_named(words)


# SPDX's ids of what Wikimedia Commons calls its licences


@pytest.mark.parametrize(
    ("name", "url", "id"),
    [
        ("CC BY-SA 3.0 de", "https://creativecommons.org/licenses/by-sa/3.0/de/deed.en",
         "CC-BY-SA-3.0-DE"),
        ("CC BY-SA 3.0 es", "", "LicenseRef-CC-BY-SA-3.0-ES"),
        ("CC BY 2.5 Scotland", "", "LicenseRef-CC-BY-2.5-SCOTLAND"),
        ("CC BY 3.0 igo", "", "CC-BY-3.0-IGO"),
        ("CC BY-SA 3.0,2.5,2.0,1.0", "", "CC-BY-SA-3.0"),
        ("cc-by-sa-3.0-migrated", "", "CC-BY-SA-3.0"),
        ("cc-by-2.0-stma", "", "CC-BY-2.0"),
        ("CC SA 1.0", "", "CC-SA-1.0"),
        ("CC0", "http://creativecommons.org/publicdomain/zero/1.0/deed.en", "CC0-1.0"),
        ("Public domain", "https://creativecommons.org/publicdomain/mark/1.0/", "CC-PDM-1.0"),
        ("Public domain", "https://creativecommons.org/licenses/publicdomain/", "CC-PDDC"),
        ("Public domain", "", "LicenseRef-Public-domain"),
        ("PD-USGov", "", "LicenseRef-Public-domain"),
        ("GFDL", "", "GFDL-1.2-or-later"),
        ("FAL", "", "LAL-1.3"),
        ("OGL 3", "", "OGL-UK-3.0"),
        ("OGL", "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/2/",
         "OGL-UK-2.0"),
        ("KOGL Type 1", "", "LicenseRef-KOGL-Type-1"),
    ],
)  # fmt: skip
def test_the_id_of_what_commons_calls_a_licence(name: str, url: str, id: str) -> None:
    assert spdx_id(License(name, url)) == id


def test_the_ids_of_licences_can_be_asked_for() -> None:
    """Those of free ones, and those that a release writes."""
    for id in ("GFDL-1.2-or-later", "LAL-1.3", "OGL-UK-3.0", "CC-SA-1.0"):
        assert wanted(id, License(id, ""), License("CC BY 4.0", "")) == [True, False]
        assert is_open(License(id, ""))
    assert wanted("FAL", License("FAL", "http://artlibre.org/licence/lal/en")) == [True]
    others = License("CC BY 4.0", ""), License("Public domain of Mars", "")
    for name in ("Public domain", "No known copyright restrictions", "A (b) c"):
        id = spdx_id(License(name, ""))
        assert id.startswith("LicenseRef-")
        for word in (id, id.lower()):
            found = wanted(f"CC0-1.0,{word}", License(name, ""), *others)
            assert found == [True, False, False]


def wanted(words: str, *licenses: License) -> list[bool]:
    """Whether ``--license WORDS`` takes these."""
    choice = choose_licenses(words)
    assert choice is not None
    return [choice.wants(license) for license in licenses]


def test_a_licence_of_creative_commons_has_one_name_and_address() -> None:
    for known in (license for number, license in FLICKR.items() if number not in (0, 7, 8)):
        for other in (
            License(known.name.lower(), ""),
            License("?", known.url.replace("https://", "http://www.")),
            License("?", known.url + "deed.de"),
            License("?", known.url.rstrip("/")),
            License(spdx_id(known), ""),
        ):
            if other.name != "public domain dedication (cc0)":
                assert creative_commons(other) == known
    assert creative_commons(License("CC BY-SA", "")) is None
    assert creative_commons(License("GFDL", "")) is None
    es = License("CC BY-SA 3.0 ES", "https://creativecommons.org/licenses/by-sa/3.0/es/")
    assert creative_commons(License("cc-by-sa-3.0-es", "")) == es
