"""The page's table of contents, read off the sections that it has."""

import re

from markupsafe import Markup

_SECTION = re.compile(r'<section id="([a-z-]+)"[^>]*>\s*<h2[^>]*>(.*?)</h2>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def contents(body: str) -> list[tuple[str, Markup]]:
    """Each section's id and its title, to the first colon.

    Args:
        body: the page's sections as HTML. Whatever a stranger wrote is escaped in it, so that no
            words of theirs are taken for a section, and titles stay escaped here.
    """
    found = _SECTION.findall(body)
    return [(anchor, Markup(_TAG.sub("", title).partition(":")[0])) for anchor, title in found]  # noqa: S704
