"""Which class an answer means: answers as models give them, and what is not taken."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.classes import imagenet1k, synonyms
from genset.score.predictions.answers.names import ClassNames, name_in_prompts, normalized
from genset.score.predictions.answers.read import RULE
from genset.score.predictions.answers.taking import NOT_TAKEN, TAKEN, Options, Taken, take
from genset.score.predictions.answers.wording import unwrapped

TENCH, GOLDFISH, BIRD, LIFTER = "n01440764", "n01443537", "n02012849", "n03126707"
NAMES = ClassNames(each.wnid for each in imagenet1k())
OPTIONS = Options(
    {"A": BIRD, "B": TENCH},
    {normalized("crane (wading bird)"): BIRD, normalized("tench"): TENCH},
)


@pytest.mark.parametrize(
    ("answer", "wnid", "how"),
    [
        ("tench", TENCH, "exact"),
        ("Tinca tinca", TENCH, "exact"),
        (TENCH, TENCH, "exact"),
        (" Tench.\n", TENCH, "normalized"),
        ("TENCH", TENCH, "normalized"),
        ("a tench", TENCH, "exact"),
        ("“tench”", TENCH, "exact"),
        ("**tench**", TENCH, "exact"),
        ("# tench", TENCH, "exact"),
        ("The image shows a **tench**.", TENCH, "exact"),
        ("This image depicts the tench.", TENCH, "exact"),
        ("It's a tench!", TENCH, "exact"),
        ("It’s a tench", TENCH, "exact"),
        ("I can see a tench.", TENCH, "exact"),
        ("This is a photo of a tench", TENCH, "exact"),
        ("The main object in this image is a tench.", TENCH, "exact"),
        ("The answer is: tench", TENCH, "exact"),
        ("Class: tench", TENCH, "exact"),
        ("A: tench", TENCH, "exact"),
        ("(b) tench", TENCH, "exact"),
        ("B - tench", TENCH, "exact"),
        ('{"answer": "tench"}', TENCH, "exact"),
        ('```json\n{"class": "Tench", "confidence": 0.9}\n```', TENCH, "normalized"),
        ("```\ntench\n```", TENCH, "exact"),
        ("<answer>tench</answer>", TENCH, "exact"),
        ("$\\boxed{\\text{tench}}$", TENCH, "exact"),
        ("<think>\nA carp? No.\n</think>\n\ntench", TENCH, "exact"),
        ("It has a small mouth.\nAnswer: tench\nI am sure.", TENCH, "exact"),
        ("tench, Tinca tinca", TENCH, "several names"),
        ("Tench (Tinca tinca)", TENCH, "several names"),
        ("maillot, tank suit", "n03710721", "several names"),
        ("hotdog", "n07697537", "exact"),
        ("great_white_shark", "n01484850", "normalized"),
        ("Jack-o’-Lantern", "n03590841", "normalized"),
        ("payphone", "n03902125", "normalized"),
        ("st. bernard", "n02109525", "normalized"),
        ("sneaker", "n04120489", "synonym"),
        ("sunglasses", "n04356056", "exact"),
        ("crane (wading bird)", BIRD, "exact"),
        ("Crane (Lifting device)", LIFTER, "normalized"),
    ],
)
def test_a_name_is_found_in_what_models_write(answer: str, wnid: str, how: str) -> None:
    assert take(answer, NAMES) == Taken(wnid, how)


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("a fish", "unknown"),
        ("tenches", "unknown"),
        ("tnech", "unknown"),
        ("tench fish", "unknown"),
        ("The image shows a man holding a tench.", "unknown"),
        ("The image shows a tench, a freshwater fish.", "unknown"),
        ("I'm sorry, I can't help with that.", "unknown"),
        ("tench\n\nIt has a small mouth.", "unknown"),
        ("Answer: tench\nAnswer: goldfish", "unknown"),
        ('{"answer": "tench", "class": "goldfish"}', "unknown"),
        ('{"answer": ["tench"]}', "unknown"),
        ('{"answer": ', "unknown"),
        ("not a tench", "unknown"),
        ("0", "unknown"),
        ("...", "unknown"),
        ("crane", "shared"),
        ("Cardigan", "shared"),
        ("The image shows a crane.", "shared"),
        ("crane, crane", "shared"),
        ("goldfish or tench", "several"),
        ("goldfish, tench", "several"),
        ("B", "letter without options"),
        ("(b)", "letter without options"),
    ],
)
def test_whatever_else_it_says_is_no_class(answer: str, how: str) -> None:
    assert take(answer, NAMES) == Taken("", how)


@pytest.mark.parametrize(
    ("answer", "wnid", "how"),
    [
        ("B", TENCH, "letter"),
        ("b", TENCH, "letter"),
        ("(B)", TENCH, "letter"),
        ("**B.**", TENCH, "letter"),
        ("Option B", TENCH, "letter"),
        ("The correct answer is B.", TENCH, "letter"),
        ("Answer: (B)", TENCH, "letter"),
        ("B. tench", TENCH, "letter"),
        ("B) Tinca tinca", TENCH, "letter"),
        ("A. crane", BIRD, "letter"),  # the letter says which crane
        ("A: tench", "", "letter against name"),
        ("C", "", "letter against name"),
        ("C. tench", "", "letter against name"),
        ("tench", TENCH, "exact"),
        ("crane (wading bird)", BIRD, "exact"),
        ("crane", "", "shared"),
        ("goldfish", GOLDFISH, "exact"),  # no option, and so wrong
        ("a", BIRD, "letter"),
    ],
)
def test_a_letter_means_what_the_question_offered(answer: str, wnid: str, how: str) -> None:
    assert take(answer, NAMES, OPTIONS) == Taken(wnid, how)


def test_each_class_is_known_by_its_names_unless_classes_share_them() -> None:
    for each in imagenet1k():
        for name in (each.wnid, name_in_prompts(each), *synonyms().get(each.wnid, ())):
            assert take(name, NAMES).wnid == each.wnid, name
        for lemma in each.lemmas:
            taken = take(lemma, NAMES)
            assert taken == Taken("", "shared") or taken.wnid == each.wnid, lemma


def test_19_names_are_shared_and_each_class_has_another() -> None:
    lemmas = {lemma for each in imagenet1k() for lemma in each.lemmas}
    shared = {normalized(each) for each in lemmas if take(each, NAMES).how == "shared"}
    assert len(shared) == 19
    assert {"crane", "maillot", "cardigan", "sunglasses"} & shared == {
        "crane",
        "maillot",
        "cardigan",
    }


def test_synonyms_are_of_one_class_each_and_no_lemmas() -> None:
    lemmas = {normalized(lemma) for each in imagenet1k() for lemma in each.lemmas}
    found = [normalized(name) for names in synonyms().values() for name in names]
    assert len(found) == len(set(found)) > 150
    assert not lemmas & set(found)
    assert set(synonyms()) <= {each.wnid for each in imagenet1k()}


def test_a_shared_name_is_plain_where_a_model_knows_one_of_its_classes() -> None:
    few = ClassNames([TENCH, BIRD])
    assert take("crane", few) == Taken(BIRD, "exact")
    assert take("goldfish", few) == Taken("", "unknown")


def test_classes_that_are_not_imagenets_are_known_by_their_own_names() -> None:
    names = ClassNames(["red panda", "Möwe"])
    assert take("The image shows a Red Panda.", names) == Taken("red panda", "normalized")
    assert take("mowe", names) == Taken("Möwe", "normalized")


def test_names_that_change_change_the_rules_number() -> None:
    """An old run must not stand for answers that would be taken otherwise now: count RULE up."""
    table = "".join(
        f"{each.wnid} {each.lemmas} {name_in_prompts(each)} {synonyms().get(each.wnid)}\n"
        for each in imagenet1k()
    )
    assert (RULE, sha256(table.encode()).hexdigest()[:16]) == (1, "030534483488b351")


@given(st.text() | st.text('AB()*`{}:"\\\n ,tench.', max_size=60))
def test_any_text_is_taken_or_not_for_a_stated_reason(answer: str) -> None:
    for options in (OPTIONS, Options({}, {})):
        taken = take(answer, NAMES, options)
        assert taken.how in (TAKEN if taken.wnid else NOT_TAKEN)


@given(st.text(max_size=40))
def test_markup_is_taken_off_once_and_for_all(answer: str) -> None:
    assert "\n" not in unwrapped(answer)


@pytest.mark.parametrize(
    "answer",
    ["a " * 400_000, "(" * 900_000, " " * 900_000 + "x", "{" * 900_000, "answer " * 100_000],
    ids=["articles", "brackets", "spaces", "braces", "answers"],
)
def test_an_endless_answer_is_no_name(answer: str) -> None:
    assert take(answer, NAMES).how in NOT_TAKEN
