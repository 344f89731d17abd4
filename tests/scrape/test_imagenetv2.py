"""The files of the ImageNetV2 project: what becomes of them, and what is rejected."""

import hashlib
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from genset.core.errors import BadInput
from genset.db import Candidate, Ruling, Verdict
from genset.label.review import rule
from genset.scrape.imagenetv2 import ImportSummary, take_in
from genset.scrape.search import first_question
from tests.labeled_workspace import GOLDFISH, TENCH
from tests.scrape.commands import genset
from tests.scrape.pools import Pool, Serve, image_class, record

Record = dict[str, Any]


def id_of(number: int) -> str:
    """The id that ImageNetV2 gives to a photo of Flickr."""
    return hashlib.sha1(f"{number}flickr".encode()).hexdigest()


def found(number: int, wnid: str = TENCH, keyword: str = "tench", **changes: Any) -> Record:
    """A record of a search, with the fields that real ones have."""
    return {
        "id_ours": id_of(number),
        "id_search_engine": str(number),
        "url": f"https://farm9.staticflickr.com/8158/{number}_7f01ba86fd_o.jpg",
        "url_type": "url_o",
        "wnid": wnid,
        "search_key": keyword,
        "search_engine": "flickr",
        "uploader": "becca",
        "date_upload_our_db": "2018-11-30 11:41:19",
        "date_taken": "2012-07-12 03:04:49",
        "date_upload_search_engine": "2014-07-12 13:27:33",
        "width": None,
        "height": "2736",
        "search_sort": "date-posted-asc",
        "max_images": 200,
    } | changes


class Checkout:
    """A checkout of that project: of its files only those that a test writes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, name: str, content: Any) -> Path:
        path = self.root / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    def searches(self, *records: Any, name: str = "2018-11-30_becca") -> Path:
        return self.put(f"search_results/{name}.json", list(records))

    def dataset(self, *chosen: tuple[int, str]) -> Path:
        pairs = [[id_of(number), wnid] for number, wnid in chosen]
        facts = {"sampling_function": "sample_wnid_histogram", "seed": 7, "image_filenames": pairs}
        return self.put("datasets/imagenetv2-b-0.json", facts)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Four photos of two classes, of which one search found 2 for both."""
    made = Checkout(tmp_path / "ImageNetV2")
    made.searches(found(1), found(2), found(3), found(4, keyword="Tinca tinca"))
    made.searches(found(2, GOLDFISH, "goldfish"), found(3), name="2018-12-01_becca")
    return made


def take(pool: Pool, checkout: Checkout, dataset: str | None = None) -> ImportSummary:
    return take_in(pool.workspace, pool.store, checkout.root, dataset)


def candidates(pool: Pool) -> list[tuple[str, str, str, int]]:
    with pool.store.session() as session:
        rows = session.scalars(select(Candidate))
        return sorted((c.wnid, c.photo.source_id, c.keyword, c.rank) for c in rows)


def test_search_results_become_candidates_with_their_best_rank(
    pool: Pool, checkout: Checkout
) -> None:
    checkout.searches(found(5, date_upload_search_engine="2013-12-31 23:59:59"), name="early")
    assert take(pool, checkout) == ImportSummary(
        photos=5, candidates=6, already=0, selected=0, excluded=0, early=1
    )
    assert candidates(pool)[:5] == [
        (TENCH, "1", "tench", 1),
        (TENCH, "2", "tench", 2),
        (TENCH, "3", "tench", 1),
        (TENCH, "4", "Tinca tinca", 1),
        (TENCH, "5", "tench", 1),
    ]
    with pool.store.session() as session:
        photo = session.scalars(select(Candidate).where(Candidate.wnid == GOLDFISH)).one().photo
        assert (photo.source, photo.owner, photo.title) == ("flickr", "", "")
        assert photo.license == "All Rights Reserved"  # the strictest: nobody said
        assert photo.image_url == "https://farm9.staticflickr.com/8158/2_7f01ba86fd_o.jpg"
        assert photo.page_url == "https://www.flickr.com/photo.gne?id=2"
        assert photo.posted_at.isoformat() == "2014-07-12T13:27:33+00:00"
        assert (photo.taken_at, photo.sha256) == ("2012-07-12 03:04:49", None)


def test_what_they_took_out_is_left_out_unless_it_was_chosen(
    pool: Pool, checkout: Checkout
) -> None:
    checkout.put("metadata/candidate_blacklist.json", {id_of(1): "invalid image", id_of(9): "?"})
    assert take(pool, checkout).excluded == 1
    assert (TENCH, "1", "tench", 1) not in candidates(pool)
    checkout.dataset((1, TENCH))
    done = take(pool, checkout, "imagenetv2-b-0")
    assert (done.candidates, done.selected, done.excluded) == (1, 1, 0)
    assert (TENCH, "1", "tench", 1) in candidates(pool)
    checkout.put("metadata/candidate_blacklist.json", [])
    with pytest.raises(BadInput, match=r"candidate_blacklist\.json must be a table"):
        take(pool, checkout)


