"""`genset classes`: taxonomy files made of words, synsets, folders and models."""

import json
import os
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis.strategies import builds, lists, sampled_from, text

from genset.classes import read_taxonomy
from genset.classes.files import taxonomy_in, toml_of
from genset.classes.making.drafts import of_rows, of_synsets
from genset.classes.making.listed import Row
from genset.classes.making.remarks import remarks
from genset.classes.making.together import together
from genset.classes.wordnet import nouns
from genset.cli import cli
from genset.core.errors import BadInput

DOG, CAT, CRANE = "n02084071", "n02121620", "n02012849"


def said(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["classes", *map(str, words)])


def refusal(*words: str | Path) -> str:
    done = said(*words)
    assert done.exit_code and done.stdout == ""
    return str(done.exception)


def test_words_become_a_file_that_init_reads(tmp_path: Path) -> None:
    file = tmp_path / "pets.toml"
    senses = ["--sense", "dog=1", "--sense", f"cat={CAT}"]
    done = said("from-words", "dog,cat,red panda", "blorp", *senses, "-o", file)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
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
    assert dog.hypernyms[0] == "canine" and dog.hypernyms[-1] == "entity"
    assert len(dog.imagenet) == 118
    assert taxonomy["blorp"].queries[0].why == "name"
    assert '# "dog" has 7 senses in WordNet, this is number 1' in file.read_text("utf-8")
    assert '"dog" has 7 senses' in done.stderr
    assert "no synset" in done.stderr
    done = CliRunner().invoke(cli, ["init", str(tmp_path / "w"), "--taxonomy", str(file)])
    assert done.exit_code == 0 and "classes: 4 of pets" in done.output


def test_the_only_sense_among_imagenets_classes_is_taken_and_others_are_listed(
    tmp_path: Path,
) -> None:
    done = said("from-words", "dog,tench")
    assert tomllib.loads(done.stdout)["classes"]["dog"]["synset"] == DOG
    taken = rf"{DOG} \(a member of the genus .*\), the only one of its 7 senses"
    for printed, begin in ((done.stderr, "    "), (done.stdout, "# ")):
        assert re.search(f"^{begin}{taken} among ImageNet's classes$", printed, re.M)
    words = refusal("from-words", "dog,tench,bass,crane", "-o", tmp_path / "x.toml")
    bass, *_, crane, first, _, _, _, fifth = words.splitlines()
    assert bass.startswith("'bass' has 8 senses") and '--sense "bass=NUMBER"' in bass
    assert crane.startswith("'crane' has 5 senses") and fifth.startswith(f"5 = {CRANE}")
    assert first.startswith("1 = ") and "tench" not in words and "dog" not in words
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("word", "noun", "base"),
    [
        ("wolves", "n02114100", "wolf"),
        ("red pandas", "n02509815", "red panda"),
        ("Red-Pandas", "n02509815", "red panda"),
        ("birds of prey", "n01604330", "bird of prey"),
        ("axolotls", "n01632777", "axolotl"),
        ("cherries", "n07757132", "cherry"),
        ("firemen", "n10091651", "fireman"),
    ],
)
def test_plurals_are_looked_up_as_their_singular(word: str, noun: str, base: str) -> None:
    done = said("from-words", word, "--sense", f"{word}={noun}")
    (made,) = tomllib.loads(done.stdout)["classes"].values()
    assert (made["name"], made["synset"]) == (word, noun)
    assert f"{word!r} was looked up as {base!r}" in done.stderr
    assert word not in [each["query"] for each in made["queries"]]  # its singular finds it too


def test_a_word_of_its_own_is_no_plural() -> None:
    done = said("from-words", "glasses,tench")
    assert [each["synset"] for each in tomllib.loads(done.stdout)["classes"].values()] == [
        "n04272054",
        "n01440764",
    ]
    assert "looked up" not in done.stderr


