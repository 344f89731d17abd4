"""What the report's Markdown and JSON are put together with."""

from pathlib import Path
from typing import Any

from genset.statistics.intervals import Interval


def plain(value: Any) -> Any:
    """JSON's types; without the places where this machine keeps photos, nobody's business."""
    if isinstance(value, Interval):
        return value._asdict()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key != "path"}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.name if isinstance(value, Path) else value
