"""`genset classes`: taxonomy files made of words, synsets, folders and models."""

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from genset.classes import read_taxonomy
from genset.cli import cli

DOG, CAT, CRANE = "n02084071", "n02121620", "n02012849"
Classes = dict[str, dict[str, Any]]


def said(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["classes", *map(str, words)])


def made(*words: str | Path) -> Classes:
    """The classes of a file that is printed."""
    done = said(*words)
    assert done.exit_code == 0, done.output
    classes: Classes = tomllib.loads(done.stdout)["classes"]
    return classes


def refusal(*words: str | Path) -> str:
    done = said(*words)
    assert done.exit_code and done.stdout == ""
    return str(done.exception)


def begun(folder: Path, file: Path) -> Result:
    return CliRunner().invoke(cli, ["init", str(folder), "--taxonomy", str(file)])


def test_words_become_a_file_that_init_reads(tmp_path: Path) -> None:
    file = tmp_path / "pets.toml"
    senses = ["--sense", "dog=1", "--sense", f"cat={CAT}"]
    done = said("from-words", "dog,cat,red panda", "blorp", *senses, "-o", file)
    assert done.exit_code == 0 and done.stdout == ""
    taxonomy = read_taxonomy(file)
    assert taxonomy.name == "pets"
    assert [each.wnid for each in taxonomy] == ["dog", "cat", "red_panda", "blorp"]
    assert [each.synset for each in taxonomy] == [DOG, CAT, "n02509815", ""]
    dog = taxonomy["dog"]
    assert [(query.text, query.why) for query in dog.queries][:2] == [
        ("dog", "lemma"),
        ('"domestic dog"', "lemma"),
    ]
    assert dog.queries[-2].text == "domestic dog"  # where these phrases find too few
    assert len(dog.imagenet) == 118
    assert taxonomy["blorp"].queries[0].why == "name"
    assert '# "dog" has 7 senses in WordNet, this is number 1' in file.read_text("utf-8")
    assert '"dog" has 7 senses' in done.stderr and "no synset" in done.stderr
    assert "classes: 4 of pets" in begun(tmp_path / "w", file).output
    file.write_text("mine")
    assert "--force" in refusal("from-words", "tench", "-o", file)
    assert file.read_text() == "mine"
    assert said("from-words", "tench", "-o", file, "--force").exit_code == 0
    assert read_taxonomy(file)["tench"].synset == "n01440764"
    assert "no folder" in refusal("from-words", "tench", "-o", tmp_path / "no" / "a.toml")


def test_the_only_sense_among_imagenets_classes_is_taken_and_others_are_listed(
    tmp_path: Path,
) -> None:
    done = said("from-words", "dog,tench")
    assert tomllib.loads(done.stdout)["classes"]["dog"]["synset"] == DOG
    taken = rf"{DOG} \(a member of the genus .*\), the only one of its 7 senses"
    for printed, begin in ((done.stderr, "    "), (done.stdout, "# ")):
        assert re.search(f"^{begin}{taken} among ImageNet's classes$", printed, re.M)
    words = refusal("from-words", "dog,tench,bass,crane", "-o", tmp_path / "x.toml")
    bass, *_, crane, _, _, _, _, fifth = words.splitlines()
    assert bass.startswith("'bass' has 8 senses") and '--sense "bass=NUMBER"' in bass
    assert crane.startswith("'crane' has 5 senses") and fifth.startswith(f"5 = {CRANE}")
    assert "tench" not in words and "dog" not in words
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("word", "noun", "base"),
    [
        ("wolves", "n02114100", "wolf"),
        ("Red-Pandas", "n02509815", "red panda"),
        ("birds of prey", "n01604330", "bird of prey"),
        ("axolotls", "n01632777", "axolotl"),
        ("cherries", "n07757132", "cherry"),
        ("glasses", "n04272054", ""),  # a word of its own
    ],
)
def test_plurals_are_looked_up_as_their_singular(word: str, noun: str, base: str) -> None:
    done = said("from-words", word, "--sense", f"{word}={noun}")
    (cls,) = tomllib.loads(done.stdout)["classes"].values()
    assert (cls["name"], cls["synset"]) == (word, noun)
    assert (f"{word!r} was looked up as {base!r}" in done.stderr) is bool(base)
    queries = [each["query"] for each in cls["queries"]]
    assert (word in queries) is not bool(base)  # its singular finds it too


