"""How a release is cited, by what its maintainer says."""

import json
from pathlib import Path

import pytest
import yaml

from genset.release.documents import citation
from genset.release.documents.citation import Citation
from genset.release.reader import Release
from tests.release.conftest import Genset, Pool

SAID = """
[dataset]
title = "Fish & {Co}"
authors = ["Ko, Ann", { name = "Bo Lee", orcid = "0000-0002-1825-0097" }, "{The Fish Group}"]
affiliation = "University A"
license = "CC-BY-4.0"
"""


@pytest.fixture
def cite(genset: Genset, release: Release) -> Genset:
    """The citation of a release, by default of the pool's only one."""
    return lambda *words, of="v1": genset("release", "cite", of, *words)


def says(pool: Pool, text: str) -> None:
    path = pool.workspace.root / "genset.toml"
    path.write_text(path.read_text("utf-8") + text, "utf-8")


def test_four_forms_say_the_same(pool: Pool, release: Release, cite: Genset) -> None:
    says(pool, SAID + 'doi = "10.5281/zenodo.7"\n')
    told = json.loads(cite("--json"))
    bibtex, cff, zenodo = told["bibtex"], yaml.safe_load(told["cff"]), told["zenodo"]["metadata"]
    day = release.created_at[:10]
    assert bibtex.startswith(f"@misc{{ko{day[:4]}v1,\n") and bibtex.endswith("}\n")
    for field in (
        r"title = {{Fish \& \textbraceleft{}Co\textbraceright{}}}",
        "author = {Ko, Ann and Lee, Bo and {The Fish Group}}",
        f"year = {{{day[:4]}}}",
        "version = {v1}",
        "doi = {10.5281/zenodo.7}",
        f"note = {{Release v1: 8 photos, {release.content_hash}}}",
    ):
        assert f"  {field},\n" in bibtex
    assert (cff["cff-version"], cff["type"], cff["title"]) == ("1.2.0", "dataset", "Fish & {Co}")
    assert cff["authors"] == [
        {"family-names": "Ko", "given-names": "Ann", "affiliation": "University A"},
        {
            "family-names": "Lee",
            "given-names": "Bo",
            "affiliation": "University A",
            "orcid": "https://orcid.org/0000-0002-1825-0097",
        },
        {"name": "The Fish Group"},
    ]
    assert (cff["doi"], cff["license"]) == ("10.5281/zenodo.7", "CC-BY-4.0")
    assert cff["identifiers"][0]["value"] == release.content_hash
    kaggle = json.loads(cite("--as", "kaggle"))
    assert (kaggle["title"], kaggle["id"]) == ("Fish & {Co}", "INSERT_USERNAME_HERE/fish-co-v1")
    assert kaggle["licenses"] == [{"name": "other"}]
    found = Citation.of({**release.manifest, "name": "x" * 70}, 8)
    one = citation.kaggle(found, {"CC-BY-SA-4.0"})
    assert one["licenses"] == [{"name": "CC-BY-SA-4.0"}] and len(one["title"]) <= 50
    assert str(cff["date-released"]) == day == zenodo["publication_date"]
    assert [each["name"] for each in zenodo["creators"]] == ["Ko, Ann", "Lee, Bo", "The Fish Group"]
    assert zenodo["upload_type"] == "dataset" and zenodo["doi"] == "10.5281/zenodo.7"
    assert cite("--as", "bibtex") == bibtex
    assert yaml.safe_load(cite("--as", "cff")) == cff
    assert json.loads(cite("--as", "zenodo"))["metadata"] == zenodo


def test_a_name_is_not_taken_apart_wrongly(pool: Pool, cite: Genset) -> None:
    names = {
        "山田 太郎": ("{山田 太郎}", {"family-names": "山田 太郎"}),
        "山田, 太郎": ("山田, 太郎", {"family-names": "山田", "given-names": "太郎"}),
        "{Fish Sons}": ("{Fish Sons}", {"name": "Fish Sons"}),
        "Fish and Sons": ("{Fish and Sons}", {"family-names": "Sons", "given-names": "Fish and"}),
        "van Gogh, Vincent": ("van Gogh, Vincent", {"family-names": "van Gogh"}),
    }
    says(pool, f"[dataset]\nauthors = {json.dumps(list(names), ensure_ascii=False)}\n")
    bibtex = " and ".join(author for author, _ in names.values())
    assert f"author = {{{bibtex}}}" in cite("--as", "bibtex")
    found = yaml.safe_load(cite("--as", "cff"))["authors"]
    for author, (_, parts) in zip(found, names.values(), strict=True):
        assert parts.items() <= author.items()


@pytest.mark.parametrize("title", ["Fish {", "} of }", "a \\\\{ b", "50 % #1 ~ ^ $x_1$"])
def test_whatever_the_title_the_entry_ends_where_it_should(
    pool: Pool, cite: Genset, title: str
) -> None:
    says(pool, f"[dataset]\ntitle = '{title}'\n")
    depths, depth = [], 0  # as BibTeX counts braces: whatever stands before them
    for sign in cite("--as", "bibtex").rstrip("\n"):
        depth += (sign == "{") - (sign == "}")
        depths.append(depth)
    assert depths.count(0) == len("@misc") + 1 and depths[-1] == 0


def test_a_licence_is_told_where_spdx_knows_it(release: Release) -> None:
    for said, id in (("MIT", "MIT"), ("cc-by-4.0", "CC-BY-4.0"), ("LicenseRef-ours", None)):
        words = {"license": said, "authors": [{"name": "Ko, Ann"}]}
        found = Citation.of(release.manifest, len(release), words)
        assert bool(found.remarks) is (id is None)
        assert yaml.safe_load(citation.citation_cff(found)).get("license") == id
        assert citation.zenodo(found)["metadata"].get("license") == (id and id.lower())


def test_a_doi_comes_after_the_release_and_may_be_of_one_alone(
    pool: Pool, release: Release, cite: Genset, tmp_path: Path
) -> None:
    assert "doi" not in cite("--as", "bibtex")
    dois = 'doi = { v1 = "doi:10.5281/zenodo.7", v2 = "10.5281/zenodo.8" }\n'
    says(pool, SAID + dois)
    said = cite("--as", "bibtex")
    assert "doi = {10.5281/zenodo.7}" in said and "Ko, Ann" in said
    pool.create("v3")
    assert "doi" not in cite("--as", "bibtex", of="v3")
    # Of somebody else's release only its manifest is believed.
    (copy := tmp_path / "theirs").mkdir()
    (copy / "manifest.json").write_bytes((release.root / "manifest.json").read_bytes())
    assert "Ko" not in cite("--as", "bibtex", of=str(copy))
