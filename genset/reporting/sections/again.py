"""To make it again: by which commands a report's models are scored, and the report is made."""

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from genset.comparison.logits import has_logits
from genset.comparison.references.find import NAME, NONE, is_table, spec_of
from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.models.spec import ModelSpec
from genset.reporting.blocks import Commands, Part
from genset.reporting.options import ReportOptions
from genset.reporting.report import Inputs, ReportData, ScoredModel, Section
from genset.reporting.sections import multilabel
from genset.reporting.summary import without_folders
from genset.score.predictions.arrays import BEST, holds_scores
from genset.score.results.results import ModelAnswers
from genset.score.results.runs import PREDICTIONS, Run

_FOLDED = 6  # of more models, the commands are folded


@dataclass(frozen=True, slots=True)
class Scoring:
    """Models that one command scores.

    Attributes:
        options: of the command, as in ("--among subset", "--logits").
        specs: the models'.
    """

    options: tuple[str, ...]
    specs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Again:
    """The commands that score a report's models.

    Attributes:
        taxonomy: what `--taxonomy` is given; "" where the set says its classes itself.
        convention: the options that say by which convention outputs became the set's own classes,
            where it is the same for all models.
        scorings: in turn: one may read what another before it keeps.
        by_hand: labels of models that no command scores, since Python had them in memory.
    """

    taxonomy: str
    convention: tuple[str, ...]
    scorings: tuple[Scoring, ...]
    by_hand: tuple[str, ...]


_FIRST = Scoring((), ("torchvision:resnet50",))
_LABELS = Scoring((), ())  # scores no model: it gives the set its truth


# What was scored, and how


def gather(inputs: Inputs, data: ReportData) -> Again:
    """The commands that score models of a report, without what is as it is by default."""
    models = (*data.models, *data.flagged)
    scored = {model.label: model for model in (*inputs.results.models, *inputs.results.flagged)}
    specs = {model.label: spec for model in models if (spec := spec_of(model.run))}
    tables = {Path(spec.target).parent.name for spec in specs.values() if _reads_a_run(spec)}
    commands: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for model in models:
        if (spec := specs.get(model.label)) is None:
            continue
        logits = _needs_logits(model, scored[model.label], tables)
        words = (*_convention(model.run), *_how(model.run, spec), *["--logits"] * logits)
        is_last = model.run.mapping is not None and _reads_a_run(spec)
        commands.setdefault((is_last, words), []).append(model.run.spec)
    in_turn = sorted(commands.items(), key=lambda item: item[0][0])
    conventions = {_convention(model.run) for model in models}
    return Again(
        taxonomy=Path(data.options.taxonomy).name,
        convention=conventions.pop() if len(conventions) == 1 else (),
        scorings=tuple(Scoring(words, tuple(dict.fromkeys(of))) for (_, words), of in in_turn),
        by_hand=tuple(model.label for model in models if model.label not in specs),
    )


def _reads_a_run(spec: ModelSpec) -> bool:
    """Whether it reads the table of another run."""
    return spec.kind == "predictions" and Path(spec.target).name == PREDICTIONS


def _needs_logits(model: ScoredModel, scored: ModelAnswers, tables: set[str]) -> bool:
    """Whether the report, or another run, uses the logits that a run has."""
    is_used = bool(model.multilabel and model.multilabel.average_precision)
    is_read = scored.folder is not None and scored.folder.name in tables
    return has_logits(scored) and (is_used or is_read)


def _convention(run: Run) -> tuple[str, ...]:
    """How its outputs became the set's own classes, where that is not the default."""
    mapping = run.mapping or {}
    options = (("pool", "max"), ("among", "subset"))
    return tuple(f"--{name} {value}" for name, value in options if mapping.get(name) == value)


def _how(run: Run, spec: ModelSpec) -> list[str]:
    """How its answers were found."""
    words = [] if run.precision in ("float32", "unknown") else [f"--precision {run.precision}"]
    words += ["--decode fast"] if run.preprocessing.get("decoding") == "fast" else []
    words += ["--allow-code"] if spec.kind == "torchscript" else []
    has_more = len(run.hits) > BEST and (not spec.is_predictions or _holds_scores(spec))
    return words + [f"--k {len(run.hits)}"] * has_more


def _holds_scores(spec: ModelSpec) -> bool:
    """Whether as many answers are kept as are asked for, and not those that a file has."""
    try:
        return holds_scores(spec)
    except BadInput:  # it is not there any more
        return False


# The commands