def test_two_senses_of_a_word_make_two_classes(tmp_path: Path) -> None:
    classes = made("from-words", "crane,tench", "--sense", "crane=4", "--sense", f"crane={CRANE}")
    assert {id: each["name"] for id, each in classes.items()} == {
        "crane_lifting_device": "crane (lifting device)",
        "crane_wading_bird": "crane (wading bird)",
        "tench": "tench",
    }
    for each in list(classes.values())[:2]:
        assert each["imagenet"] == [each["synset"]]
        assert "crane" not in [query["query"] for query in each["queries"]]
    (tmp_path / "crane").mkdir()
    twice = ("--sense", "crane=4", "--sense", "crane=5")
    assert "its photos are one class" in refusal("from-folder", tmp_path, *twice)


@pytest.mark.parametrize(
    ("words", "senses", "remark", "is_told"),
    [
        ("dog", f"dog={CRANE}", f"WordNet does not call {CRANE} 'dog': it is crane (large", True),
        ("dogs", f"dogs={DOG}", "does not call", False),
        ("dog,beagle,cat", "dog=1,cat=1", "it is a kind of dog: a photo of it shows both", True),
        ("labrador", "", "one thing with a name", True),
        ("labrador retriever", "", "one thing with a name", False),
        ("hot dog,hot dog bun", "hot dog=1", '"hot dog" also finds photos of hot_dog_bun', True),
        ("puffin,puffin nest", "puffin=1", '"puffin" also finds photos of puffin_nest', True),
    ],
)
def test_what_is_to_be_looked_at_is_told(
    words: str, senses: str, remark: str, is_told: bool
) -> None:
    chosen = [part for sense in senses.split(",") if sense for part in ("--sense", sense)]
    done = said("from-words", words, *chosen)
    assert (remark in done.stderr) is (remark in done.stdout) is is_told
    assert '""' not in done.stderr


def test_words_of_any_script_become_classes(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    words = ["猫", "собака", "หมา", "c++", "c#", "🐶", "CON", ".hidden", "../x", "a'b"]
    done = said("from-words", ",".join(words), "--sense", "CON=0", "-o", file)
    assert done.exit_code == 0, done.output
    taxonomy = read_taxonomy(file)
    assert [each.name for each in taxonomy] == words
    assert len({each.wnid.casefold() for each in taxonomy}) == len(words)
    assert begun(tmp_path / "w", file).exit_code == 0
    ((id, hindi),) = made("from-words", "हिन्दी भाषा").items()  # with its marks
    assert id == "हिन्दी_भाषा"
    assert [each["query"] for each in hindi["queries"]] == ['"हिन्दी भाषा"', "हिन्दी भाषा"]
    assert [*made("from-words", "\u0301e\ufe0fé")] == ["e_é"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("dog,dog", "--sense", "dog=1"), "'dog' is there twice"),
        (("tench", "--sense", "dog=1"), "given for 'dog'"),
        (("dog", "--sense", "dog=8"), "none is number 8"),
        (("dog", "--sense", "dog=n99999999"), "no noun 'n99999999'"),
        (("dog", "--sense", "dog"), "--sense dog=n02084071"),
        ((",",), "no word"),
        (("",), "no word"),
        (("tench,Tench",), "'Tench' is there twice, as 'tench'"),
        (("red_panda,red  panda",), "'red panda' is there twice, as 'red_panda'"),
        (("dogs,domestic dog", "--sense", "dogs=1"), "mean the same, n02084071"),
        (("dog", "--sense", "dog=0", "--sense", "dog=1"), "give no other"),
        (("n99999999",), "no noun 'n99999999'"),
        ((__file__,), f"{__file__} is a file: use genset classes from-file {__file__}"),
        (("x" * 201,), "has 201 characters: at most 200"),
        (("a\x07b,c\u202ed",), "'a\\x07b' has characters that do not print"),
        (("\udcff",), "characters that do not print"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], says: str) -> None:
    assert says in refusal("from-words", *words)


