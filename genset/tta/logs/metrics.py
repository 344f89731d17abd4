"""Which column holds the score that counts, and what is known of it by its name.

Trackers call one thing by many names: ``val_acc``, ``top_1``, ``val/acc1``, ``Prec@1``. A name is
cut into the split that it was measured on (``val``) and what was measured (``acc``).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genset.tta.logs.common import ReadAs, Sheet, words_of
from genset.tta.runs import F1, TASKS, TOP1, TOP5, Task

_TRAIN = {"train", "training", "tr"}
_SPLITS = {
    **dict.fromkeys(("val", "valid", "validation", "dev"), "val"),
    **dict.fromkeys(("test", "testing"), "test"),
    **dict.fromkeys(("eval", "evaluation"), "eval"),
}
# Of each row, or over rows: not what one epoch was found to be.
_SAYS_NO_KIND = {*_SPLITS, *_TRAIN, "epoch", "pct", "percent", "percentage", "metric", "metrics"}
_DERIVED = {"min", "max", "std", "stderr", "best", "step", "batch"}

# What a name's words, joined by ``_``, say wherever in it they stand: the first kind that is found.
_ACCURACY = r"(acc|accuracy|prec|precision)"
_BEGIN, _END = r"(?:^|_)(?:", r")(?:_|$)"
# What is better when there is less of it.
_LOSSES = (
    r"loss|losses|logloss|perplexity|ppl|nll|entropy|mse|rmse|mae|mape|wer|cer|bpc|bpb|fid"
    r"|err|error|distance|bpd|bits_per_(dim|char|byte)|neg(ative)?_log_likelihood"
)
_KINDS = {
    "error": r"\A(top_?[15]_)?(err|error)(_?[15]|_rate|_top_?[15])?\Z",
    "loss": _LOSSES,
    TOP5: rf"top_?5|{_ACCURACY}_?5|hit_?5|{_ACCURACY}_top_?5|top_k_categorical_accuracy",
    TOP1: rf"top_?1|{_ACCURACY}_?1|hit_?1|{_ACCURACY}_top_?1",
    "accuracy": r"acc|accuracy",
    F1: r"f_?1",
    "share": r"auc|auroc|m?_?(iou|io_u)|jaccard|m?ap|m?ap_?50(_?95)?|dice|recall",
}
_KINDS_COMPILED = {kind: re.compile(_BEGIN + found + _END) for kind, found in _KINDS.items()}

# The first kinds that a table has are those that may count; a loss only where nothing else may.
_RANKS = ((TOP1, "accuracy"), (TOP5,), (F1,), ("share",), ("error",), ("loss",))
# Columns that are no scores, whatever else a table has.
_NO_SCORE = re.compile(
    r"(^|_)(lr|pg\d+|learning|rate|grad|norm|momentum|decay|step|steps|iter|iterations?|samples|images"
    r"|batch|batches|size|seconds?|time|timestamp|runtime|duration|hours|eta|memory|mem|gpus?|cpu"
    r"|epochs?|seed|model|arch|optimizer|optim|dataset|precision|amp|world|resolution|config)(_|$)"
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a column's name says of the score in it.

    Attributes:
        kind: one of `SCORES`, ``accuracy``, ``share`` (AUC, IoU, mAP), ``error``, ``loss``, or
            empty.
        split: ``train``, ``val``, ``test``, ``eval``, or empty.
        lower_is_better: as a loss.
        percent: it is a share, in fractions of 1 or in per cent.
        in_percent: the name itself says per cent.
        derived: a lowest, highest or mean value of others.
    """

    kind: str
    split: str
    lower_is_better: bool
    percent: bool
    in_percent: bool
    derived: bool


def meaning_of(column: str) -> Meaning:
    """What the name of a column says."""
    words = words_of(column)
    split = next((_SPLITS[word] for word in words if word in _SPLITS), "")
    if not split and _TRAIN & set(words):
        split = "train"
    in_percent = "%" in column or bool({"pct", "percent", "percentage"} & set(words))
    name = "_".join(word for word in words if word not in _SAYS_NO_KIND)
    kind = next((kind for kind, found in _KINDS_COMPILED.items() if found.search(name)), "")
    lower = kind in ("error", "loss")
    percent = in_percent or (bool(kind) and kind != "loss")
    derived = bool(_DERIVED & set(words)) and kind != F1
    return Meaning(kind, split, lower, percent, in_percent, derived)


@dataclass(frozen=True, slots=True)
class Score:
    """A column that is read.

    Attributes:
        column: where it is in the table.
        name: what it is called among an epoch's scores.
        about: what its own name says; where `percent`, its values are fractions of 1 if none is
            over 1.
    """

    column: int
    name: str
    about: Meaning


