"""Which further classes are proposed for a photo, and in which order."""

from genset.classes import imagenet1k
from genset.label.proposals import ModelAnswers, Proposer, ranked
from tests.label.proposals.released import ALL
from tests.labeled_workspace import CRANE, TABBY, TENCH

CONFUSABLE = [each.wnid for each in imagenet1k().confusable(TABBY)]
FILE = f"{TABBY}/{'0' * 64}.jpg"


def model(name: str, *best: str) -> ModelAnswers:
    return ModelAnswers(name, f"key of {name}", {FILE: best})


def test_those_that_most_propose_come_first_then_the_best_place() -> None:
    models = [
        model("a", TABBY, TENCH, CRANE, ALL[700], ALL[701]),
        model("b", CRANE, TABBY, ALL[702], CONFUSABLE[2], ALL[703]),
    ]
    found = ranked(TABBY, FILE, models)
    assert (
        list(found)
        == [
            CRANE,  # both models; the best place is 1
            CONFUSABLE[2],  # a model, and confusable
            CONFUSABLE[0],
            TENCH,  # at place 2 as the next, which no model proposes
            CONFUSABLE[1],
            ALL[702],
            ALL[700],
            *CONFUSABLE[3:4],
            ALL[701],
            ALL[703],
            *CONFUSABLE[4:],
        ]
    )
    assert found[CRANE] == [
        Proposer("model", "a", 3, "key of a"),
        Proposer("model", "b", 1, "key of b"),
    ]
    assert found[CONFUSABLE[0]] == [Proposer("confusable", TABBY, 1)]