def test_synsets_are_taken_themselves_or_with_what_is_below() -> None:
    for words, count, one in (
        ((DOG,), 1, DOG),
        ((DOG, "--depth", "1"), 18, "n01322604"),
        ((DOG, "--leaves"), 147, "n02085620"),
    ):
        classes = made("from-synsets", *words)
        assert len(classes) == count and one in classes
    assert f"may be {DOG}" in refusal("from-synsets", "dog")
    assert "no noun" in refusal("from-synsets", "n99999999")
    assert "give one" in refusal("from-synsets", DOG, "--leaves", "--depth", "1")
    # An ImageNet class is in the nearest class above it.
    classes = made("from-synsets", "n02121808", "n02123045")
    assert classes["n02123045"]["imagenet"] == ["n02123045"]
    assert "n02123045" not in classes["n02121808"]["imagenet"]


def test_siblings_may_be_confused_and_a_later_sense_is_searched_for_with_what_it_is() -> None:
    senses = ("lion=1", "tiger=2", "drake=n01847806")
    chosen = [part for sense in senses for part in ("--sense", sense)]
    classes = made("from-words", "lion,tiger,drake", *chosen)
    assert classes["lion"]["confusable"] == ["tiger"]
    assert classes["tiger"]["confusable"] == ["lion"]
    assert {"query": "drake duck", "why": "lemma with hypernym"} in classes["drake"]["queries"]


