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
        (16, "licensed under CC BY-NC-ND 4.0 (https://creativecommons.org/licenses/by-nc-nd/4.0/)"),
    ],
)
def test_the_credit_of_a_licence(number: int, grant: str) -> None:
    line = credit(FLICKR[number])
    assert line.startswith(f'"Jon Snow" by @janko-m, {grant}')
    assert line.endswith(f"), {PAGE}")


def test_every_licence_has_its_own_credit_with_its_address_and_the_photos_page() -> None:
    lines = {credit(license) for license in FLICKR.values()}
    assert len(lines) == 17
    for license in FLICKR.values():
        assert license.url in credit(license)
        assert PAGE in credit(license)


def test_the_fetched_wording_is_the_one_that_is_shown() -> None:
    renamed = License("Attribution License", FLICKR[4].url)
    assert "licensed under Attribution License (https://" in credit(renamed)
    moved = License("All Rights Reserved", "https://example.org/terms")
    assert "all rights reserved (https://example.org/terms)" in credit(moved)


def test_what_a_stranger_wrote_cannot_leave_the_line() -> None:
    line = credit(FLICKR[4], title="a\nb\x1b[2J\u202e", owner=" \t")
    assert line.startswith('"a b[2J" by an unknown author, ')
    assert line.isprintable()
    assert credit(FLICKR[4], title="").startswith("A photo by @janko-m")


def test_a_photo_without_a_page_or_a_licence_of_ours() -> None:
    line = attribution(License("ask me", ""), title="Tench", owner="Ann", page_url="")
    assert line == '"Tench" by Ann, licensed under ask me'


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("cc by  4.0", 11),
        ("CC-BY 4", 11),
        ("CC-BY-4.0", 11),
        ("ccby 4.0", 11),
        ("Creative Commons Attribution 4.0", 11),
        ("Attribution 4.0 International", 11),
        ("Creative Commons Attribution-ShareAlike 4.0 International License", 12),
        ("Creative Commons Attribution Non-Commercial No Derivatives v2", 3),
        ("Attribution-NonCommercial-NoDerivs 2.0 Generic", 3),
        ("CC 0", 9),
        ("Creative Commons Zero", 9),
        ("public domain mark 1.0", 10),
        ("https://creativecommons.org/licenses/by/4.0/", 11),
        ("http://creativecommons.org/publicdomain/zero/1.0", 9),
    ],
)
def test_a_licence_is_found_by_its_name(words: str, number: int) -> None:
    assert license_named(words) == FLICKR[number]


def test_a_licence_of_ones_own_keeps_its_words() -> None:
    for words in ("my own", "Attribution", "Museum terms 2", "Open Data Commons Attribution 1.0"):
        with pytest.raises(BadInput, match=f"no licence '{words}' is known here: .*--license-url"):
            license_named(words)
        assert license_named(words, "https://a.example") == License(words, "https://a.example")
    assert license_named("gfdl") == License("gfdl", "")


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("cc by-sa", "CC BY-SA 4.0"),
        ("Creative Commons Attribution", "CC BY 4.0"),
        ("CC BY 5.0", "CC BY 4.0"),
        ("CC BYSA 4.0", "CC BY-SA 4.0"),
        ("CC B-Y 4.0", "CC BY 4.0"),
        ("public domain marc", "Public Domain Mark"),
    ],
)
def test_nearly_the_name_of_a_licence_is_refused_with_the_nearest(words: str, near: str) -> None:
    with pytest.raises(BadInput, match=f"no licence '{words}': did you mean '{near}'"):
        license_named(words)


# SPDX's ids of what Wikimedia Commons calls its licences


@pytest.mark.parametrize(
    ("name", "url", "id"),
    [
        ("CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0", "CC-BY-SA-4.0"),
        ("CC BY-SA 3.0 de", "https://creativecommons.org/licenses/by-sa/3.0/de/deed.en",
         "CC-BY-SA-3.0-DE"),
        ("CC BY-SA 3.0 es", "", "LicenseRef-CC-BY-SA-3.0-ES"),
        ("CC BY 2.5 Scotland", "", "LicenseRef-CC-BY-2.5-SCOTLAND"),
        ("CC BY 3.0 igo", "", "CC-BY-3.0-IGO"),
        ("CC BY-SA 3.0,2.5,2.0,1.0", "", "CC-BY-SA-3.0"),
        ("cc-by-sa-3.0-migrated", "", "CC-BY-SA-3.0"),
        ("cc-by-sa-2.5-2.0-1.0", "", "CC-BY-SA-2.5"),
        ("cc-by-2.0-stma", "", "CC-BY-2.0"),
        ("CC SA 1.0", "", "CC-SA-1.0"),
        ("cc-zero", "", "CC0-1.0"),
        ("CC0", "http://creativecommons.org/publicdomain/zero/1.0/deed.en", "CC0-1.0"),
        ("Public domain", "https://creativecommons.org/publicdomain/mark/1.0/", "CC-PDM-1.0"),
        ("Public domain", "https://creativecommons.org/licenses/publicdomain/", "CC-PDDC"),
        ("Public domain", "", "LicenseRef-Public-domain"),
        ("pd", "", "LicenseRef-Public-domain"),
        ("PD-USGov", "", "LicenseRef-Public-domain"),
        ("GFDL", "", "GFDL-1.2-or-later"),
        ("GFDL 1.2", "", "GFDL-1.2-only"),
        ("FAL", "", "LAL-1.3"),
        ("OGL 3", "", "OGL-UK-3.0"),
        ("OGL", "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/2/",
         "OGL-UK-2.0"),
        ("OGL", "", "LicenseRef-OGL"),
        ("Attribution", "", "LicenseRef-Attribution"),
        ("KOGL Type 1", "", "LicenseRef-KOGL-Type-1"),
    ],
)  # fmt: skip
def test_the_id_of_what_commons_calls_a_licence(name: str, url: str, id: str) -> None:
    assert spdx_id(License(name, url)) == id


def test_the_ids_of_free_licences_can_be_asked_for() -> None:
    for id in ("GFDL-1.2-or-later", "LAL-1.3", "OGL-UK-3.0", "CC-SA-1.0"):
        choice = choose_licenses(id)
        assert choice is not None
        assert choice.wants(License(id, ""))
        assert not choice.wants(License("CC BY 4.0", ""))
        assert is_open(License(id, ""))
    free = choose_licenses("FAL")
    assert free is not None
    assert free.wants(License("FAL", "http://artlibre.org/licence/lal/en"))


@pytest.mark.parametrize(
    "name", ["Public domain", "No known copyright restrictions", "All Rights Reserved", "A (b) c"]
)
def test_the_id_that_a_release_writes_can_be_asked_for(name: str) -> None:
    id = spdx_id(License(name, ""))
    assert id.startswith("LicenseRef-")
    for word in (id, id.lower()):
        choice = choose_licenses(f"CC0-1.0,{word}")
        assert choice is not None
        assert choice.wants(License(name, ""))
        assert not choice.wants(License("CC BY 4.0", ""))
        assert not choice.wants(License("Public domain of Mars", ""))


@pytest.mark.parametrize("number", [n for n in FLICKR if n not in (0, 7, 8)])
def test_a_licence_of_creative_commons_has_one_name_and_address(number: int) -> None:
    known = FLICKR[number]
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
    assert creative_commons(License("cc-by-sa-3.0-es", "")) == License(
        "CC BY-SA 3.0 ES", "https://creativecommons.org/licenses/by-sa/3.0/es/"
    )