def choose(
    sheet: Sheet, names: Sequence[str], read_as: ReadAs, task: Task | None
) -> tuple[Task, tuple[Score, ...], tuple[str, ...]]:
    """Find the column that counts.

    Args:
        sheet: whose columns they are: a folder above it may name one of DAWNBench's tasks.
        names: of the columns; those of no use here are empty.
        read_as: `metric` is taken if it is there.
        task: what the log's writer is known to be for.

    Returns:
        The task of the table's runs, the columns to read (the first is the one that counts), and
        remarks.

    Raises:
        MalformedLog: the column that was asked for is not there, or none or several would do.
    """
    task = task or task_above(sheet.path)
    requested = read_as.metric
    at = named(sheet, names, requested) if requested else _found(sheet, names, task)
    about = meaning_of(names[at])
    lower = about.lower_is_better if read_as.lower_is_better is None else read_as.lower_is_better
    score = _score_of(about, task)
    if task is None or score is None or lower:
        task = Task(names[at], names[at], None, lower, about.percent)
        return task, (Score(at, names[at], about),), _taken(names, at, read_as)
    if score != task.score:
        task = Task(task.name, score, None)
    # The other of top-1 and top-5, where it was measured on the same photos.
    columns = ((other, meaning_of(name)) for other, name in enumerate(names) if name)
    found = {
        further.kind: Score(other, further.kind, further)
        for other, further in columns
        if other != at and further.kind in {TOP1, TOP5} - {score}
        if further.split == about.split and not further.derived
    }
    return task, (Score(at, score, about), *found.values()), ()


def task_above(path: Path) -> Task | None:
    """The task of DAWNBench that one of the two folders above a file names."""
    folders = (TASKS.get(folder.name.lower()) for folder in list(path.absolute().parents)[:2])
    return next((task for task in folders if task), None)


def _score_of(about: Meaning, task: Task | None) -> str | None:
    """The score of DAWNBench that a column is: its plain accuracy is top-1."""
    kind = TOP1 if about.kind == "accuracy" and task and task.score != F1 else about.kind
    return kind if kind in (TOP1, TOP5, F1) else None


def named(sheet: Sheet, names: Sequence[str], name: str) -> int:
    """The place of the one column of this name, in upper or lower case.

    Raises:
        MalformedLog: there is none, or several.
    """
    same = [at for at, other in enumerate(names) if other == name]
    alike = same or [at for at, other in enumerate(names) if other.lower() == name.lower()]
    if not alike:
        sheet.refuse(f"no column {name}; there are {listed(names)}", 1)
    if len(alike) > 1:
        sheet.refuse(f"{len(alike)} columns are called {names[alike[0]]}", 1)
    return alike[0]


def could_count(about: Meaning, of_validation: bool = False) -> bool:
    """Whether a column may be the one that counts without being asked for.

    A loss or an error without a split is likelier that of the photos that were trained on, but for
    tables whose every score is `of_validation`.
    """
    if not about.kind or about.derived or about.split == "train":
        return False
    return of_validation or bool(about.split) or about.kind not in ("error", "loss")


def _found(sheet: Sheet, names: Sequence[str], task: Task | None) -> int:
    columns = {at: meaning_of(name) for at, name in enumerate(names) if name}
    # fastai measures on photos that were not trained on, whatever it calls that.
    of_fastai = {"train_loss", "valid_loss"} <= set(names)
    could = {at: about for at, about in columns.items() if could_count(about, of_fastai)}
    ranks = [[at for at, about in could.items() if about.kind in kinds] for kinds in _RANKS]
    if task:
        ranks.insert(0, [at for at in could if _score_of(could[at], task) == task.score])
    unknown = any(_is_unknown(names[at], about) for at, about in columns.items())
    # A loss counts only where no other column may be a score.
    for fitting in ranks[: len(ranks) - unknown]:
        # Beside val_acc, acc is that of the photos that were trained on.
        if not of_fastai:
            fitting = [at for at in fitting if could[at].split] or fitting
        tops = [at for at in fitting if could[at].kind == TOP1]
        if len(fitting) == 1 or len(tops) == 1:
            return (tops or fitting)[0]
        if fitting:
            why = "several columns could be the score: name one with --metric"
            sheet.refuse(f"{why}: {listed([names[at] for at in fitting])}", 1)
    why = "no column is known to be a score: name it with --metric"
    return sheet.refuse(f"{why}; there are {listed(names)}", 1)


def _is_unknown(name: str, about: Meaning) -> bool:
    """Whether a column may be a score of a kind that is not known."""
    known = _NO_SCORE.search("_".join(words_of(name))) or about.split == "train"
    return not about.kind and not known


def _taken(names: Sequence[str], at: int, read_as: ReadAs) -> tuple[str, ...]:
    about = meaning_of(names[at])
    if not about.kind and read_as.lower_is_better is None:
        return (f"more {names[at]} is taken for better: else say --lower-is-better",)
    if read_as.metric or about.split or about.kind != "accuracy":
        return ()
    return (f"{names[at]} is taken for the accuracy on photos that were not trained on",)


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names as an error lists them: quoted where they have a comma or a space."""
    shown = [repr(name[:60]) if re.search(r"[\s,]", name) else name[:60] for name in names if name]
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more if shown else "no others"
