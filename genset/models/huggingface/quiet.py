"""transformers, imported where it is asked for, without its talk."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from genset.core.errors import MissingExtra


@contextmanager
def transformers_for(text: str) -> Iterator[Any]:
    """The package, for the model of a spec; its warnings and bars are not shown in the block.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import transformers
    except ModuleNotFoundError:
        raise MissingExtra(f"model {text!r}", "transformers") from None
    log: Any = transformers.utils.logging
    level, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    hub = logging.getLogger("huggingface_hub")
    hubs_level = hub.level
    log.set_verbosity(logging.CRITICAL)
    log.disable_progress_bar()
    hub.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield transformers
    finally:
        log.set_verbosity(level)
        hub.setLevel(hubs_level)
        if bars:
            log.enable_progress_bar()
