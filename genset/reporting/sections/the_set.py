"""The set: what it is of, and how a release was made."""

from collections.abc import Iterator

from markupsafe import Markup

from genset.classes import imagenet1k
from genset.core.numbers import count
from genset.core.safe import clean
from genset.reporting.blocks import Block, Html, Paragraph, Part
from genset.reporting.format import settings
from genset.reporting.html import facts, link
from genset.reporting.report import ReportData, Section, no_numbers
from genset.reporting.sections import sources
from genset.reporting.summary import ReleaseSummary, SetSummary


def show(_: None, data: ReportData) -> Iterator[Part]:
    """What the set is, and how it was made."""
    about = data.set
    blocks: list[Block] = [Html(lambda: _facts(data))]
    if not about.release:
        what = "A list of photos that are not here" if about.listed else "A plain folder"
        text = f"{what}: who took the photos, and who checked their labels, is not recorded."
        blocks.append(Paragraph(text))
    yield Part("the-set", "The set", blocks, page_only=True)


def _facts(data: ReportData) -> Markup:
    about, release = data.set, data.set.release
    number, every = len(imagenet1k()), f"ImageNet’s {len(imagenet1k()):,}"
    if taxonomy := data.taxonomy:
        number, every = len(taxonomy), f"the {len(taxonomy):,} of {clean(taxonomy.name)}"
    if release and release.chosen_classes < number:
        every = f"{release.chosen_classes:,} chosen, of {every}"
    found: list[tuple[str, str]] = [
        ("Classes", f"{about.classes:,} of {every}"),
        ("Photos", f"{about.photos:,}; {_per_class(about)}"),
        *(_of_release(release, data) if release else ()),
        ("Content hash", Markup("<code>{}</code>").format(about.content_hash)),
    ]
    return facts(found)


def _of_release(release: ReleaseSummary, data: ReportData) -> Iterator[tuple[str, str]]:
    """How a release was made."""
    by_source = data.of(sources.SECTION)
    of_sources = by_source.sources if by_source else ()
    yield "Posted", f"{release.posted_from[:10]} to {release.posted_to[:10]}"
    yield "Source", ", ".join(f"{source.title} ({source.photos:,})" for source in of_sources)
    labels = ", ".join(f"{n:,} {clean(verdict)}" for verdict, n in release.labels.items())
    people = count(release.labelers, "person", "people")
    yield "Labeled", f"by {people}; labels on these photos: {labels}"
    if release.missing_votes:
        yield "Not finished", f"{release.missing_votes} that labelers were to give"
    parameters = {name: value for name, value in release.strategy.items() if name != "name"}
    name = str(release.strategy.get("name", "unnamed"))
    yield "Chosen by", clean(f"{name} ({settings(parameters)})" if parameters else name, 300)
    reasons = [f"{count(n, 'candidate')}: {clean(why)}" for why, n in release.left_out.items()]
    yield "Left out", Markup("<br>").join(reasons or ["no candidate"])
    licenses = (
        Markup("{} ({:,})").format(link(license.url, clean(license.name)), license.photos)
        for license in release.licenses
    )
    yield "Licences", Markup("<br>").join(licenses)
    yield "Frozen", clean(release.created_at).replace("T", " ")


def _per_class(about: SetSummary) -> str:
    """How many photos a class has."""
    fewest = min(about.photos_per_class, default=0)
    most = max(about.photos_per_class, default=0)
    if fewest == most:
        return f"{fewest:,} a class"
    return f"{fewest:,} to {most:,} a class, {about.photos / about.classes:.1f} on average"


SECTION = Section("the_set", no_numbers, show)
