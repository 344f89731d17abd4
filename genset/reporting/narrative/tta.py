"""What is said of an entry beside its model: sentences, and the cells of its row."""

from math import isinf

from genset.comparison.margin import MarginTest
from genset.comparison.pairs import Bounds, Place
from genset.core.numbers import between, dollars, ends, percent, spoken
from genset.core.safe import clean
from genset.reporting.data.finetuning import FinetunedModel, FinetunedTask
from genset.reporting.data.report import ReportData, TopK
from genset.reporting.data.tta import JoinedEntry
from genset.reporting.narrative import margins
from genset.reporting.narrative.finetuning import difference
from genset.statistics.intervals import Interval
from genset.tta import words

LOWER, UPPER = "lower reference", "upper reference"


def sentence(entry: JoinedEntry, data: ReportData) -> str:
    """Fast, stable, general: all that is known of an entry, and what is not."""
    return " ".join([*_training(entry), *_model(entry.model, data)])


def sentences(data: ReportData) -> list[str]:
    """The same of all entries; what several have in common, their model, is said once."""
    labels = dict.fromkeys(entry.model for entry in data.entries)
    return [
        " ".join(
            [
                *(said for e in data.entries if e.model == label for said in _training(e)),
                *_model(label, data),
            ]
        )
        for label in labels
    ]


def goal(entry: JoinedEntry) -> str:
    """What it must reach: "93 % top-5 on ImageNet"."""
    return f"{words.goal(entry)} on {clean(entry.task)}"


def best(entry: JoinedEntry) -> str:
    """The best score of its runs."""
    return words.amount(entry.best, entry.percent)


def time(entry: JoinedEntry) -> str:
    """Its time to the threshold, or that it never gets there."""
    return "never" if entry.hours is None else spoken(entry.hours)


def cost(entry: JoinedEntry) -> str:
    """Its cost to the threshold."""
    return dollars(entry.cost)


def epoch(entry: JoinedEntry) -> str:
    """The epoch that reached the threshold; of several runs, from the first to the last."""
    if entry.epochs is None:
        return "–"
    low, high = entry.epochs
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def reach(entry: JoinedEntry) -> str:
    """How many runs reach the threshold, with the interval of their share."""
    if entry.share is None:
        return "one run"
    return f"{entry.reached} of {entry.runs} runs ({_range(entry.share, 0)})"


def variation(entry: JoinedEntry) -> str:
    """How much the times vary, with the interval of that; "–" where it is not known."""
    if entry.variation is None:
        return "–"
    if entry.variation_interval is None:
        return "0 % (as coarse as the logs are)"
    return f"{100 * entry.variation:.1f} % ({_range(entry.variation_interval, 1)})"


def place(label: str, bounds: Bounds, k: int = 1) -> str:
    """Where a model is between the two references, no surer than the interval allows."""
    lower, upper = clean(bounds.lower), clean(bounds.upper)
    found = _place(label, bounds)
    if found is None:
        return f"it is the {LOWER if label == bounds.lower else UPPER} itself"
    low, high = found.interval
    near = [name for name, end in ((lower, 0), (upper, 1)) if low <= end <= high]
    if near:
        return f"in top-{k} not to be told apart from {' or '.join(near)}"
    if high < 0 or low > 1:
        return f"in top-{k} {f'below {lower}' if high < 0 else f'above {upper}'}"
    return f"in top-{k} between {lower} and {upper}, {100 * found.share:.0f} % of the way"


def gap(label: str, bounds: Bounds) -> tuple[str, str]:
    """A model's share of the gap between the two references, and the interval, in per cent."""
    if (found := _place(label, bounds)) is None:
        return ("0" if label == bounds.lower else "100"), ""
    return f"{100 * found.share:.1f}", between(found.interval)


def gaps(label: str, data: ReportData) -> list[tuple[int, str, str]]:
    """A model's shares of the gap, in top-1 and, where there is one, in top-5."""
    both = ((1, data.bounds), (5, data.top5_bounds))
    return [(k, *gap(label, bounds)) for k, bounds in both if bounds]


def margin_tests(data: ReportData) -> list[MarginTest]:
    """Each model of an entry held against its counterpart, once."""
    by_model = {entry.model: entry.margins for entry in data.entries}
    return [test for tests in by_model.values() for test in tests]


