"""The taxonomies that come with genset: imagenet1k, imagenet100-cmc, cifar10."""

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from click.testing import CliRunner
from PIL import Image

from genset.classes import imagenet1k
from genset.classes.files import taxonomy_named
from genset.classes.wordnet import imagenet_below, nouns
from genset.cli import cli

TEN = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


def test_imagenet100_is_the_list_with_imagenets_own_classes() -> None:
    listed = files("wordnet_maps").joinpath("imagenet100-cmc.txt").read_text("ascii").split()
    taxonomy = taxonomy_named("imagenet100-cmc")
    assert [each.wnid for each in taxonomy] == sorted(listed)
    assert len(taxonomy) == 100
    for each in taxonomy:
        assert replace(each, index=0) == replace(imagenet1k()[each.wnid], index=0)


def test_cifar10_has_its_ten_in_order_and_says_what_imagenet_lacks() -> None:
    taxonomy = taxonomy_named("cifar10")
    assert [each.wnid for each in taxonomy] == TEN
    assert all(each.synset in nouns() and each.hypernyms[-1] == "entity" for each in taxonomy)
    assert taxonomy["deer"].imagenet == ()
    for each in taxonomy:
        assert set(each.imagenet) <= set(imagenet_below(each.synset)), each.wnid
    assert imagenet_below(taxonomy["dog"].synset) == taxonomy["dog"].imagenet
    assert len(taxonomy["dog"].imagenet) == 118
    pickup, minivan = "n03930630", "n03770679"
    assert pickup not in taxonomy["truck"].imagenet
    assert [each.wnid for each in taxonomy if minivan in each.imagenet] == ["automobile"]


def test_before_anything_is_in_a_workspace_its_classes_are_its_makers_choice(
    tmp_path: Path,
) -> None:
    def init(*words: str) -> str:
        done = CliRunner().invoke(cli, ["init", str(tmp_path / "w"), *words])
        return done.stdout if not done.exit_code else str(done.exception)

    (tmp_path / "own.toml").write_text("[classes.dog]\n")
    init()
    assert "100 of imagenet100-cmc (sha256:" in init("--taxonomy", "imagenet100-cmc")
    assert "10 of cifar10" in init("--taxonomy", "cifar10")
    assert "10 of cifar10" in init("--taxonomy", "cifar10")
    assert "1 of own" in (told := init("--taxonomy", str(tmp_path / "own.toml")))
    assert "in place of cifar10" in told
    (tmp_path / "own.toml").write_text("[classes.cat]\n[classes.owl]\n")
    told = init("--taxonomy", str(tmp_path / "own.toml"))
    assert "2 of them new: cat, owl" in told
    assert "no longer there: dog" in told
    (tmp_path / "own.toml").write_text("[classes.cat]\n[classes.owl]\n[classes.dog]\n")
    assert "no longer there" not in init("--taxonomy", str(tmp_path / "own.toml"))
    assert "ImageNet's 1,000" in init("--taxonomy", "imagenet1k")
    assert not (tmp_path / "w" / "taxonomy.toml").exists()
    init("--taxonomy", "cifar10")
    photos = tmp_path / "photos" / "dog"
    photos.mkdir(parents=True)
    Image.new("RGB", (600, 600)).save(photos / "a.jpg")
    owned = ["--owner", "ann", "--license", "CC0"]
    added = ["-w", str(tmp_path / "w"), "add", str(photos.parent), *owned]
    assert not CliRunner().invoke(cli, added).exit_code
    assert "this workspace's taxonomy is cifar10, not imagenet1k" in init(
        "--taxonomy", "imagenet1k"
    )
    assert "this workspace's taxonomy is cifar10, not own" in init(
        "--taxonomy", str(tmp_path / "own.toml")
    )


def test_the_guides_source_and_its_licence_go_with_it() -> None:
    maps = files("wordnet_maps")
    notice = maps.joinpath("LICENSE-ImageNetV2.txt").read_text("utf-8")
    assert "Copyright (c) 2019 Benjamin Recht, Rebecca Roelofs, Ludwig Schmidt" in notice
    document = json.loads(maps.joinpath("guide.json").read_text("utf-8"))
    assert document["notice"] == "LICENSE-ImageNetV2.txt"
    assert document["source"] == "https://github.com/modestyachts/ImageNetV2"
