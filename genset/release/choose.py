"""Which candidates go into a release, and why the others do not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genset.store import Candidate, Verdict

Votes = Mapping[int, Counter[Verdict]]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a strategy chose. `left_out` gives the reason for each candidate, by its task."""

    chosen: tuple[Candidate, ...]
    left_out: dict[str, str]


def majority(candidates: Sequence[Candidate], votes: Votes) -> Choice:
    """The rule of the DAWNBench analysis: what its labelers called correct.

    A candidate is chosen when more of its labelers say correct than incorrect (unsure counts for
    neither). A photo that is so chosen for several classes shows several things: it goes to none.

    Source: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning
    Performance Benchmark", 2019, section 4.2, with one labeler a photo.
    """
    left_out: dict[str, str] = {}
    correct: list[Candidate] = []
    for candidate in candidates:
        said = votes.get(candidate.id, Counter())
        if not said:
            left_out[candidate.task] = "not labeled"
        elif said[Verdict.CORRECT] > said[Verdict.INCORRECT]:
            correct.append(candidate)
        else:
            left_out[candidate.task] = "not called correct by a majority"
    claims = Counter(candidate.photo_id for candidate in correct)
    chosen = []
    for candidate in correct:
        if claims[candidate.photo_id] == 1:
            chosen.append(candidate)
        else:
            left_out[candidate.task] = "correct for several classes"
    return Choice(tuple(chosen), left_out)


def selection_frequency(said: Counter[Verdict]) -> float:
    """Share of a candidate's labelers who said correct, from 0 to 1.

    The term of Recht et al., "Do ImageNet Classifiers Generalize to ImageNet?", 2019.
    """
    return said[Verdict.CORRECT] / said.total()
