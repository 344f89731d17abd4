"""`genset classes from-file`: lists of classes as people and other programs write them."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from genset.classes import read_taxonomy
from genset.cli import cli
from genset.core.errors import BadInput

INATURALIST = "00617_Animalia_Arthropoda_Insecta_Lepidoptera_Nymphalidae_Vanessa_atalanta"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["classes", *map(str, words)])


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """What is made of a file's text: the classes by id, and what is said of each."""

    def make(text: str | bytes, *options: str) -> tuple[dict[str, Any], str]:
        file = tmp_path / "list"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        done = run("from-file", file, *options)
        if done.exit_code:
            assert isinstance(done.exception, BadInput), done.output
            return {}, str(done.exception)
        return tomllib.loads(done.stdout)["classes"], done.stderr

    return make


def queries(table: dict[str, Any]) -> list[str]:
    return [query["query"] for query in table["queries"] if query["why"] != "wider"]


def test_a_name_a_line(made: Any) -> None:
    classes, remarks = made("Mini\nMustang\n\nmouton\n# a remark\nwheel loader\ncafé\nteapot\n")
    assert [table["name"] for table in classes.values()] == [
        *("Mini", "Mustang", "mouton", "wheel loader", "café", "teapot")
    ]
    assert queries(classes["wheel_loader"]) == ['"wheel loader"']
    for word, gloss in (("Mini", "a very short skirt"), ("Mustang", "small hardy range horse")):
        assert f"WordNet's only {word!r} is this: {gloss}" in remarks
    assert "'mouton' is this: meat from a mature domestic sheep" in remarks
    assert 'if it is not, --sense "Mini=0"' in remarks
    assert "'teapot'" not in remarks
    classes, remarks = made("Mini\n", "--sense", "Mini=0")
    assert queries(classes["Mini"]) == ["Mini"] and "skirt" not in remarks


TABLE = """id,name,words,definition,taxon
mini,Mini,Mini Cooper,a small car,
mouton,sheep,"sheep,ewe,ram",,Ovis aries
fly-agaric,fly agaric,fly agaric,,Amanita muscaria
"""


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        TABLE.replace('"sheep,ewe,ram"', "sheep|ewe|ram").replace(",", ";").encode("utf-16"),
        json.dumps(
            {
                "mini": {"name": "Mini", "words": "Mini Cooper", "definition": "a small car"},
                "mouton": {
                    "name": "sheep",
                    "words": ["sheep", "ewe", "ram"],
                    "taxon": "Ovis aries",
                },
                "fly-agaric": {"name": "fly agaric", "scientific_name": "Amanita muscaria"},
            }
        ),
    ],
)
def test_tables_say_ids_words_definitions_and_taxa(made: Any, text: str | bytes) -> None:
    classes, remarks = made(text)
    mini, sheep, agaric = classes.values()
    assert list(classes) == ["mini", "mouton", "fly-agaric"]
    assert queries(mini) == ['"Mini Cooper"'] and mini["definition"] == "a small car"
    assert "synset" not in mini
    assert "WordNet's 'Mini' (a very short skirt) is none of its words" in remarks
    assert queries(sheep) == ["sheep", "ewe", "ram", '"Ovis aries"']
    assert (sheep["taxon"], sheep["synset"]) == ("Ovis aries", "n02413131")
    assert queries(agaric) == ['"fly agaric"', '"Amanita muscaria"']
    assert agaric["taxon"] == "Amanita muscaria"


def test_two_classes_of_one_noun_have_words_of_their_own(made: Any) -> None:
    classes, _ = made("name,synset,words\nred,n02958343,red car\nblue,n02958343,blue car\n")
    assert [queries(table) for table in classes.values()] == [['"red car"'], ['"blue car"']]


@pytest.mark.parametrize(
    "text",
    [
        "wnid,index,name\nn01440764,0,tench\nn01443537,1,goldfish\n",  # a release's classes.csv
        "n01440764 tench, Tinca tinca\nn01443537 goldfish, Carassius auratus\n",  # ILSVRC's
        '{"0": ["n01440764", "tench"], "1": ["n01443537", "goldfish"]}',  # Keras's
    ],
)
def test_lists_by_wnid_are_wordnets_nouns(made: Any, text: str) -> None:
    classes, remarks = made(text)
    assert [table["synset"] for table in classes.values()] == list(classes)
    assert list(classes) == ["n01440764", "n01443537"]
    assert "2 classes, 0 with remarks" in remarks


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "cat"}, {"label": "wheel loader"}]',
        '{"id2label": {"0": "cat", "1": "wheel loader"}}',
        '{"names": {"0": "cat", "1": "wheel loader"}}',
        '{"cat": 0, "wheel loader": 1}',
        '{"categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "wheel loader"}]}',
        "1. cat\n2. wheel loader\n",
        "Class Name\tNotes\ncat\tours\nwheel loader\t\n",
        """{"label_config": "<View><Label value='cat'/><Label value='wheel loader'/></View>"}""",
        '<View><Image name="i" value="$i"/><Choices name="c" toName="i"><Choice value="cat"/>'
        '<Choice value="wheel loader"/></Choices></View>',
        '<View><!-- ours --><RectangleLabels><Label value="cat" background="red"/>'
        '<Label value="wheel loader"/><Label value="cat"/></RectangleLabels></View>',
    ],
)
def test_other_programs_lists_of_names(made: Any, text: str) -> None:
    classes, remarks = made(text)
    assert {id: table["name"] for id, table in classes.items()} == {
        "cat": "cat",
        "wheel_loader": "wheel loader",
    }
    assert '--sense "cat=NUMBER"' in remarks and "1 = n02121620 cat, true cat: " in remarks