def test_a_second_import_adds_nothing_and_a_later_ruling_stays(
    pool: Pool, checkout: Checkout
) -> None:
    checkout.dataset((1, TENCH), (2, GOLDFISH))
    take(pool, checkout, "imagenetv2-b-0")
    take(pool, checkout)
    before = pool.rows()
    assert take(pool, checkout) == ImportSummary(0, 0, 5, 0, 0, 0)
    assert take(pool, checkout, "imagenetv2-b-0") == ImportSummary(0, 0, 2, 0, 0, 0)
    assert pool.rows() == before
    task = f"{TENCH}/flickr:1"
    rule(pool.store, task, Verdict.INCORRECT, "ann", "a carp")
    take(pool, checkout, "imagenetv2-b-0")
    with pool.store.session() as session:
        ruled = [
            (each.verdict, each.by)
            for each in session.scalars(select(Ruling).order_by(Ruling.number))
            if each.candidate.task == task
        ]
    assert ruled == [(Verdict.CORRECT, "imagenetv2-b-0"), (Verdict.INCORRECT, "ann")]


without_wnid = {name: value for name, value in found(7).items() if name != "wnid"}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[{", "z.json: not valid JSON"),
        ("[" * 100_000, "z.json: lists or objects within each other"),
        ([found(7), 8], r"z.json: \[1\] must be a table of keys and values, not 8"),
        ([without_wnid], r"z.json: \[0\].wnid is missing"),
        ([found(7, "n00000001")], r"z.json: \[0\]: wnid is no class of ImageNet: 'n00000001'"),
        ([found(7, id_search_engine="x/y")], 'must be a photo\'s number, not "x/y"'),
        ([found(7, search_engine="bing")], 'must be "flickr", not "bing"'),
        ([found(7, date_upload_search_engine="May")], 'must be a time.*, not "May"'),
    ],
)
def test_a_malformed_file_is_named_and_nothing_is_stored(
    pool: Pool, checkout: Checkout, content: Any, told: str
) -> None:
    checkout.put("search_results/z.json", content)
    before = pool.rows()
    with pytest.raises(BadInput, match=told) as raised:
        take(pool, checkout)
    assert "\n" not in str(raised.value)
    assert pool.rows() == before


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"image_filenames": 3}, "b-0.json: image_filenames must be a list"),
        ({"image_filenames": [[id_of(1), TENCH], [id_of(2)]]}, r"image_filenames\[1\] must be"),
        ({"image_filenames": [["val_1.JPEG", TENCH]]}, r"\[0\]: no search result is 'val_1.JPEG'"),
        ({"image_filenames": [[id_of(1), GOLDFISH]]}, f"of '{GOLDFISH}'"),
        (None, r"/datasets/imagenetv2-b-0\.json cannot be read: No such file"),
    ],
)
def test_a_malformed_selection_is_named_and_nothing_is_stored(
    pool: Pool, checkout: Checkout, content: Any, told: str
) -> None:
    if content:
        checkout.put("datasets/imagenetv2-b-0.json", content)
    before = pool.rows()
    with pytest.raises(BadInput, match=told):
        take(pool, checkout, "imagenetv2-b-0")
    assert pool.rows() == before
    with pytest.raises(BadInput, match="name a checkout of ImageNetV2"):
        take_in(pool.workspace, pool.store, pool.workspace.images)


def test_a_scrape_without_search_takes_what_there_is_by_rank(
    pool: Pool, checkout: Checkout, serve: Serve
) -> None:
    sandbox = serve(*(record(number) for number in range(11, 15)))
    page = sandbox.source.search(first_question("cat", pool.plan), 0)
    records = [found(int(each.source_id), url=each.image_url) for each in page.photos]
    checkout.searches(*records)
    checkout.dataset((12, TENCH), (14, TENCH))
    words = ("import", "imagenetv2", str(checkout.root), "--dataset", "imagenetv2-b-0")
    assert "2 ruled correct" in genset(*words, cwd=pool.workspace.root)
    take(pool, checkout)
    tench = image_class(TENCH, "tench")
    done = pool.scrape(sandbox.source, tench, per_class=3, search=False)
    assert (done.full, done.stored, done.searches) == (1, 3, 0)
    assert pool.held(tench) == [each["id_search_engine"] for each in records[:3]]
    done = pool.scrape(sandbox.source, tench, per_class=9, search=False)
    assert (done.short, done.searches) == ({TENCH: 4}, 0)


@pytest.mark.realdata
def test_real_records(pool: Pool, tmp_path: Path, realdata: Path) -> None:
    lines = (realdata / "flickr" / "records.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    checkout = Checkout(tmp_path / "real")
    for each in records:
        each |= {"id_ours": id_of(each["id_search_engine"]), "search_engine": "flickr"}
    checkout.searches(*records)
    keywords = defaultdict(set)
    for each in records:
        keywords[each["wnid"], each["id_search_engine"]].add(each["search_key"])
    done = take(pool, checkout)
    assert done.candidates == len(keywords) > 6000
    assert done.photos == len({photo for _, photo in keywords})
    assert 0 < done.early < done.candidates
    for wnid, photo, keyword, rank in candidates(pool):
        assert keyword in keywords[wnid, photo]
        assert rank >= 1
