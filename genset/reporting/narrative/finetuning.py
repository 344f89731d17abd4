"""What is said of models with a new last layer: sentences, and the cells of the table."""

from collections.abc import Sequence

from genset.core.numbers import bare_p, count, digits, p_value, percent, points, span
from genset.core.safe import clean
from genset.finetune.compare import Difference
from genset.reporting.data.finetuning import FinetunedModel, FinetunedTask
from genset.reporting.format import interval


def headline(tasks: Sequence[FinetunedTask]) -> list[str]:
    """Whether each model transfers as well as the baseline: no more than the numbers support."""
    labels = list(dict.fromkeys(model.label for task in tasks for model in task.models))
    return [sentence for label in labels if (sentence := _transfer(tasks, label))]


def _transfer(tasks: Sequence[FinetunedTask], label: str) -> str:
    held = [
        (task, found.difference)
        for task in tasks
        if (found := task.find(label)) and found.difference
    ]
    if not held:
        return ""
    said = []
    for task, each in held:
        gap, sure = difference(each)
        doubt = "" if _apart(each) else ", not to be told apart"
        if each.too_few:
            doubt = f", where these {count(each.photos, 'photo')} cannot tell which is better"
        said.append(f"{gap} points on {clean(task.task)} ({sure}{doubt})")
    baselines = " or ".join(dict.fromkeys(clean(each.baseline) for _, each in held))
    return f"{clean(label)} against {baselines}, with a new last layer: {'; '.join(said)}."


def shares(found: FinetunedModel) -> tuple[str, str, str]:
    """Its accuracy and the interval, in per cent, and how far seeds differ, in points."""
    accuracy = found.run.accuracy
    return percent(accuracy.share, accuracy.photos), interval(accuracy), seeds(found)


def seeds(found: FinetunedModel) -> str:
    """How far seeds differ: the standard deviation of their accuracies."""
    number = len(found.run.of_shots(None))
    if found.run.spread is None:
        return count(number, "seed")
    return f"± {100 * found.run.spread:.2f} over {number} seeds"


def difference(found: Difference) -> tuple[str, str]:
    """The difference from the baseline and its interval, in points."""
    places = digits(found.photos)
    return points(found.difference, places), span(found.interval, places)


def chance(found: Difference) -> str:
    """Its p-values."""
    return f"{p_value(found.p_value)}, Holm {bare_p(found.holm)}"


def about(task: FinetunedTask) -> str:
    """What the models of a row share."""
    run = task.about
    out = f", {len(run.excluded):,} left out" if run.excluded else ""
    return (
        f"{count(len(run.classes), 'class', 'classes')}, {run.train:,} training and "
        f"{count(run.test, 'test photo')}{out}; split: {clean(run.split)}"
    )


def labels(tasks: Sequence[FinetunedTask]) -> list[str]:
    """All models, baselines first."""
    baselines = [task.models[0].label for task in tasks]
    return list(dict.fromkeys([*baselines, *(m.label for task in tasks for m in task.models)]))


def remarks(task: FinetunedTask) -> list[str]:
    """What must stand beside a task's numbers; what is true of all its models names none."""
    said: dict[str, list[str]] = {}
    for model in task.models:
        precise = model.run.precision == "float32"
        own = [*([] if precise else [f"scored in {model.run.precision}"]), *model.run.notes]
        for note in own:
            said.setdefault(clean(note, 300).rstrip("."), []).append(clean(model.label))
    everywhere = len(task.models)
    return [
        note if len(labels) == everywhere else f"{', '.join(labels)}: {note}"
        for note, labels in said.items()
    ]


def taken(found: FinetunedModel, name: str, other: str) -> str:
    """How often photos of a class were taken for another: "11.7 of 30".

    Args:
        found: the model on the task.
        name: the class.
        other: the class that its photos were taken for.
    """
    each = next((m for m in found.mistaken if (m.name, m.other) == (name, other)), None)
    of = next(c.accuracy.photos for c in found.classes if c.name == name)
    photos = each.photos if each else 0.0
    return f"{photos:.1f}".removesuffix(".0") + f" of {of:,}"


def of_class(found: FinetunedModel, name: str) -> tuple[str, str]:
    """A class's accuracy and its interval, in per cent."""
    accuracy = next(cls.accuracy for cls in found.classes if cls.name == name)
    return percent(accuracy.share, accuracy.photos), interval(accuracy)


NOTE = (
    "Only the last layer is fitted anew, on training photos; the rest of the network stays as it "
    "is. Accuracies are means over seeds, with Wilson’s 95 % interval on the test photos; ± is the "
    "standard deviation over seeds. A task’s classes are given, so that photos and not classes are "
    "the sample: differences have Tango’s 95 % interval, paired by photo, and p is McNemar’s exact "
    "test on the first seed, adjusted by Holm for all differences here."
)


def _apart(found: Difference) -> bool:
    return not found.interval.low <= 0 <= found.interval.high and found.holm < 0.05