def test_inaturalists_taxa(made: Any) -> None:
    reply = {
        "total_results": 2,
        "results": [
            {"id": 48662, "rank": "species", "name": "Danaus plexippus"}
            | {"preferred_common_name": "Monarch"},
            {"id": 52747, "rank": "family", "name": "Vespidae"},
        ],
    }
    classes, _ = made(json.dumps(reply))
    monarch, wasps = classes["Monarch"], classes["Vespidae"]
    assert (monarch["taxon"], monarch["synset"]) == ("Danaus plexippus", "n02279972")
    assert wasps["taxon"] == "Vespidae"
    seen = "id,scientific_name,common_name,iconic_taxon_name\n" + 2 * "{},Vespidae,Wasps,Insecta\n"
    assert list(made(seen.format(1, 2))[0]) == ["Wasps"]  # observations, not taxa
    rank = "id,class,scientificName,kingdom\n1,Insecta,Vespidae,Animalia\n2,Insecta,Apidae,Animalia"
    assert list(made(rank)[0]) == ["Vespidae", "Apidae"]
    classes, _ = made("Vanessa atalanta\nRed wine\nIris flower\nToyota corolla\n")
    assert [table.get("taxon") for table in classes.values()] == ["Vanessa atalanta"] + 3 * [None]


def test_names_of_folders_are_read_with_their_numbers_and_ranks(tmp_path: Path, made: Any) -> None:
    names = ["001.Black_footed_Albatross", "00000", INATURALIST]
    for name in names:
        (tmp_path / "photos" / name).mkdir(parents=True)
    file = tmp_path / "f.toml"
    done = run("from-folder", tmp_path / "photos", "-o", file)
    assert done.exit_code == 0, done.output
    taxonomy = read_taxonomy(file)
    assert {cls.wnid: cls.name for cls in taxonomy} == {
        "00000": "00000",
        "001.Black_footed_Albatross": "Black footed Albatross",
        "Vanessa_atalanta": "Vanessa atalanta",
    }
    assert taxonomy["001.Black_footed_Albatross"].synset == "n02058747"
    assert taxonomy["Vanessa_atalanta"].taxon == "Vanessa atalanta"
    assert "its name is a number, which finds no photo of it" in done.stderr
    assert [taxonomy.meant_by(name) for name in names] == [*names[:2], "Vanessa_atalanta"]
    assert list(made("\n".join(names))[0]) == [*names[:2], "Vanessa_atalanta"]


def test_junk_and_empty_folders_are_no_classes(tmp_path: Path, made: Any) -> None:
    for name in ("__MACOSX/owl", "owl", "empty"):
        (tmp_path / "photos" / name).mkdir(parents=True)
    (tmp_path / "photos" / ".DS_Store").touch()
    (tmp_path / "photos" / "owl" / "1.jpg").touch()
    done = run("from-folder", tmp_path / "photos")
    assert list(tomllib.loads(done.stdout)["classes"]) == ["owl"]
    assert "left there by a system: empty, .DS_Store, __MACOSX." in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "names no class"),
        ("dog\ndog\n", "'dog' is there twice"),
        ("puma\nowl\ncougar\n", "'cougar' and 'puma' mean the same, n02125311: give one of them"),
        ("name,words\na,x;y\nb,y;x\n", "'b' and 'a' mean the same, y, x: give one of them"),
        ("[1, [2]]", "entry 0: a class is a name, or an object with a name"),
        ('[{"rank": 3}]', "entry 0 names no class: give it a name"),
        ('{"a": ', "not valid JSON"),
        ("id,name\na,b,c\n", "line 2: the row has more cells"),
        ("name,words\n,x\n", "line 2 names no class"),
        ("<View>", "no labeling configuration of Label Studio"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><View/>', "has a DTD"),
        ("[classes.dog]\n", "is a file of classes already: genset init FOLDER --taxonomy"),
        (b"PK\x03\x04", "a workbook"),
    ],
)
def test_what_is_no_list_is_refused_in_a_line(made: Any, text: str | bytes, message: str) -> None:
    classes, refusal = made(text)
    assert not classes and message in refusal and "\n" not in refusal
