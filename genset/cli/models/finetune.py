"""The command that fits new heads on other tasks."""

from pathlib import Path
from typing import Any

import click

from genset.cli.common import PATH, format_command, model_option, need, runs_option, show_tables
from genset.core.errors import BadInput
from genset.core.progress import say
from genset.models.spec import ModelSpec


@click.command()
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
@click.option(
    "--data",
    multiple=True,
    required=True,
    metavar="[TASK=]DIR",
    help="The folder of photos, for all tasks or for one.",
)
@model_option
@click.option("--seeds", default=3, show_default=True, help="The number of heads to fit.")
@click.option("--shots", default="all", metavar="LIST", help="A learning curve: 1,2,5,10,all.")
@click.option("--strengths", metavar="LIST", help="Regularizers to choose from: 0.01,0.1,1.")
@click.option(
    "--test-share",
    default=0.2,
    show_default=True,
    help="Share of test photos, if no split is defined.",
)
@click.option(
    "--split-seed", default=0, show_default=True, help="Seed of the split, if none is defined."
)
@click.option("--save-heads", type=PATH, help="Save the networks with their new heads here.")
@click.option("--engine", default="auto", show_default=True, help="As in genset evaluate.")
@click.option("--precision", default="float32", show_default=True, help="As in genset evaluate.")
@click.option("--decode", "decoding", default="exact", show_default=True, help="exact or fast.")
@click.option("--cache", type=PATH, help="Keep decoded pixels in this folder, for later runs.")
@click.option("--allow-code", is_flag=True, help="As in genset evaluate.")
@runs_option
@click.option(
    "--all-pairs", is_flag=True, help="Compare any two models, not only with the first one."
)
@format_command
def finetune(
    folder: Path | None,
    /,
    tasks: tuple[str, ...],
    data: tuple[str, ...],
    models: tuple[ModelSpec, ...],
    save_heads: Path | None,
    runs: Path | None,
    all_pairs: bool,
    format: str,
    **how: Any,
) -> None:
    """Train models' last layers on other tasks, and compare the models there.

    SPEC is as in genset evaluate. The other models are compared with the first one; with
    --all-pairs, any two of them. TASK is

    \b
    birds-200    CUB-200-2011: https://data.caltech.edu/records/65de6-vp158
    pets         Oxford-IIIT Pets: https://www.robots.ox.ac.uk/~vgg/data/pets
    food-101     https://data.vision.ee.ethz.ch/cvl/datasets_extra/food-101
    dtd          Describable Textures, and dtd:2 to dtd:10, its other splits:
                 https://www.robots.ox.ac.uk/~vgg/data/dtd
    cats-dogs    Kaggle's Dogs vs. Cats: https://www.kaggle.com/c/dogs-vs-cats/data
    butterflies  Leeds Butterfly: http://www.josiahwang.com/dataset/leedsbutterfly/
    eurosat      https://github.com/phelber/EuroSAT
    folder       your own photos: one folder per class, perhaps in train/ and test/ (or val/)

    Only the last layer is trained, on features that are computed once, in one pass over the photos
    for all models, and stored. The test part is used once, at the end. A finished run is not
    repeated, and an interrupted one resumes.

    \b
    genset finetune birds-200 --data CUB_200_2011 --model torchvision:resnet50 \\
        --model 'file:fast.pth?arch=torchvision:resnet50'
    """
    need("evaluate", "fine-tuning models", "torch", "torchvision", "numpy")
    from genset.finetune.tasks import described
    from genset.score.allocator import tune_allocator
    from genset.sets.open import locate_runs

    named = [(task, where) for task in tasks if described(task) for where in _data(task, data)]
    tune_allocator()  # before PyTorch is there
    from genset.cli.models.finetune_tables import document, tables
    from genset.finetune.run import SomeFailed
    from genset.finetune.run import finetune as fit

    options = _options(how)
    store = runs or locate_runs(folder)
    failed = None
    try:
        finished = fit(named, models, store, options, save_heads, say)
    except SomeFailed as error:
        finished, failed = error.finished, error
    if finished.runs or format == "json":
        whole = document(finished, all_pairs) if format == "json" else None
        show_tables(tables(finished, all_pairs), format, whole)
    if failed is not None:
        raise failed


def _options(how: dict[str, Any]) -> Any:
    from genset.finetune.fitting import FinetuneOptions, read_shots, read_strengths
    from genset.score.options import ScoringOptions

    scoring = ("engine", "precision", "decoding", "cache", "allow_code")
    values = {
        "seeds": how["seeds"],
        "shots": read_shots(how["shots"]),
        "test_share": how["test_share"],
        "split_seed": how["split_seed"],
        "scoring": ScoringOptions(**{name: how[name] for name in scoring}),
    }
    if how["strengths"] is not None:
        values["strengths"] = read_strengths(how["strengths"])
    return FinetuneOptions(**values)


def _data(task: str, words: tuple[str, ...]) -> list[Path]:
    """The folders of a task's photos. Only `folder` can have several.

    Raises:
        BadInput: there is none, or several for another task.
    """
    from genset.finetune.tasks import TASKS

    of_all, of_task = [], []
    for word in words:
        name, equals, path = word.partition("=")
        if equals and name.partition(":")[0] in TASKS:
            of_task += [path] if name in (task, task.partition(":")[0]) else []
        else:
            of_all.append(word)
    found = of_task or of_all
    if not found:
        raise BadInput(f"{task} has no data: name its folder with --data {task}=DIR")
    if len(found) > 1 and task != "folder":
        raise BadInput(
            f"{task} has several folders of data ({', '.join(found)}): say which of them is "
            f"meant with --data {task}=DIR"
        )
    return [Path(path) for path in found]
