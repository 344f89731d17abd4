"""The command that fits new heads on other tasks."""

import re
from pathlib import Path
from typing import Any

import click
from click import IntRange

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
@click.option("--seeds", type=IntRange(1, 100), default=3, show_default=True, help="Heads to fit.")
@click.option("--shots", default="all", metavar="LIST", help="A learning curve: 1,2,5,10,all.")
@click.option("--strengths", metavar="LIST", help="Regularizers to choose from: 0.01,0.1,1.")
@click.option("--test-share", default=0.2, show_default=True, help="Test photos of a seeded split.")
@click.option("--split-seed", type=IntRange(0), default=0, show_default=True, help="Its seed.")
@click.option("--save-heads", type=PATH, help="Save the networks with their new heads here.")
@click.option("--engine", default="auto", show_default=True, help="As in genset evaluate.")
@click.option("--precision", default="float32", show_default=True, help="As in genset evaluate.")
@click.option("--decode", "decoding", default="exact", show_default=True, help="exact or fast.")
@click.option("--cache", type=PATH, help="Keep decoded pixels in this folder, for later runs.")
@click.option("--allow-code", is_flag=True, help="As in genset evaluate.")
@runs_option
@click.option("--all-pairs", is_flag=True, help="Compare any two models.")
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
    birds-200     CUB-200-2011: https://data.caltech.edu/records/65de6-vp158
    pets          Oxford-IIIT Pets: https://www.robots.ox.ac.uk/~vgg/data/pets
    flowers-102   https://www.robots.ox.ac.uk/~vgg/data/flowers/102
    aircraft      FGVC-Aircraft: https://www.robots.ox.ac.uk/~vgg/data/fgvc-aircraft
    food-101      https://data.vision.ee.ethz.ch/cvl/datasets_extra/food-101
    dtd           Describable Textures, and dtd:2 to dtd:10, its other splits:
                  https://www.robots.ox.ac.uk/~vgg/data/dtd
    cats-dogs     Kaggle's Dogs vs. Cats: https://www.kaggle.com/c/dogs-vs-cats/data
    butterflies   Leeds Butterfly: http://www.josiahwang.com/dataset/leedsbutterfly/
    eurosat       https://github.com/phelber/EuroSAT
    folder        your own photos: one folder per class, perhaps in train/ and test/ (or val/)
    table         your own photos: a CSV with the columns image, label and perhaps split
    hugging-face  a folder of Parquet files, or what save_to_disk wrote
    torchvision:NAME
                  what the class NAME of torchvision.datasets reads in DIR, as CIFAR10

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
    from genset.finetune.run import SomeFailed
    from genset.finetune.run import finetune as fit
    from genset.finetune.tables import document, tables

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
    return FinetuneOptions(
        **{name: how[name] for name in ("seeds", "test_share", "split_seed")},
        shots=read_shots(how["shots"]),
        strengths=() if how["strengths"] is None else read_strengths(how["strengths"]),
        scoring=ScoringOptions(**{name: how[name] for name in scoring}),
    )


def _data(task: str, words: tuple[str, ...]) -> list[Path]:
    """The folders of a task's photos. Only one's own can be several.

    Raises:
        BadInput: there is none, or several for another task.
    """
    from genset.finetune.tasks import TASKS, layout_of

    named = [word for word in words if "=" in word and re.split("[:=]", word)[0] in TASKS]
    of_task = [word.split("=", 1) for word in named]
    found = [path for name, path in of_task if name in (task, task.partition(":")[0])]
    found = found or [word for word in words if word not in named]
    if not found:
        raise BadInput(f"{task} has no data: name its folder with --data {task}=DIR")
    if len(found) > 1 and not layout_of(task)[0].by_folder:
        raise BadInput(
            f"{task} has several folders of data ({', '.join(found)}): say which of them is "
            f"meant with --data {task}=DIR"
        )
    return [Path(path) for path in found]
