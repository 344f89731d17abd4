"""An answer without its markup and its opening words, both from fixed lists.

Models wrap a name in much that says nothing: "The image shows a **tench**.", JSON in a code fence,
thoughts before it. What is taken off is listed here; whatever else stands beside a name stays, and
then the answer is no name.
"""

import json
import re
from typing import Any

# The fields of a JSON object that may hold the answer.
FIELDS = ("answer", "class", "label", "category", "name", "prediction")

_THOUGHTS = ("</think>", "</thinking>")  # where they end
_FENCE = re.compile(r"```[\w-]*\s(.*)```", re.DOTALL)
_TAGGED = re.compile(r"<answer>(.*)</answer>", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\$*\\boxed\{(?:\\text\{)?([^{}]*)\}*\$*", re.IGNORECASE)
_EMPHASIS = re.compile(r"[*`]|__|^#+\s", re.MULTILINE)
_LONGEST = 400  # characters; what is longer is no name
_QUOTES = "\"'“”‘’«»„"
_ENDS = _QUOTES + " \t.!,;:"

# "Answer: tench" on a line of its own is the answer, whatever the other lines say.
_ANSWER_LINE = re.compile(
    r"^[ \t]*(?:the |my )?(?:final |best |correct )?answer(?: is)?[ \t]*:[ \t]*(\S.*)$",
    re.MULTILINE | re.IGNORECASE,
)

_PHOTO = r"(?:image|photo|photograph|picture)"
_OPENINGS = re.compile(
    "|".join(
        (
            rf"(?:in )?(?:the|this) {_PHOTO} (?:shows|depicts|contains|features|displays|is of|is)",
            r"(?:this|that|it|there) is|(?:it|that|there)['’]s|i (?:can )?see",
            r"(?:the |my )?(?:final |best |correct |most likely )?answer(?: is|\s*:)",
            r"(?:the )?(?:main |primary )?(?:object|subject|class|category|label)"
            rf"(?: (?:in|of) (?:the|this) {_PHOTO})?(?: is|\s*:)",
            rf"(?:an?|the) {_PHOTO} of",
        )
    ),
    re.IGNORECASE,
)


def unwrapped(answer: str) -> str:
    """The answer on one line without its markup; "" where it is none, or cannot be taken apart.

    >>> unwrapped('{"answer": "**Tench**"}')
    'Tench'
    """
    text = answer
    for end in _THOUGHTS:
        text = text.rpartition(end)[2].strip()
    for wrapping in (_FENCE, _TAGGED):
        if found := wrapping.fullmatch(text):
            text = found[1].strip()
    if text.startswith("{"):
        text = _field(text)
    text = _EMPHASIS.sub("", text).strip()
    if lines := _ANSWER_LINE.findall(text):
        text = lines[0] if len(lines) == 1 else ""
    if found := _BOXED.fullmatch(text.strip(_ENDS)):
        text = found[1]
    text = text.strip().strip(_ENDS)
    return "" if "\n" in text or len(text) > _LONGEST else text


def without_opening(text: str) -> str:
    """The same without the opening words that it begins with, if any: once, from a fixed list.

    >>> without_opening("The image shows a tench"), without_opening("It is a tench")
    ('a tench', 'a tench')
    """
    found = _OPENINGS.match(text)
    if found is None or not text[found.end() :].strip():
        return text
    rest = text[found.end() :]
    return rest.strip(_ENDS) if not rest[0].isalnum() else text


def _field(text: str) -> str:
    """The one field of a JSON object that may hold the answer."""
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    lower = {str(name).lower(): value for name, value in content.items()}
    found = [lower[name] for name in FIELDS if isinstance(lower.get(name), str)]
    return str(found[0]) if len(found) == 1 else ""
