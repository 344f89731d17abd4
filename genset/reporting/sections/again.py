"""To make it again: by which commands a report's models are scored, and the report is made."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from genset.comparison.logits import has_logits
from genset.comparison.references.find import NAME, NONE, measured_on, spec_of
from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.models.spec import ModelSpec
from genset.reporting.blocks import Commands, Part
from genset.reporting.options import ReportOptions
from genset.reporting.report import Inputs, ReportData, Section
from genset.reporting.sections import multilabel
from genset.reporting.summary import without_folders
from genset.score.predictions.arrays import BEST, holds_scores
from genset.score.results.runs import PREDICTIONS, Run

_FOLDED = 6  # of more models, the commands are folded
_FIRST = ("torchvision:resnet50",)


@dataclass(frozen=True, slots=True)
class Scoring:
    """Models that one command scores.

    Attributes:
        options: of the command, as in ("--among subset", "--logits").
        specs: the models'.
        on: what the set was called.
    """

    options: tuple[str, ...]
    specs: tuple[str, ...]
    on: str


@dataclass(frozen=True, slots=True)
class Again:
    """The commands that score a report's models.

    Attributes:
        named: what the report's set was called.
        convention: the options that say by which convention outputs became the set's own classes,
            where it is the same for all models.
        scorings: on the report's set, then on others that it needs, in turn: one may read what
            another before it keeps.
        by_hand: labels of models that no command scores, since Python had them in memory.
        files: what must be there, beside the models' files.
        paths: all that commands name, with the folders of this machine.
    """

    named: str
    convention: tuple[str, ...]
    scorings: tuple[Scoring, ...]
    by_hand: tuple[str, ...]
    files: tuple[str, ...]
    paths: tuple[str, ...]


# What was scored, and how


def gather(inputs: Inputs, data: ReportData) -> Again:
    """The commands that score models of a report, without what is as it is by default."""
    models, options = (*data.models, *data.flagged), data.options
    named, reference = options.named or data.set.name, options.reference
    sets = {named: _with_logits(inputs, data)}
    for called, (_, other) in zip(options.others, inputs.others, strict=False):
        sets[called] = [(model.run, has_logits(model)) for model in other.models]
    if measured := measured_on(reference, inputs.runs):
        names = {model.run.model for model in models}
        sets.setdefault(reference, [(run, False) for _, run in measured if run.model in names])
    releases = {called for called, runs in sets.items() if any(run.set_whole for run, _ in runs)}
    releases |= {named} if data.set.release else set()
    files = [called for called in sets if called not in releases]
    files += [reference] * (reference not in ("", NAME, NONE) and not measured)
    files += [str(options.compare)] * (options.compare is not None)
    conventions = {_convention(model.run) for model in models}
    scorings = [scoring for called, runs in sets.items() for scoring in _scorings(runs, called)]
    return Again(
        named=named,
        convention=conventions.pop() if len(conventions) == 1 else (),
        scorings=(*([] if models else [Scoring((), _FIRST, named)]), *scorings),
        by_hand=tuple(model.label for model in models if not spec_of(model.run)),
        files=tuple(files),
        paths=(
            *(*sets, *files, options.taxonomy, *(str(log) for log, _ in options.tta)),
            *(run.spec for runs in sets.values() for run, _ in runs),
        ),
    )


def _with_logits(inputs: Inputs, data: ReportData) -> list[tuple[Run, bool]]:
    """The models' runs, each with whether the report, or another run, uses logits that it has."""
    models = (*data.models, *data.flagged)
    specs = [spec for model in models if (spec := spec_of(model.run))]
    tables = {Path(spec.target).parent.name for spec in specs if _reads_a_run(spec)}
    scored = {model.label: model for model in (*inputs.results.models, *inputs.results.flagged)}
    found = []
    for model in models:
        answers, truth = scored[model.label], model.multilabel
        is_used = bool(data.options.others or (truth and truth.average_precision))
        is_read = answers.folder is not None and answers.folder.name in tables
        found.append((model.run, has_logits(answers) and (is_used or is_read)))
    return found


