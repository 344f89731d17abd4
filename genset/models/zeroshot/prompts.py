"""The sentences that a class's name is put into: these alone move accuracy by points."""

from pathlib import Path

from genset.core.errors import BadInput, MissingExtra
from genset.models.zeroshot.names import Listed, read_lines

# Stands for the name.
PLACE = "{}"

# open_clip's lists, by the words that specs have for them.
_LISTS = {
    "openai80": "OPENAI_IMAGENET_TEMPLATES",
    "simple": "SIMPLE_IMAGENET_TEMPLATES",
}
USUAL = "openai80"


def prompt_templates(asked: str) -> Listed:
    """Templates with {} in the place of the name.

    Args:
        asked: "openai80" (or "") or "simple": those of open_clip; or a file with one a line.

    Raises:
        BadInput: the file cannot be read, or a line of it has not one {}.
        MissingExtra: they are open_clip's, which is not installed.
    """
    asked = asked or USUAL
    if asked in _LISTS:
        try:
            import open_clip
        except ModuleNotFoundError:
            raise MissingExtra(f"prompts={asked}", "zeroshot") from None
        templates = getattr(open_clip, _LISTS[asked])
        return Listed(asked, tuple(template(PLACE) for template in templates))
    lines = read_lines(asked, "prompts")
    for number, line in enumerate(lines, 1):
        if line.count(PLACE) != 1:
            raise BadInput(
                f"{asked}, line {number}: {line[:60]!r} has not one {{}} for the name, as in "
                "'a photo of a {}.'"
            )
    return Listed(Path(asked).name, tuple(lines))


def in_words(template: str, name: str) -> str:
    """A sentence about a class."""
    return template.replace(PLACE, name)