def models(data: ReportData) -> list[str]:
    """The labels that the section is about: the lower reference, the entries', the upper one."""
    joined = [entry.model for entry in data.entries]
    ends = (data.bounds.lower, data.bounds.upper) if data.bounds else ()
    return list(dict.fromkeys([*ends[:1], *joined, *ends[1:]]))


def tasks(data: ReportData) -> list[FinetunedTask]:
    """The tasks on which one of these models has a new last layer."""
    labels = models(data)
    return [task for task in data.finetuning if any(task.find(label) for label in labels)]


def against_baseline(found: FinetunedModel) -> str:
    """A fine-tuned model's difference from the baseline, with its interval, in points."""
    if found.difference is None:
        return "the baseline"
    return "{} ({})".format(*difference(found.difference))


def weights(entry: JoinedEntry) -> str:
    """What the hash of the weights says of whether its training gave its model; "" if nothing."""
    model, join = clean(entry.model), entry.weights
    if join.kind == "same":
        whose = f"its run {clean(join.run)}" if join.run else "this training"
        return f"{model} was scored from the checkpoint that {whose} left, by its sha256"
    if join.kind == "other":
        return (
            f"{model} was not scored from the checkpoint that this training left: that file has "
            f"sha256 {join.left}…, the scored one {join.scored}…"
        )
    if join.kind == "unknown":
        return (
            f"The training left a checkpoint; which file {model} was scored from is not known: "
            "score the checkpoint with genset evaluate"
        )
    return ""


def by_word(data: ReportData) -> str:
    """Which trainings gave their models by somebody's word alone; "" if none."""
    proven = [entry.weights.kind == "same" for entry in data.entries]
    if all(proven):
        return ""
    that = "Where no hash says so, that" if any(proven) else "That"
    return f"{that} a log’s training gave the model is the word of who asked for this report."


def _training(entry: JoinedEntry) -> list[str]:
    said = weights(entry)
    return [_time(entry), *([f"{said}."] if said else [])]


def _time(entry: JoinedEntry) -> str:
    name, aim = clean(entry.name), goal(entry)
    if entry.hours is None:
        none = f"None of the {entry.runs} runs of {name} reaches" if entry.runs > 1 else ""
        return f"{none or f'{name} never reaches'} {aim}: the best is {best(entry)}."
    price = f" for {cost(entry)}" if entry.cost is not None else ""
    if entry.share is None:
        alone = "one run, which does not say how stable that is"
        return f"{name} reaches {aim} in {spoken(entry.hours)}{price} ({alone})."
    varied = "" if entry.variation is None else f"; their times vary by {variation(entry)}"
    mean = f"after {spoken(entry.hours)}{price} on average{varied}"
    return f"{name} reaches {aim} in {reach(entry)}, {mean}."


def _model(label: str, data: ReportData) -> list[str]:
    """How good a model is on the report's set, between which two, and on other tasks."""
    tops = " and ".join(_top(top) for top in data.model(label).tops if top.k in (1, 5))
    where = f": {place(label, data.bounds)}" if data.bounds else ""
    if data.top5_bounds and _place(label, data.top5_bounds):
        where += f"; {place(label, data.top5_bounds, 5)}"
    said = [f"On {clean(data.set.name)}, {clean(label)} has {tops}{where}."]
    if tests := next(entry.margins for entry in data.entries if entry.model == label):
        said.append(margins.sentence(tests))
    against = [
        f"{clean(task.task)} {against_baseline(found)}"
        for task in data.finetuning
        if (found := task.find(label)) and found.difference
    ]
    if against:
        said.append(f"Fine-tuned, in points against the baseline: {'; '.join(against)}.")
    return said


def _top(top: TopK) -> str:
    photos = top.accuracy.photos
    return f"{percent(top.accuracy.share, photos)} % top-{top.k} ({ends(top.clustered, photos)} %)"


def _place(label: str, bounds: Bounds) -> Place | None:
    return next((place for place in bounds.places if place.model == label), None)


def _range(found: Interval, digits: int) -> str:
    """An interval of a share, in per cent."""
    high = "∞" if isinf(found.high) else f"{100 * found.high:.{digits}f}"
    return f"{100 * found.low:.{digits}f}–{high} %"
