"""A release followed through: exported in all forms, photos taken away, pulled, scored."""

import json
import tarfile
from collections.abc import Set
from pathlib import Path

from click.testing import CliRunner
from pyarrow import parquet

from genset.cli import cli
from genset.release.exports import FORMATS
from genset.release.exports.export import export
from genset.release.reader import Release, content_hash
from genset.scrape.pull import pull
from genset.sets.open import open_set
from tests.scrape.pools import Pool, Serve, image_class
from tests.scrape.test_pull import Maker, files

OWN_FOLDERS = ("imagefolder", "mixed", "manifest")  # which genset pull completes


def take_away(folder: Path, gone: Set[str]) -> None:
    """Take photos, named by their hashes, out of an export, in whichever files it has them."""
    for path in [*folder.rglob("*.jpg"), *folder.rglob("*.parquet"), *folder.rglob("*.tar")]:
        if path.suffix == ".parquet":
            rows = parquet.read_table(path)
            keep = [sha256 not in gone for sha256 in rows["sha256"].to_pylist()]
            path.unlink()
            parquet.write_table(rows.filter(keep), path)
        elif path.suffix == ".tar":
            whole = path.rename(path.with_suffix(".whole"))
            with tarfile.open(whole) as before, tarfile.open(path, "w") as after:
                for member in before:
                    if member.name.partition("_")[2].partition(".")[0] not in gone:
                        after.addfile(member, before.extractfile(member))
            whole.unlink()
        elif path.stem.rpartition("_")[2] in gone:
            path.unlink()


def genset(pool: Pool, *words: object) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["-w", str(pool.workspace.root), *map(str, words)])
    return getattr(done.exception, "exit_code", done.exit_code), done.stdout


def test_hashes_and_counts_are_the_same_in_all_forms(
    serve: Serve, pool: Pool, tmp_path: Path
) -> None:
    maker = Maker(serve, pool, photos=20, cls=image_class("n02123045", "cat"))
    release, numbers = maker.release, (1, 2, 3)
    lost = [maker.photo(number) for number in numbers]
    gone = {photo.sha256 for photo in lost}
    rest = [photo for photo in release.photos if photo.sha256 not in gone]
    part = "17 of 20 photos of v1", content_hash(rest)
    table = tmp_path / "model.csv"
    rows = [f"{p.file},{p.wnid if n % 4 else 'n01440764'}" for n, p in enumerate(release.photos)]
    table.write_text("\n".join(["image,top1", *rows]) + "\n")
    served = [maker.served(number) for number in numbers]
    for path in served:
        path.rename(path.with_suffix(".away"))
    for kind in FORMATS:
        folder = tmp_path / kind
        assert export(release, kind, folder).content_hash == release.content_hash
        take_away(folder, gone)
        if kind == "manifest":
            assert genset(pool, "release", "verify", folder) == (3, "")  # not pulled yet
        if kind in OWN_FOLDERS:
            summary = pull(folder, lambda name: maker.sandbox.source)
            assert (summary.title, summary.content_hash) == part
            assert (len(summary.gone), summary.missing) == (3, 3)
        code, text = genset(pool, "release", "verify", folder, "--json")
        told = json.loads(text)
        assert (code, told["title"], told["content_hash"]) == (3, *part)
        assert sorted(told["missing"]) == sorted(photo.file for photo in lost)
        opened = open_set(str(folder))
        assert opened.name == f"{part[0]} ({part[1].removeprefix('sha256:')[:8]})"
        assert (opened.content_hash, opened.whole) == (part[1], release.content_hash)
        assert [photo.id for photo in opened.photos] == [photo.file for photo in rest]
    code, text = genset(pool, "evaluate", tmp_path / "manifest", "--model", f"predictions:{table}")
    assert code == 0 and f"scored on {part[0]}" in text
    for kind in sorted(set(FORMATS) - {"manifest"}):
        done = export(Release(tmp_path / "manifest"), kind, tmp_path / "again" / kind)
        assert (done.photos, done.content_hash) == (17, part[1])
        assert open_set(str(tmp_path / "again" / kind)).content_hash == part[1]
    for path in served:
        path.with_suffix(".away").rename(path)
    for kind in OWN_FOLDERS:
        assert pull(tmp_path / kind, lambda name: maker.sandbox.source).missing == 0
        assert files(tmp_path / kind) == files(release.root)
