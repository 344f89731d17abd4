"""The lists of a photo are what its votes give."""

import json
import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from genset import open_set
from genset.db import LabelerAct, LabelerEvent, ProposedBy, Verdict
from genset.release.multilabel.answers import ClassVotes
from genset.release.multilabel.facts import recounted
from genset.release.reader import MANIFEST
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, add_candidate
from tests.questions import BASSINET, CROQUET, LAMPSHADE, ask_about
from tests.release.multilabel.conftest import FURTHER, Asking, photo

VERDICTS = tuple(Verdict)


def expected(votes: list[str], ruling: str | None, needed: int) -> str:
    """The rule as the manifest has it, written down a second time."""
    if ruling:
        return {"correct": "correct", "unsure": "unclear"}.get(ruling, "wrong")
    margin = votes.count("correct") - votes.count("incorrect") - votes.count("broken")
    if len(votes) < needed or margin == 0:
        return "unclear"
    return "correct" if margin > 0 else "wrong"


@given(
    st.lists(st.sampled_from(VERDICTS), max_size=7),
    st.sampled_from([None, None, *VERDICTS]),
    st.integers(1, 5),
)
def test_a_class_is_right_unclear_or_wrong_as_the_rule_says(
    votes: list[Verdict], ruling: Verdict | None, needed: int
) -> None:
    asked = ClassVotes("n1", Counter(votes), ruling)
    assert asked.answer(needed) == expected([*map(str, votes)], ruling and str(ruling), needed)


def test_the_lists_are_what_random_votes_give(asking: Asking) -> None:
    """Labelers change their minds, one's votes are void, and a reviewer rules now and then."""
    draw = random.Random(1)
    asking.needs(3)
    asking.ask(*FURTHER)
    said: dict[tuple[int, str], dict[str, str]] = {}
    rulings: dict[tuple[int, str], str] = {}
    for _ in range(200):
        number = int(draw.choice(asking.v1.photos).source_id)
        wnid, worker = draw.choice(FURTHER), draw.choice("abcde")
        verdict = draw.choice(("correct", "correct", "incorrect", "unsure", "broken"))
        asking.say(number, wnid, **{worker: verdict})
        if worker != "e":
            said.setdefault((number, wnid), {})[worker] = verdict
    for number, wnid in draw.sample(sorted(said), 3):
        rulings[number, wnid] = draw.choice(("correct", "incorrect", "unsure"))
        asking.rule(number, wnid, "correct")
        asking.rule(number, wnid, rulings[number, wnid])
    with asking.pool.store.begin() as session:
        session.add(LabelerEvent(worker="e", what=LabelerAct.VOID, by="mia", reason="a machine"))
    made = asking.freeze(allow_unanswered=True)
    for each in made.photos:
        lists: dict[str, list[str]] = {"correct": [], "unclear": [], "wrong": []}
        for wnid in sorted(FURTHER):
            key = int(each.source_id), wnid
            votes = [*said.get(key, {}).values()]
            lists[expected(votes, rulings.get(key), 3)].append(wnid)
            assert each.label_votes is not None and each.label_rulings is not None
            assert each.label_votes[wnid] == dict(Counter(votes))
            assert each.label_rulings.get(wnid) == rulings.get(key)
        assert each.labels_correct == (each.wnid, *lists["correct"])
        assert (each.labels_unclear, each.labels_wrong) == (
            tuple(lists["unclear"]),
            tuple(lists["wrong"]),
        )
    made.verify()


def test_verdicts_that_were_given_for_another_class_count_as_answers(asking: Asking) -> None:
    """A second search found the photo, and its labelers said what they saw, before any question."""
    asking.pool.label(asking.pool.also_found_for(GOLDFISH, 0), ann="incorrect")
    asking.pool.also_found_for(CRANE, 0)  # of which nobody said anything
    bytes_ = asking.pool.original(0).read_bytes()
    place = asking.pool.workspace, asking.pool.store
    asking.pool.label(add_candidate(*place, TABBY, 99, content=bytes_, keyword=""), ann="incorrect")
    asking.ask(BASSINET)
    asking.say_of_all(BASSINET, ann="incorrect")
    # Votes on the same bytes count together, and a labeler once.
    twin = add_candidate(*place, BASSINET, 999, content=bytes_)
    asking.pool.label(twin, ann="correct", bob="correct")
    made = asking.freeze()
    found = photo(made, 0)
    assert found.labels_correct == (TENCH, BASSINET)
    assert (found.labels_unclear, found.labels_wrong) == ((), (GOLDFISH, TABBY))
    assert found.label_votes is not None and found.label_proposers is not None
    assert found.label_votes[GOLDFISH] == {"incorrect": 1}
    assert found.label_votes[BASSINET] == {"correct": 2}
    proposers = {GOLDFISH: ["search"], TABBY: ["added"]}
    assert proposers.items() <= found.label_proposers.items()
    assert made.multilabel is not None
    again = recounted(made.multilabel, made.photos)
    assert again == {**made.multilabel, "agreement": again["agreement"]}


def test_the_manifest_says_how_it_was_asked_and_decided(asking: Asking) -> None:
    asking.ask(BASSINET, LAMPSHADE)
    ask_about(asking.pool.store, {f"{TENCH}/flickr:1": (CROQUET,)}, seed=7)
    asking.say_of_all(BASSINET, ann="correct", bob="incorrect")
    asking.say_of_all(LAMPSHADE, ann="incorrect")
    asking.say(0, LAMPSHADE, ann="correct")
    asking.say(1, CROQUET, bob="correct")
    with asking.pool.store.begin() as session:
        for each in session.query(ProposedBy):
            each.run = "second" if each.candidate_id % 3 else "first"
    made = asking.freeze()
    told = json.loads((made.root / MANIFEST).read_text("utf-8"))
    assert told["format"] == "genset release 1"
    facts = told["multilabel"]
    assert facts == made.multilabel
    assert facts["from"] == {"name": "v1", "content_hash": asking.v1.content_hash}
    assert "A photo's own class is a right answer." in facts["rule"]
    counts = {"needed": 1, "questions": 17, "votes": 25, "unanswered": 0, "entered": 0}
    counts |= {"photos_with_several": 2, "photos_with_questions": 8}
    assert {name: facts[name] for name in counts} == counts
    assert [(made["seed"], made["most"]) for made in facts["rounds"]] == [(0, 8), (7, 8)]
    assert facts["proposers"] == {"timm:resnet50": ["first", "second"]}
    truth = open_set(made.root).truth
    assert truth is not None and truth.proposers == {"timm:resnet50": ("first", "second")}
    by_model = {wnid: ["timm:resnet50"] for wnid in (BASSINET, LAMPSHADE, CROQUET)}
    assert photo(made, 1).label_proposers == by_model