def test_two_senses_of_a_word_make_two_classes(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    senses = ["--sense", "crane=4", "--sense", f"crane={CRANE}"]
    done = said("from-words", "crane,tench", *senses, "-o", file)
    assert done.exit_code == 0, done.output
    taxonomy = read_taxonomy(file)
    assert {each.wnid: (each.name, each.synset) for each in taxonomy} == {
        "crane_lifting_device": ("crane (lifting device)", "n03126707"),
        "crane_wading_bird": ("crane (wading bird)", CRANE),
        "tench": ("tench", "n01440764"),
    }
    for each in list(taxonomy)[:2]:
        assert each.imagenet == (each.synset,)
        assert "crane" not in [query.text for query in each.queries]
    assert '"crane" is a name of crane_wading_bird too' in done.stderr
    done = CliRunner().invoke(cli, ["init", str(tmp_path / "w"), "--taxonomy", str(file)])
    assert done.exit_code == 0 and "classes: 3 of two" in done.output


def test_a_sense_that_wordnet_does_not_call_so_is_told() -> None:
    slip = said("from-words", "dog", "--sense", f"dog={CRANE}")
    assert f"WordNet does not call {CRANE} 'dog': it is crane (large" in slip.stderr
    assert "1 class, 1 with remarks" in slip.stderr
    assert "does not call" not in said("from-words", "dogs", "--sense", f"dogs={DOG}").stderr


def test_a_class_that_is_a_kind_of_another_is_told() -> None:
    told = said("from-words", "dog,beagle,cat", "--sense", "dog=1", "--sense", "cat=1").stderr
    assert told.count("a photo of it shows both") == 1
    assert "it is a kind of dog: a photo of it shows both" in told


def test_a_place_is_told_from_a_kind_of_thing() -> None:
    place = "one thing with a name"
    assert place in said("from-words", "labrador").stderr
    assert place not in said("from-words", "labrador retriever").stderr


def test_a_phrase_in_quotes_is_told_in_these_alone() -> None:
    told = said("from-words", "hot dog,hot dog bun", "--sense", "hot dog=1").stderr
    assert 'the query "hot dog" also finds photos of hot_dog_bun' in told
    assert '""' not in told


def test_a_folder_is_one_class(tmp_path: Path) -> None:
    (tmp_path / "crane").mkdir()
    said_twice = ("--sense", "crane=4", "--sense", "crane=5")
    assert "its photos are one class" in refusal("from-folder", tmp_path, *said_twice)


def test_a_words_marks_are_kept_in_its_id_and_its_query() -> None:
    (made,) = tomllib.loads(said("from-words", "हिन्दी भाषा").stdout)["classes"].items()
    assert made[0] == "हिन्दी_भाषा"
    assert [each["query"] for each in made[1]["queries"]] == ['"हिन्दी भाषा"', "हिन्दी भाषा"]
    (id,) = tomllib.loads(said("from-words", "\u0301e\ufe0fé").stdout)["classes"]
    assert id == "e_é"


@pytest.mark.parametrize(
    ("word", "id"),
    [
        ("CON.txt", "CON_txt"),
        ("read.me.md", "read_me_md"),
        ("nul", "class_nul"),
        ("aux.jpg", "aux_jpg"),
    ],
)
def test_a_word_with_another_meaning_is_made_safe_and_said(
    word: str, id: str, tmp_path: Path
) -> None:
    (tmp_path / "photos" / word).mkdir(parents=True)
    (tmp_path / "photos" / "zorgle").mkdir()
    done = said("from-folder", tmp_path / "photos")
    assert done.exit_code == 0, done.output
    assert list(tomllib.loads(done.stdout)["classes"]) == [id, "zorgle"]
    assert f"{word!r} became the id {id}" in done.stderr


def test_words_of_any_script_become_classes(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    words = ["猫", "собака", "หมา", "c++", "c#", "🐶", "CON", ".hidden", "../x", "a'b"]
    done = said("from-words", ",".join(words), "--sense", "CON=0", "-o", file)
    assert done.exit_code == 0, done.output
    taxonomy = read_taxonomy(file)
    assert [each.name for each in taxonomy] == words
    assert len({each.wnid.casefold() for each in taxonomy}) == len(words)
    done = CliRunner().invoke(cli, ["init", str(tmp_path / "w"), "--taxonomy", str(file)])
    assert done.exit_code == 0, done.output


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
        (("x" * 201,), "has 201 characters: at most 200"),
        (("a\x07b,c\u202ed",), "'a\\x07b' has characters that do not print"),
        (("\udcff",), "characters that do not print"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], says: str) -> None:
    assert says in refusal("from-words", *words)


def test_no_sense_may_be_meant() -> None:
    done = said("from-words", "dog", "--sense", "dog=0")
    assert "synset" not in tomllib.loads(done.stdout)["classes"]["dog"]


def test_a_file_is_written_over_by_force_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("mine")
    assert "--force" in refusal("from-words", "tench", "-o", file)
    assert file.read_text() == "mine"
    assert said("from-words", "tench", "-o", file, "--force").exit_code == 0
    assert read_taxonomy(file)["tench"].synset == "n01440764"
    assert "no folder" in refusal("from-words", "tench", "-o", tmp_path / "no" / "a.toml")


def test_synsets_are_taken_themselves_or_with_what_is_below(tmp_path: Path) -> None:
    for words, count, one in (
        ((DOG,), 1, DOG),
        ((DOG, "--depth", "1"), 18, "n01322604"),
        ((DOG, "--leaves"), 147, "n02085620"),
    ):
        classes = tomllib.loads(said("from-synsets", *words).stdout)["classes"]
        assert len(classes) == count and one in classes
    assert f"may be {DOG}" in refusal("from-synsets", "dog")
    assert "no noun" in refusal("from-synsets", "n99999999")
    assert "give one" in refusal("from-synsets", DOG, "--leaves", "--depth", "1")


def test_an_imagenet_class_is_in_the_nearest_class_above_it() -> None:
    classes = tomllib.loads(said("from-synsets", "n02121808", "n02123045").stdout)["classes"]
    assert classes["n02123045"]["imagenet"] == ["n02123045"]
    assert "n02123045" not in classes["n02121808"]["imagenet"]


def test_siblings_may_be_confused() -> None:
    done = said("from-words", "lion,tiger", "--sense", "lion=1", "--sense", "tiger=2")
    classes = tomllib.loads(done.stdout)["classes"]
    assert classes["lion"]["confusable"] == ["tiger"]
    assert classes["tiger"]["confusable"] == ["lion"]


def test_a_later_sense_is_searched_for_with_what_it_is() -> None:
    done = said("from-words", "drake,boxer", "--sense", "drake=n01847806", "--sense", "boxer=4")
    classes = tomllib.loads(done.stdout)["classes"]
    assert {"query": "drake duck", "why": "lemma with hypernym"} in classes["drake"]["queries"]


def test_a_query_that_finds_another_class_is_flagged() -> None:
    done = said("from-words", "puffin,puffin nest", "--sense", "puffin=1")
    assert 'the query "puffin" also finds photos of puffin_nest' in done.stderr
    assert '# the query "puffin" also finds' in done.stdout


def test_folders_become_classes(tmp_path: Path) -> None:
    for name in (DOG, "n02085620-Chihuahua", "tench", "a b'c", "con", "n99999999", "猫", ".hidden"):
        (tmp_path / "photos" / name).mkdir(parents=True)
    (tmp_path / "photos" / "file.txt").touch()
    file = tmp_path / "f.toml"
    done = said("from-folder", tmp_path / "photos", "-o", file)
    assert done.exit_code == 0, done.output
    taxonomy = read_taxonomy(file)
    assert {each.wnid: each.name for each in taxonomy} == {
        DOG: "dog",
        "n02085620-Chihuahua": "Chihuahua",
        "tench": "tench",
        "a_b_c": "a b'c",
        "class_con": "con",
        "class_n99999999": "n99999999",
        "猫": "猫",
    }
    assert taxonomy["n02085620-Chihuahua"].imagenet == ("n02085620",)
    assert '"a b\'c" became the id a_b_c' in done.stderr


def test_a_folder_whose_name_can_be_an_id_keeps_it(tmp_path: Path) -> None:
    for name in ("hot dogs", "hot_dogs", "red panda"):
        (tmp_path / "photos" / name).mkdir(parents=True)
    classes = tomllib.loads(said("from-folder", tmp_path / "photos").stdout)["classes"]
    assert list(classes) == ["hot_dogs_2", "hot_dogs", "red_panda"]


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
    begun = CliRunner().invoke(cli, ["init", str(tmp_path / "w"), "--taxonomy", str(file)])
    assert told in begun.stderr
    file.write_text(text.replace("'n02958343'", "'n02958343'\nimagenet = ['n03770679']"), "utf-8")
    again = CliRunner().invoke(cli, ["init", str(tmp_path / "w"), "--taxonomy", str(file)])
    assert again.exit_code == 0, again.output
    assert "changed: car (imagenet)" in again.stdout


def test_an_unknown_taxonomy_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    assert "give a file of classes, or one of imagenet1k" in refusal("show", "CIFAR10")
    done = CliRunner().invoke(cli, ["init", str(tmp_path / "w"), "--taxonomy", "CIFAR10"])
    assert "there is no taxonomy CIFAR10" in str(done.exception)
    assert not (tmp_path / "w").exists()


def test_folders_in_folders_are_none_and_links_to_folders_are(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    (photos / "tench" / "nested").mkdir(parents=True)
    (photos / "tench" / "1.jpg").touch()
    (photos / "tinca").symlink_to("tench")
    (photos / "broken").symlink_to("nowhere")
    (photos / "file").symlink_to(Path(__file__))
    (photos / ".git").mkdir()
    classes = tomllib.loads(said("from-folder", photos).stdout)["classes"]
    assert list(classes) == ["tench", "tinca"]


def test_a_folder_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"a\xff")).mkdir()
    assert "is not in UTF-8: rename it" in refusal("from-folder", tmp_path)


