"""What a release with several right answers holds, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from genset.core.errors import BadInput, GensetError
from genset.db import Photo
from genset.label.decisions import void
from genset.label.review import send_to_review
from genset.label.stats import collect
from genset.release.choose import ReleasePlan
from genset.release.documents import documents
from genset.release.exports.export import export
from genset.release.multilabel.earlier import Earlier
from genset.release.multilabel.facts import recounted
from genset.release.reader import ANSWERS, MANIFEST, Release, content_hash
from genset.release.versions import diff, takedown
from genset.scrape.removal import remove
from tests.labeled_workspace import GOLDFISH, TABBY, TENCH
from tests.questions import BASSINET, LAMPSHADE, ask_about
from tests.release.conftest import Genset, Pool
from tests.release.multilabel.conftest import Asking, photo
from tests.release.test_killed import contents


@pytest.fixture
def answered(asking: Asking) -> Asking:
    """Each photo was asked about two classes; photo 0 has both, photo 1 one of them."""
    asking.ask(BASSINET, LAMPSHADE)
    for wnid in (BASSINET, LAMPSHADE):
        asking.say_of_all(wnid, ann="incorrect")
        asking.say(0, wnid, ann="correct")
    asking.say(1, LAMPSHADE, ann="correct")
    return asking


def test_it_has_the_photos_and_records_of_the_first_which_stays_as_it_was(
    answered: Asking,
) -> None:
    before = contents(answered.v1.root)
    made, same = answered.freeze(), answered.freeze("v3")
    assert made.content_hash == same.content_hash != answered.v1.content_hash
    assert content_hash(made.photos) == made.content_hash
    found = diff(answered.v1, made)
    assert found.changed == {
        photo(made, 0).file: {"labels_correct": [[TENCH], [TENCH, BASSINET, LAMPSHADE]]},
        photo(made, 1).file: {"labels_correct": [[TENCH], [TENCH, LAMPSHADE]]},
    }
    manifest = json.loads((made.root / MANIFEST).read_text("utf-8"))
    again = documents(manifest, made.photos)
    assert again == {name: (made.root / name).read_text("utf-8") for name in made.documents}
    for told in ({}, {"from": 5, "questions": "many"}, {"rule": 3, "needed": {}}):  # a stranger's
        card = documents({**manifest, "multilabel": told}, made.photos)["docs/DATA_CARD.md"]
        assert "## More than one right answer" in card

    answered.pool.label(f"{TENCH}/flickr:0", bob="incorrect", eve="incorrect")
    answered.say(1, LAMPSHADE, ann="incorrect")
    made = answered.freeze("v4")
    made.verify()
    assert contents(answered.v1.root) == before
    for one, other in zip(answered.v1.photos, made.photos, strict=True):
        old, new = one.as_json(), other.as_json()
        assert {name: new[name] for name in old} == old
        assert (made.root / other.file).read_bytes() == (answered.v1.root / one.file).read_bytes()
    assert photo(made, 0).labels_correct == (TENCH, BASSINET, LAMPSHADE)
    assert photo(made, 0).labels == {"correct": 1}  # with which it was chosen
    assert (photo(made, 0).label_votes or {})[TENCH] == {"correct": 1, "incorrect": 2}
    assert made.content_hash != same.content_hash and made.strategy == answered.v1.strategy
    later = diff(same, made)
    assert later.changed[photo(made, 1).file]["labels_correct"] == [[TENCH, LAMPSHADE], [TENCH]]
    assert ("manifest", "multilabel", "photos_with_several", 2, 1) in later.table().rows


def test_photos_that_went_or_are_ruled_wrong_since_are_left_out_and_counted(
    answered: Asking,
) -> None:
    remove(answered.pool.workspace, answered.pool.store, "flickr:100", "its owner asked")
    with answered.pool.store.begin() as session:
        session.query(Photo).filter_by(source_id="200").one().rejected = "too small"
    answered.rule(301, TABBY, "incorrect")
    made = answered.freeze()
    made.verify()
    gone = {each.source_id for each in answered.v1.photos} - {
        each.source_id for each in made.photos
    }
    assert gone == {"100", "200", "301"}
    assert made.excluded == {
        "rejected since": 1,
        "removed since": 1,
        "ruled not correct since": 1,
    }


def test_unanswered_questions_are_counted_and_refused_or_taken_as_unclear(
    answered: Asking,
) -> None:
    answered.needs(2)
    answered.say(0, BASSINET, bob="correct")
    with pytest.raises(GensetError, match=r"15 of 16 questions, about 8 photos, lack votes"):
        answered.freeze()
    assert [each.name for each in answered.pool.workspace.releases.iterdir()] == ["v1"]
    made = answered.freeze(allow_unanswered=True)
    assert photo(made, 0).labels_correct == (TENCH, BASSINET)
    assert photo(made, 0).labels_unclear == (LAMPSHADE,)
    assert "15 questions had not all their votes" in (made.root / "docs/DATA_CARD.md").read_text()


def test_what_was_sent_to_review_lacks_votes_until_it_is_ruled_on(answered: Asking) -> None:
    workspace, store = answered.pool.workspace, answered.pool.store
    task = f"{BASSINET}/flickr:0"
    answered.rule(0, BASSINET, "incorrect")
    assert send_to_review(store, task, workspace.label, by="mia", reason="a doubt") == 2
    with pytest.raises(GensetError, match="1 of 16 questions, about 1 photo, lacks votes"):
        answered.freeze()
    told = collect(store, workspace).proposals
    assert told is not None
    assert (told.questions, told.answered, told.votes_missing) == (16, 15, 1)
    answered.rule(0, BASSINET, "correct")
    assert BASSINET in (photo(answered.freeze(), 0).labels_correct or ())
    told = collect(store, workspace).proposals
    assert told is not None
    assert (told.questions, told.answered, told.votes_missing) == (16, 16, 0)


def test_a_takedown_keeps_the_answers_and_counts_them_again(answered: Asking) -> None:
    answered.needs(2)  # most questions lack votes
    answered.say(0, BASSINET, bob="correct", eve="unsure")
    answered.rule(100, BASSINET, "correct")
    made = answered.freeze(allow_unanswered=True)
    assert recounted(made.multilabel or {}, made.photos) == made.multilabel
    remove(answered.pool.workspace, answered.pool.store, "flickr:100", "its owner asked")
    new = takedown(answered.pool.workspace, answered.pool.store, made).new
    new.verify()
    assert new.photos == tuple(each for each in made.photos if each.source_id != "100")
    # Without this photo the same questions give the same numbers.
    same = answered.freeze("v3", allow_unanswered=True)
    assert new.photos == same.photos
    assert new.multilabel == same.multilabel != made.multilabel
    assert (new.multilabel or {})["photos_with_questions"] == 7
    assert "14 questions about 7 photos, 16 votes" in (new.root / "docs/DATA_CARD.md").read_text()
    assert diff(made, new).removed == [photo(made, 100).file]


def test_a_void_names_the_release_that_holds_the_answers(answered: Asking) -> None:
    answered.say(101, BASSINET, eve="correct")
    with pytest.raises(BadInput, match=r"v2 has several right answers .* --from v1"):
        Earlier.read(answered.freeze())
    done = void(answered.pool.store, answered.pool.workspace, "eve", by="mia", reason="a machine")
    assert done.releases == ("v2",)


def test_a_strangers_lists_are_checked(answered: Asking, tmp_path: Path) -> None:
    text = (answered.freeze().root / MANIFEST).read_text("utf-8")
    for change, complaint in (
        ({"labels_correct": [BASSINET]}, "own class must come first"),
        ({"labels_wrong": [TENCH]}, "own class must come first"),
        ({"labels_wrong": ["../x"]}, "votes on other classes"),
        (
            {name: [] if name.startswith("labels") else {} for name in ANSWERS}
            | {"labels_correct": [TENCH, "../x"], "label_votes": {TENCH: {}, "../x": {}}},
            "none of its classes",
        ),
        ({"labels_unclear": 5}, "labels_unclear must be a list"),
        ({"label_votes": {}}, "votes on other classes"),
        ({"label_votes": None}, "not all of"),
        ({"label_votes": {TENCH: {"correct": 0}}}, "must be a whole number of more than 0"),
        ({"label_rulings": {GOLDFISH: "correct"}}, "votes on other classes"),
    ):
        manifest = json.loads(text)
        own = next(each for each in manifest["photos"] if each["wnid"] == TENCH)
        own.update(change)
        (tmp_path / MANIFEST).write_text(json.dumps(manifest), "utf-8")
        with pytest.raises(BadInput, match=complaint):
            Release(tmp_path)


def test_of_a_part_the_answers_are_counted_again(
    pool: Pool, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with pool.store.begin() as session:
        session.query(Photo).filter_by(source_id="0").one().license = "All Rights Reserved"
    asking: Asking = request.getfixturevalue("asking")
    asking.ask(BASSINET)
    asking.say_of_all(BASSINET, ann="incorrect")
    asking.say(0, BASSINET, ann="correct")
    asking.say(1, BASSINET, ann="correct")
    whole = asking.freeze()
    export(whole, "imagefolder", tmp_path / "out")
    part = Release(tmp_path / "out")
    part.verify()
    assert (len(whole), len(part), part.name) == (8, 7, "v2-unrestricted")
    told = json.loads((part.root / MANIFEST).read_text("utf-8"))["multilabel"]
    assert (told["photos_with_several"], told["questions"]) == (1, 7)
    assert part.photos == tuple(photo for photo in whole.photos if photo.source_id != "0")


# The command


def test_the_command_makes_it(answered: Asking, genset: Genset) -> None:
    words = ("release", "create", "v2", "--from", "v1", "--multilabel")
    text = genset(*words, "--dry-run")
    assert "several right answers: 2 photos, of which 0 were left out of v1" in text
    assert "16 in 8 photos, 16 votes; 0 lack votes" in text
    seen = json.loads(genset(*words, "--dry-run", "--json"))
    assert (seen["photos"], seen["multilabel"]["photos_with_several"]) == (8, 2)
    assert not (answered.pool.workspace.releases / "v2").exists()
    made = json.loads(genset(*words, "--json"))
    assert made["multilabel"]["questions"] == 16
    assert "8 photos are what the manifest says" in genset("release", "verify", "v2")
    assert "labels_correct" in genset("release", "diff", "v1", "v2")
    assert genset("release", "create", "v2", *words[3:]).startswith("2: release v2 exists")


def test_bad_words_are_refused_in_one_line(asking: Asking, genset: Genset) -> None:
    from_v1 = ("--from", "v1", "--multilabel")
    for words, complaint in (
        (("--from", "v1"), "2: --from goes with --multilabel"),
        (("--multilabel",), "2: --multilabel needs a release whose photos it has: --from v1"),
        (("--allow-unanswered",), "2: --allow-unanswered goes with --multilabel"),
        ((*from_v1, "--seed", 3), "2: --seed does not go with --from"),
        ((*from_v1, "--licenses", "open"), "2: --licenses does not go with --from"),
        (("--from", "v9", "--multilabel"), "2: "),
        (from_v1, "1: nobody was asked which further classes are in v1's photos"),
    ):
        said = genset("release", "create", "v2", *words)
        assert said.startswith(complaint) and "\n" not in said.strip()
    assert [each.name for each in asking.pool.workspace.releases.iterdir()] == ["v1"]


def test_the_first_releases_plan_is_read_back(
    pool: Pool, asking_of: Callable[[ReleasePlan], Asking]
) -> None:
    from genset.licenses import choose_licenses
    from genset.release.strategies import Threshold

    pool.label_all_correct()
    plan = ReleasePlan(
        Threshold(per_class=1, threshold=0.5, relax=True),
        seed=4,
        licenses=choose_licenses("CC BY 2.0,CC0"),
        sources=("flickr",),
        max_per_owner=3,
        deduplicate=True,
    )
    release = asking_of(plan).v1
    assert Earlier.read(release).again((), None) == plan
    # A later version of genset may name a rule that is not known here.
    path = release.root / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    assert manifest["strategy"]["rule"] == 1
    manifest["strategy"]["rule"] = 3
    path.chmod(0o644)
    path.write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(BadInput, match="drawn by rule 3; this genset knows rule 1"):
        Earlier.read(Release(release.root))


@pytest.mark.soak
def test_a_release_that_aggregated_labels_chose_is_made_again_by_them(
    pool: Pool, genset: Genset
) -> None:
    pool.label_all_correct()
    genset("release", "create", "v1", "--labels", "dawid-skene", "--min-confidence", 0.5)
    ask_about(pool.store, {f"{GOLDFISH}/flickr:100": (BASSINET,)})
    pool.label(f"{BASSINET}/flickr:100", ann="correct")
    genset("release", "create", "v2", "--from", "v1", "--multilabel")
    made = Release(pool.workspace.releases / "v2")
    assert photo(made, 100).labels_correct == (GOLDFISH, BASSINET)
    assert made.strategy["labels"] == {"method": "dawid-skene"}
