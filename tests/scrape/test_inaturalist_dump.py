"""iNaturalist's open data: what is drawn of its four tables, and what a bad row costs."""

import gzip
import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from sqlalchemy import select

from genset.classes import imagenet1k
from genset.core.errors import BadInput
from genset.db import Candidate, Photo, Search
from genset.licenses import choose_licenses
from genset.sandbox.inaturalist import OBSERVATIONS
from genset.scrape.inaturalist_dump import ImportSummary, take_in
from genset.sources.inaturalist import INaturalist
from tests.labeled_workspace import GOLDFISH, TENCH
from tests.scrape.commands import genset
from tests.scrape.pools import NewPool, Pool
from tests.scrape.several import Start, rows_of

COLUMNS = {
    "taxa": "taxon_id ancestry rank_level rank name active",
    "observations": "observation_uuid observer_id latitude longitude positional_accuracy taxon_id "
    "quality_grade observed_on anomaly_score",
    "photos": "photo_uuid photo_id observation_uuid observer_id extension license width height "
    "position",
    "observers": "observer_id login name",
}
TAXA = """\
48460\t\t100\tstateofmatter\tLife\ttrue
49\t48460\t20\tgenus\tTinca\ttrue
50\t48460/49\t10\tspecies\tTinca tinca\ttrue
51\t48460/49/50\t5\tsubspecies\tTinca tinca minor\tfalse
60\t48460\t10\tspecies\tCarassius auratus\ttrue
70\t48460\t10\tspecies\tTinca "tinca"\ttrue"""


def uuid_of(number: int) -> UUID:
    return UUID(int=OBSERVATIONS + number)