def show(_: Again, data: ReportData) -> Iterator[Part]:
    """The commands."""
    if not (models := len(data.models)):
        return
    fold = f"The commands, with all {models} models" if models > _FOLDED else ""
    yield Part("commands", "To make it again", [Commands(commands(data), fold)], page_only=True)


def commands(data: ReportData) -> str:
    """What to type to get the report again; with no model yet, to get one."""
    again, name = data.of(SECTION), _argument(data.set.named)
    by_truth = data.of(multilabel.SECTION)
    labels = ""
    if by_truth and not by_truth.truth.is_own:
        labels = f" \\\n    --multilabel {_argument(by_truth.truth.source)}"
    scorings = list(again.scorings)
    if not scorings and not again.by_hand:
        scorings = [_FIRST]
    elif not scorings and labels:
        scorings = [_LABELS]
    lines = [f"genset release verify {name}"] if data.set.release and data.models else []
    for place, scoring in enumerate(scorings):
        line = evaluate(data, scoring)
        lines.append(line + (labels if place == 0 else ""))
    lines += [
        f"# {clean(label, 200)}: handed over in Python, which no command scores"
        for label in again.by_hand
    ]
    sets = [name, *(_argument(without_folders(other)) for other in data.options.others)]
    words = f"{' '.join(sets)}{_of_classes(again)}{_report(data.options)}"
    old = data.options.compare
    files = [*[name] * (not data.set.release), *([_argument(old.name)] if old else [])]
    where = f"# In a folder that holds {', '.join(files)} and the files of the models"
    there = [*sets[1:], *[_argument(data.options.reference)] * _is_a_set(data.options.reference)]
    lines += [f"# Score the models on {other} too: genset evaluate {other} ..." for other in there]
    return "\n".join([*[where] * bool(files), *lines, f"genset report {words}"])


def evaluate(data: ReportData, scoring: Scoring) -> str:
    """The command that scores models on the report's set."""
    options = "".join(f" {option}" for option in scoring.options)
    every = [spec for command in data.of(SECTION).scorings for spec in command.specs]
    models = "".join(f" \\\n    --model {_argument(_in_folder(s, every))}" for s in scoring.specs)
    name, classes = _argument(data.set.named), _of_classes(data.of(SECTION))
    return f"genset evaluate {name}{classes}{options}{models}"


def _in_folder(spec: str, specs: Sequence[str]) -> str:
    """A spec without the folders of this machine, but for those that tell its file from others'."""
    target = spec.partition("?")[0]
    short = without_folders(target)
    names = {other.partition("?")[0] for other in specs}
    alike = [name for name in names if without_folders(name) == short]
    if len(alike) > 1:
        kind, _, path = target.partition(":")
        shared = os.path.commonpath([name.partition(":")[2] for name in alike])
        spec = spec.replace(target, f"{kind}:{os.path.relpath(path, shared)}", 1)
    return without_folders(spec)


def _is_a_set(reference: str) -> bool:
    return reference not in ("", NAME, NONE) and not is_table(reference)


def evaluate_well_known(data: ReportData, specs: Sequence[str]) -> str:
    """The command that scores further models, in the way of those that are here."""
    return evaluate(data, Scoring(data.of(SECTION).convention, tuple(specs)))


def _of_classes(again: Again) -> str:
    return f" --taxonomy {_argument(again.taxonomy)}" if again.taxonomy else ""


def _report(options: ReportOptions) -> str:
    """What a report was asked for, as options of its command."""
    pairs: list[tuple[str, object]] = [
        ("reference", options.reference),
        ("set-is", options.set_is),
        ("compare", options.compare.name if options.compare else ""),
        ("lower", options.lower),
        ("upper", options.upper),
        ("k", options.k),
        ("classes", options.classes),
        ("seed", options.resampling.seed),
    ]
    words = [f"--{name} {_argument(str(value))}" for name, value in pairs if value]
    words += ["--include-flagged"] * options.include_flagged
    words += ["--include-restricted"] * options.include_restricted
    words += [f"--tta {_argument(f'{entry.log.name}={entry.model}')}" for entry in options.tta]
    if options.tta_threshold is not None:
        words.append(f"--tta-threshold {options.tta_threshold:g}")
    for counterpart in options.counterparts:
        model = f"{counterpart.model}=" if counterpart.model else ""
        words.append(f"--counterpart {_argument(f'{model}{counterpart.counterpart}')}")
    if options.margin is not None:
        words.append(f"--margin {options.margin:g}")
    return "".join(f" {word}" for word in words)


def _argument(text: str) -> str:
    return shlex.quote(clean(text, longest=2000))


SECTION = Section("again", gather, show, lambda *_: {})