def _scorings(runs: Iterable[tuple[Run, bool]], on: str) -> list[Scoring]:
    """What scores models as these runs did, each with whether its logits are kept."""
    commands: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for run, logits in runs:
        if spec := spec_of(run):
            words = (*_convention(run), *_how(run, spec), *["--logits"] * logits)
            is_last = run.mapping is not None and _reads_a_run(spec)
            commands.setdefault((is_last, words), []).append(run.spec)
    in_turn = sorted(commands.items(), key=lambda item: item[0][0])
    return [Scoring(words, tuple(dict.fromkeys(of)), on) for (_, words), of in in_turn]


def _reads_a_run(spec: ModelSpec) -> bool:
    """Whether it reads the table of another run."""
    return spec.kind == "predictions" and Path(spec.target).name == PREDICTIONS


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
    is_sample = f"{run.set_name}: a sample by class (--limit)." in run.notes
    words += [f"--limit {run.set_name.split()[0].replace(',', '')}"] * is_sample
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
    again, by_truth = data.of(SECTION), data.of(multilabel.SECTION)
    there = ", ".join(_path(again, file) for file in again.files)
    lines = [f"# In a folder that holds {there} and the files of the models"] * bool(there)
    if data.set.release and data.models:
        lines.append(f"genset release verify {_path(again, again.named)}")
    if by_truth and not by_truth.truth.is_own:
        truth = f"--multilabel {_argument(by_truth.truth.source)}"
        lines.append(evaluate(data, Scoring((truth,), (), again.named)))
    lines += [evaluate(data, scoring) for scoring in again.scorings]
    lines += [
        f"# {clean(label, 200)}: handed over in Python, which no command scores"
        for label in again.by_hand
    ]
    sets = " ".join(_path(again, called) for called in (again.named, *data.options.others))
    return "\n".join([*lines, f"genset report {sets}{_report(again, data.options)}"])


def evaluate(data: ReportData, scoring: Scoring) -> str:
    """The command that scores models on a set."""
    again = data.of(SECTION)
    options = f" --taxonomy {_path(again, taxonomy)}" if (taxonomy := data.options.taxonomy) else ""
    options += "".join(f" {option}" for option in scoring.options)
    models = "".join(f" \\\n    --model {_path(again, spec)}" for spec in scoring.specs)
    return f"genset evaluate {_path(again, scoring.on)}{options}{models}"


def evaluate_well_known(data: ReportData, specs: Sequence[str]) -> str:
    """The command that scores further models, in the way of those that are here."""
    again = data.of(SECTION)
    return evaluate(data, Scoring(again.convention, tuple(specs), again.named))


def _report(again: Again, options: ReportOptions) -> str:
    """What a report was asked for, as options of its command."""
    pairs: list[tuple[str, object]] = [
        ("taxonomy", options.taxonomy),
        ("reference", options.reference),
        ("set-is", options.set_is),
        ("compare", options.compare),
        ("lower", options.lower),
        ("upper", options.upper),
        ("k", options.k),
        ("classes", options.classes),
        ("seed", options.resampling.seed),
        ("tta-threshold", options.tta_threshold is not None and f"{options.tta_threshold:g}"),
        ("margin", options.margin and f"{options.margin:g}"),
    ]
    words = [f"--{name} {_path(again, str(value))}" for name, value in pairs if value]
    words += ["--include-flagged"] * options.include_flagged
    words += ["--include-restricted"] * options.include_restricted
    words += [f"--tta {_path(again, f'{log}={model}')}" for log, model in options.tta]
    for model, counterpart in options.counterparts:
        words.append(f"--counterpart {_argument('='.join(filter(None, (model, counterpart))))}")
    return "".join(f" {word}" for word in words)


def _path(again: Again, text: str) -> str:
    """An argument in which no file has more folders than tell it from the others."""
    return _argument(without_folders(text, again.paths))


def _argument(text: str) -> str:
    return shlex.quote(clean(text, longest=2000))


SECTION = Section("again", gather, show, lambda *_: {})
