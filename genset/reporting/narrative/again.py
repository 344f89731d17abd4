"""The commands that score a report's models again, and make the report again."""

import shlex

from genset.core.safe import clean
from genset.reporting.data.again import Again, Scoring
from genset.reporting.data.options import ReportOptions
from genset.reporting.data.report import ReportData

_FIRST = Scoring((), ("torchvision:resnet50",))
_LABELS = Scoring((), ())  # scores no model: it gives the set its truth


def commands(data: ReportData) -> str:
    """What to type to get the report again; with no model yet, to get one."""
    again, name = data.again, _argument(data.set.named)
    truth = data.by_truth.truth if data.by_truth else None
    labels = ""
    if truth and not truth.is_own and not data.options.real_labels:
        labels = f" \\\n    --multilabel {_argument(truth.source)}"
    scorings = list(again.scorings)
    if not scorings and not again.by_hand:
        scorings = [_FIRST]
    elif not scorings and labels:
        scorings = [_LABELS]
    lines = [f"genset release verify {name}"] if data.set.release and data.models else []
    for place, each in enumerate(scorings):
        lines.append(evaluate(data.set.named, again, each) + (labels if place == 0 else ""))
    lines += [
        f"# {clean(label, 200)}: handed over in Python, which no command scores"
        for label in again.by_hand
    ]
    return "\n".join([*lines, f"genset report {name}{_of_classes(again)}{_asked(data.options)}"])


def evaluate(name: str, again: Again, scoring: Scoring) -> str:
    """The command that scores models.

    Args:
        name: of the set, or its path.
        again: says of which classes it is.
        scoring: the models, and how.
    """
    options = "".join(f" {option}" for option in scoring.options)
    models = "".join(f" \\\n    --model {_argument(spec)}" for spec in scoring.specs)
    return f"genset evaluate {_argument(name)}{_of_classes(again)}{options}{models}"


def _of_classes(again: Again) -> str:
    return f" --taxonomy {_argument(again.taxonomy)}" if again.taxonomy else ""


def _asked(options: ReportOptions) -> str:
    """What a report was asked for, as options of its command."""
    labels = options.real_labels.name if options.real_labels else ""
    pairs: list[tuple[str, object]] = [
        ("reference", options.reference),
        ("set-is", options.set_is),
        ("labels", labels),
        ("lower", options.lower),
        ("upper", options.upper),
        ("k", options.k),
        ("seed", options.resampling.seed),
    ]
    words = [f"--{name} {_argument(str(value))}" for name, value in pairs if value]
    words += ["--include-flagged"] * options.include_flagged
    words += ["--include-restricted"] * options.include_restricted
    words += [f"--tta {_argument(f'{each.log.name}={each.model}')}" for each in options.tta]
    if options.tta_threshold is not None:
        words.append(f"--tta-threshold {options.tta_threshold:g}")
    for counterpart in options.counterparts:
        named = f"{counterpart.model}=" if counterpart.model else ""
        words.append(f"--counterpart {_argument(f'{named}{counterpart.counterpart}')}")
    if options.margin is not None:
        words.append(f"--margin {options.margin:g}")
    return "".join(f" {word}" for word in words)


def _argument(text: str) -> str:
    return shlex.quote(clean(text, longest=2000))