def test_folders_become_classes(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    names = {
        DOG: (DOG, "dog"),
        "n02085620-Chihuahua": ("n02085620-Chihuahua", "Chihuahua"),
        "tench": ("tench", "tench"),
        "a b'c": ("a_b_c", "a b'c"),
        "con": ("class_con", "con"),  # no folder of Windows can be called so
        "CON.txt": ("CON_txt", "CON.txt"),
        "n99999999": ("class_n99999999", "n99999999"),
        "hot dogs": ("hot_dogs_2", "hot dogs"),
        "hot_dogs": ("hot_dogs", "hot dogs"),  # it can be an id, and so keeps it
        "猫": ("猫", "猫"),
    }
    for name in (*names, ".hidden", "tench/nested"):
        (photos / name).mkdir(parents=True)
        (photos / name / "1.jpg").touch()
    (photos / "file.txt").touch()
    (photos / "tinca").symlink_to("tench")
    (photos / "broken").symlink_to("nowhere")
    (photos / "file").symlink_to(Path(__file__))
    done = said("from-folder", photos, "-o", tmp_path / "f.toml")
    assert done.exit_code == 0, done.output
    taxonomy = read_taxonomy(tmp_path / "f.toml")
    links = {"tinca": "tinca"}
    assert {each.wnid: each.name for each in taxonomy} == dict(names.values()) | links
    assert taxonomy["n02085620-Chihuahua"].imagenet == ("n02085620",)
    for name in ("a b'c", "CON.txt"):
        assert f"{name!r} became the id {names[name][0]}" in done.stderr
    (tmp_path / "odd" / os.fsdecode(b"a\xff")).mkdir(parents=True)
    assert "is not in UTF-8: rename it" in refusal("from-folder", tmp_path / "odd")


def test_parts_of_a_set_are_no_classes(tmp_path: Path) -> None:
    (tmp_path / "train" / "dog").mkdir(parents=True)
    assert f"give {tmp_path / 'train'}" in refusal("from-folder", tmp_path)
    for name in ("train", "test"):  # with photos in them they are
        (tmp_path / "own" / name).mkdir(parents=True)
        (tmp_path / "own" / name / "a.jpg").touch()
    assert sorted(made("from-folder", tmp_path / "own")) == ["test", "train"]


def test_classes_that_wordnet_cannot_tell_apart_are_told_before_anybody_labels(
    tmp_path: Path,
) -> None:
    file = tmp_path / "v.toml"
    text = (
        "name = 'v'\n[classes.car]\nsynset = 'n02958343'\n[classes.truck]\nsynset = 'n04490091'\n"
    )
    file.write_text(text, "utf-8")
    told = "no model of ImageNet's classes can be scored on v yet: the output n03770679"
    assert told in said("show", file).stderr
    assert told in begun(tmp_path / "w", file).stderr
    file.write_text(text.replace("'n02958343'", "'n02958343'\nimagenet = ['n03770679']"), "utf-8")
    assert "changed: car (imagenet)" in begun(tmp_path / "w", file).stdout
    assert read_taxonomy(file)["car"].hypernyms[0] == "motor vehicle"  # though it says none
    unknown = begun(tmp_path / "v", Path("CIFAR10"))
    assert "there is no taxonomy CIFAR10" in str(unknown.exception)
    assert not (tmp_path / "v").exists()


def test_a_models_own_names_become_classes(tmp_path: Path) -> None:
    config = {"model_type": "vit", "id2label": {"1": "tabby cat, a", "0": "great dane", "2": "dog"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    classes = made("from-model", f"hf:{tmp_path}", "--sense", "dog=1")
    assert list(classes) == ["great_dane", "tabby_cat", "dog"]
    assert [each.get("synset") for each in classes.values()] == ["n02109047", "n02123045", DOG]
    for spec in ("torchvision:resnet18", "timm:resnet50.a1_in1k"):
        classes = made("from-model", spec)
        assert len(classes) == 1000 and list(classes) == sorted(classes)
    assert "classes=FILE" in refusal("from-model", "file:a.pth?arch=timm:resnet18")
    (tmp_path / "names.txt").write_text("# not ImageNet\nred_fox\ndog\n")
    classes = made("from-model", f"file:a.pth?arch=timm:resnet18&classes={tmp_path}/names.txt")
    assert [each["name"] for each in classes.values()] == ["red fox", "dog"]
    assert "no weights of that name" in refusal("from-model", "timm:resnet50.no_such_tag")


def test_each_mistake_of_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(BAD, "utf-8")
    told = [
        line.partition(", line ")[2] for line in refusal("show", tmp_path / "bad.toml").splitlines()
    ]
    numbers = [int(line.partition(":")[0]) for line in told]
    assert numbers == [1, 2, 4, 6, 7, 8, 10, 11, 12]
    assert "a/b" in told[0] and "of 1 to 200 characters" in told[1]
    assert told[3].endswith("another id is the same but for case or form: Z")
    assert "no noun n99999999" in told[4]
    assert told[5].endswith("another id is the same but for case or form: z")
    assert "nope is no class" in told[6] and "n02084071 is not one of" in told[7]
    assert told[8] == "12: classes.n99999998: WordNet 3.0 has no such noun"


BAD = """[classes."a/b"]
name = 3
[classes.ok]
foo = 1

[classes.z]
synset = "n99999999"
[classes.Z]
name = "q"
confusable = ["nope"]
imagenet = ["n02084071"]
[classes.n99999998]
"""


QUOTES = 'a key with other than A-Z, a-z, 0-9, _ and - stands in quotes, as in "crème brûlée"'
NO_TOML = {
    "name = dog": 'a text stands in quotes, as in name = "dog"',
    "[classes.crème]": QUOTES,
    "[classes.red panda]": QUOTES,
    "[classes.owl # x": "the ] is missing: write [classes.owl]",
    'queries = ["owl", "barn owl"\n[classes.cat]': "a list has commas between its texts, and ends "
    "with ]",
    'name = "cat': "a text in quotes ends on its line, and its second quote is missing",
    'name "bat"': 'a line has KEY = VALUE, as in name = "dog"',
    'name = "eel"\nname = "Eel"': "this key is there twice",
    "[classes.a]": "this table is there twice",
}


def test_what_is_no_toml_is_told_in_plain_words(tmp_path: Path) -> None:
    file = tmp_path / "no.toml"
    for written, words in NO_TOML.items():
        file.write_text(f"[classes.a]\n{written}\n", "utf-8")
        told = refusal("show", file)
        assert re.fullmatch(rf"no\.toml, line [23]: {re.escape(words)}", told), told
    file.write_text("".join(f"[classes.c{n}]\nnname = 1\n" for n in range(150)), "utf-8")
    told = refusal("show", file).splitlines()
    assert len(told) == 101 and told[-1] == "and 50 more"
