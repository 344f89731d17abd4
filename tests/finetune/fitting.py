"""Fine-tuning by specs as people write them; `genset` takes them apart at the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from genset.finetune.run import FinetuneResults
from genset.finetune.run import finetune as finetune_specs
from genset.models.spec import parse_spec


def finetune(
    tasks: Sequence[tuple[str, Path]], specs: Sequence[str], *rest: Any, **how: Any
) -> FinetuneResults:
    """What comes of fitting the models' heads on the tasks."""
    return finetune_specs(tasks, [parse_spec(spec) for spec in specs], *rest, **how)