class Tables:
    """The four tables, with 300 observations of tenches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: dict[str, list[str]] = {name: [] for name in COLUMNS}
        self.rows["taxa"] = TAXA.splitlines()
        for number in range(1, 301):
            licenses = ["CC-BY-NC", "CC0" if number % 10 else "CC-BY"] if number % 3 else ["CC-BY"]
            self.add(number, "50" if number % 5 else "51", licenses=licenses)

    def add(
        self,
        number: int,
        taxon: str = "50",
        grade: str = "research",
        day: str = "2020-08-27",
        licenses: list[str] | None = None,
    ) -> None:
        """An observation with its photos, the first of which stands last."""
        uuid = uuid_of(number)
        self.rows["observations"].append(f"{uuid}\t{number}\t1\t2\t\t{taxon}\t{grade}\t{day}\t")
        for place, code in reversed([*enumerate(licenses or ["CC-BY-NC"])]):
            photo = f"{number + 1000 * place}\t{uuid}\t{number}\tjpg\t{code}\t640\t480\t{place}"
            self.rows["photos"].append(f"{UUID(int=number)}\t{photo}")
        self.rows["observers"].append(f"{number}\tuser{number}\t")

    def write(self) -> Path:
        self.folder.mkdir(exist_ok=True)
        for name, columns in COLUMNS.items():
            text = "\n".join(["\t".join(columns.split()), *self.rows[name], ""])
            (self.folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
        return self.folder


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return Tables(tmp_path / "open data")


def take(
    pool: Pool, tables: Tables | Path, count: int = 50, seed: int = 0, **changes: Any
) -> ImportSummary:
    classes = tuple(imagenet1k()[wnid] for wnid in (TENCH, GOLDFISH))
    plan = replace(pool.plan, classes=classes, source=INaturalist, **changes)
    folder = tables.write() if isinstance(tables, Tables) else tables
    return take_in(pool.store, plan, folder, count, seed)


def drawn(pool: Pool, wnid: str = TENCH) -> list[Photo]:
    """The photos of a class, by rank."""
    with pool.store.session() as session:
        found = session.scalars(select(Candidate).where(Candidate.wnid == wnid))
        return [candidate.photo for candidate in sorted(found, key=lambda one: one.rank)]


def ids(pool: Pool) -> list[str]:
    return [photo.source_id for photo in drawn(pool)]


def test_every_observation_has_the_same_chance_and_its_first_photo_stands_for_it(
    pool: Pool, tables: Tables
) -> None:
    assert take(pool, tables, 150).drawn == 150
    numbers = [int(photo.owner) for photo in drawn(pool)]
    assert ids(pool) == [f"{uuid_of(number)}-{number}" for number in dict.fromkeys(numbers)]
    # Half of each: of the first rows, of those with several photos, of the subspecies.
    assert 60 <= sum(number <= 150 for number in numbers) <= 90
    assert 80 <= sum(number % 3 > 0 for number in numbers) <= 120
    assert 20 <= sum(number % 5 == 0 for number in numbers) <= 40
    one = drawn(pool)[0]
    assert one.page_url.endswith(f"/observations/{uuid_of(numbers[0])}")
    assert one.image_url.endswith(f".s3.amazonaws.com/photos/{one.owner}/large.jpg")
    assert (one.owner_name, one.taken_at) == (f"user{one.owner}", "2020-08-27")
    assert one.posted_at.isoformat() == "2020-08-27T00:00:00+00:00"
    with pool.store.session() as session:
        search = session.scalars(select(Search).where(Search.wnid == TENCH)).one()
    assert (search.total, search.returned, search.query) == (300, 150, "Tinca tinca")
    assert search.bookmark == "open data, drawn until 2020-08-27 with seed 0"


def test_what_a_scrape_would_not_take_is_not_drawn(pool: Pool, tables: Tables) -> None:
    tables.add(500, "60", grade="needs_id")
    for number, day in enumerate(("2013-12-31", "2999-01-01", ""), start=501):
        tables.add(number, "60", day=day)
    tables.add(504, "49")  # of the genus: it may be another fish
    tables.add(505, "60", licenses=["PD", "CC-BY"])
    done = take(pool, tables)
    assert [photo.source_id[37:] for photo in drawn(pool, GOLDFISH)] == ["1505"]
    assert (done.short, done.unread) == ({GOLDFISH: "only 1 photo found"}, {})


def test_a_draw_depends_on_its_seed_and_on_no_order_of_rows(
    new_pool: NewPool, tables: Tables
) -> None:
    first, shuffled, other = new_pool(), new_pool(), new_pool()
    take(first, tables, seed=7)
    take(other, tables, seed=8)
    for rows in tables.rows.values():
        Random(1).shuffle(rows)
    take(shuffled, tables, seed=7)
    assert ids(first) == ids(shuffled)
    assert 0 < len({*ids(first)} & {*ids(other)}) < 25


def test_a_later_dump_adds_to_a_draw_and_no_rank_changes(pool: Pool, tables: Tables) -> None:
    take(pool, tables)
    before = ids(pool)
    for number in range(301, 601):
        tables.add(number, day="2021-05-05")
    take(pool, tables)
    assert 60 < len(ids(pool)) < 90  # half of the new draw is new
    assert [id for id in ids(pool) if id in before] == before


def test_observations_are_drawn_until_enough_have_a_photo_under_the_licence(
    pool: Pool, tables: Tables
) -> None:
    licenses = choose_licenses("CC BY")
    done = take(pool, tables, 200, licenses=licenses)
    assert {photo.license for photo in drawn(pool)} == {"CC BY 4.0"}
    assert done.short == {TENCH: "only 120 photos found", GOLDFISH: "only 0 photos found"}


def test_a_bad_row_costs_itself(new_pool: NewPool, tables: Tables) -> None:
    whole, disturbed = new_pool(), new_pool()
    take(whole, tables, 300)
    for name, *bad in (
        ("taxa", "nothing", "\t\t\t\tTinca tinca\ttrue\t"),
        ("observations", "x" * 200_000, "../..\t1\t\t\t\t50\tresearch\t2020-08-27\t", "\0" * 9),
        ("observations", f"{uuid_of(7)}\t1\t\t\t\t50\tresearch\t2020-99-99\t"),
        ("photos", f"\t-5\t{uuid_of(1)}\t1\tjpg\tCC0\t1\t1\t0"),
        ("photos", f"\t5\t{uuid_of(1)}\t1\t../x\tCC0\t1\t1\t0"),
        ("observers", "\t\t\t"),
    ):
        tables.rows[name][5:5] = bad
    done = take(disturbed, tables, 300)
    assert ids(disturbed) == ids(whole)
    assert done.unread == {"taxa": 2, "observations": 2, "observers": 1}


def test_names_that_several_taxa_have(pool: Pool, tables: Tables) -> None:
    rows = tables.rows["taxa"]
    rows.append("80\t48460/49/50\t7\tsection\tTinca tinca\ttrue")  # in the other
    assert TENCH not in take(pool, tables).short
    rows.append("81\t48460\t20\tgenus\tTinca tinca\ttrue")
    tables.rows["taxa"] = [row for row in rows if "Carassius" not in row]
    assert take(pool, tables, 60).short == {
        TENCH: "several taxa are called Tinca tinca",
        GOLDFISH: "no taxon is called Carassius auratus",
    }


def test_damaged_tables_store_nothing(pool: Pool, tables: Tables) -> None:
    path = tables.write() / "observers.csv.gz"
    content = path.read_bytes()
    for damage, message in (
        (content[:-30], "is damaged, download it again"),
        (
            gzip.compress(b"observer_id,login,name\n"),
            "is damaged, download it again: .*Column 'observer_id'",
        ),
        (b"", "observers.csv.gz is missing"),
    ):
        path.write_bytes(damage) if damage else path.unlink()
        with pytest.raises(BadInput, match=message):
            take(pool, tables.folder)
    assert not drawn(pool)
    path.with_suffix("").write_bytes(gzip.decompress(content))  # as the archive has it
    assert take(pool, tables.folder).drawn == 50


def test_tables_are_not_held_in_memory(pool: Pool, tables: Tables) -> None:
    take(pool, tables)  # and load what is loaded late
    noise = f"{uuid_of(1)}\t1\t1\t2\t\t99\tresearch\t2020-08-27\t\n".encode() * 500_000
    with (tables.write() / "observations.csv.gz").open("ab") as file:
        file.write(gzip.compress(noise, 1))  # a file may have several parts
    before, memory = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(memory)
    tracemalloc.start()
    assert take(pool, tables.folder).drawn == 50
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    pa.set_memory_pool(before)
    assert 0 < memory.max_memory() < len(noise) / 3
    assert used < len(noise) / 3


def test_commands_draw_download_and_refresh(start: Start, pool: Pool, tables: Tables) -> None:
    start("inaturalist", rows_of(3000))
    tables.rows |= {"observations": [], "photos": [], "observers": []}
    for number in range(3000, 3008):
        tables.add(number, licenses=["CC-BY"])
    pool.store.close()

    def run(*words: str) -> str:
        return genset(*words, cwd=pool.workspace.root, more={"GENSET_CONTACT": "me@example.org"})

    printed = run("import", "inaturalist", str(tables.write()), "--classes", TENCH)
    assert f"8 photos drawn\n{TENCH}: only 8 photos found" in printed
    scrape = ("scrape", "--source", "inaturalist", "--no-search", "--classes", TENCH)
    assert "5 stored" in run(*scrape)
    assert json.loads(run("refresh", "--json"))["changes"] == []
    run(*(word for word in scrape if word != "--no-search"), "--per-class", "8")
    assert len(pool.rows()["photo"]) == len(pool.rows()["candidate"]) == 8  # no photo twice