def test_where_nothing_can_be_written_the_file_is_named() -> None:
    done = said("from-words", "tench", "-o", "/proc/tench.toml")
    assert isinstance(done.exception, OSError)
    assert done.exception.filename == "/proc/tench.toml"


def test_parts_of_a_set_are_no_classes(tmp_path: Path) -> None:
    (tmp_path / "train" / "dog").mkdir(parents=True)
    assert f"give {tmp_path / 'train'}" in refusal("from-folder", tmp_path)
    for name in ("train", "test"):  # with photos in them they are
        (tmp_path / "own" / name).mkdir(parents=True)
        (tmp_path / "own" / name / "a.jpg").touch()
    made = tomllib.loads(said("from-folder", tmp_path / "own").stdout)
    assert sorted(made["classes"]) == ["test", "train"]


def test_a_models_own_names_become_classes(tmp_path: Path) -> None:
    config = {"model_type": "vit", "id2label": {"1": "tabby cat, a", "0": "great dane", "2": "dog"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    done = said("from-model", f"hf:{tmp_path}", "--sense", "dog=1")
    assert done.exit_code == 0, done.output
    classes = tomllib.loads(done.stdout)["classes"]
    assert list(classes) == ["great_dane", "tabby_cat", "dog"]
    assert [each.get("synset") for each in classes.values()] == ["n02109047", "n02123045", DOG]


def test_a_list_of_outputs_is_a_models_own_names(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("# not ImageNet\nred_fox\ndog\n")
    spec = f"file:a.pth?arch=timm:resnet18&classes={tmp_path / 'names.txt'}"
    classes = tomllib.loads(said("from-model", spec).stdout)["classes"]
    assert [each["name"] for each in classes.values()] == ["red fox", "dog"]
    assert classes["dog"]["synset"] == DOG  # the only one of its senses among ImageNet's


def test_an_empty_line_of_a_list_is_named(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("# not ImageNet\nred_fox\n\ndog\n")
    told = refusal("from-model", f"file:a.pth?arch=timm:resnet18&classes={tmp_path / 'names.txt'}")
    assert "names.txt cannot be used: line 3 is empty" in told and "ImageNet" not in told


@pytest.mark.parametrize("spec", ["torchvision:resnet18", "timm:resnet50.a1_in1k"])
def test_an_imagenet_models_classes_are_imagenets(spec: str) -> None:
    classes = tomllib.loads(said("from-model", spec).stdout)["classes"]
    assert len(classes) == 1000 and list(classes) == sorted(classes)


def test_a_model_without_names_is_told_how_to_give_them() -> None:
    assert "classes=FILE" in refusal("from-model", "file:a.pth?arch=timm:resnet18")
    assert "no weights of that name" in refusal("from-model", "timm:resnet50.no_such_tag")
    assert "no weights of that name" in refusal("from-model", "timm:no_such_model")


def test_show_says_what_is_searched_and_what_to_look_at(tmp_path: Path) -> None:
    done = said("show", "cifar10")
    assert "dog  dog, domestic dog" in done.stdout
    assert 'remark: "dog" has 7 senses in WordNet, this is number 1' in done.stdout
    assert 'remark: "cat" has 8 senses in WordNet, none of them is this one' in done.stdout
    cat = done.stdout.partition("\ncat  cat, domestic cat")[2].splitlines()
    assert [line.split()[-1] for line in cat[1:3]] == ["name", "lemma"]
    assert "10 classes of cifar10, 8 with remarks" in done.stdout
    (tmp_path / "bad.toml").write_text('[classes.a]\n\n[classes.b]\nsynset = "n99999999"\n')
    assert "bad.toml, line 4: classes.b.synset: WordNet 3.0 has no noun n99999999" in refusal(
        "show", tmp_path / "bad.toml"
    )


def test_hypernyms_are_filled_where_a_file_says_a_synset_alone(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f'[classes.a]\nsynset = "{DOG}"\n[classes.b]\n')
    taxonomy = read_taxonomy(tmp_path / "a.toml")
    assert taxonomy["a"].hypernyms[:2] == ("canine", "carnivore")
    assert taxonomy["b"].hypernyms == ()


NAMES = text(max_size=80) | builds(
    "{}{}".format,
    sampled_from(["", "con", "Nul.", "a.", "é", "x" * 60]) | text(max_size=62),
    sampled_from([".txt", ".MD", ".csv", ".json", ".x.bib", ".cff", ".jpg", "."]),
)


@settings(max_examples=120, derandomize=True, deadline=None)
@given(lists(NAMES, min_size=1, max_size=5))
def test_any_names_become_a_file_that_says_them(names: list[str]) -> None:
    rows = [Row(name) for name in names]
    taxonomy = together("any", of_rows(rows, {}, "name"))
    assert len(taxonomy) == len(names)
    written = taxonomy_in(toml_of(taxonomy, remarks(taxonomy), "made"), "any.toml")
    assert [each.name for each in written] == [each.name for each in taxonomy]


def test_any_nouns_become_a_file_that_says_them() -> None:
    table = nouns()
    wnids = sorted(noun for top in ("n00001740", "n12992868") for noun in table.below(top, None))
    odd = [wnid for wnid in wnids if "  " in table[wnid].gloss]
    twice = ["n10120330", "n10667863"]  # two steps above each have one name
    taxonomy = together("any", of_synsets([*wnids[::173], *odd, *twice], 0))
    assert odd and len(taxonomy) > 300
    written = taxonomy_in(toml_of(taxonomy, remarks(taxonomy), "made"), "any.toml")
    assert [each.synset for each in written] == [each.wnid for each in taxonomy]


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


@settings(max_examples=150, deadline=None)
@given(text(max_size=200) | lists(sampled_from([*NO_TOML])).map("\n".join))
def test_no_text_is_more_than_a_refusal(written: str) -> None:
    try:
        assert len(taxonomy_in(written, "any.toml")) > 0
    except BadInput as error:
        assert all(line.startswith("any.toml, line ") for line in str(error).splitlines())
