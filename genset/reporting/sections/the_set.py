"""The set: what it is of, how a release was made, and where each of its photos is from."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from genset.classes import imagenet1k
from genset.core.numbers import count
from genset.core.safe import clean
from genset.release.reader import ReleasePhoto
from genset.reporting.blocks import Block, Html, Paragraph, Part
from genset.reporting.format import settings
from genset.reporting.html import folded, link
from genset.reporting.report import Inputs, ReportData, Section
from genset.reporting.sections import sources
from genset.reporting.summary import ReleaseSummary, SetSummary

_LISTED = 20_000  # photos whose origins a page lists: about 3 MB


_ORIGIN = ("file", "wnid", "source", "source_id", "page_url", "license", "license_url")


def gather(inputs: Inputs, _: ReportData) -> Sequence[ReleasePhoto]:
    """A release's photos."""
    return inputs.release.photos if inputs.release else ()


def _json(found: Sequence[ReleasePhoto], _: ReportData) -> dict[str, Any]:
    """Where each photo is from."""
    photos = [{name: getattr(photo, name) for name in _ORIGIN} for photo in found]
    return {"origins": photos} if photos else {}


def show(found: Sequence[ReleasePhoto], data: ReportData) -> Iterator[Part]:
    """What the set is, and of a release a link to each photo."""
    about = data.set
    blocks: list[Block] = [Html(lambda: _facts(data))]
    if found:
        blocks.append(Html(lambda: _origins(found, data)))
    if len(found) > _LISTED:
        text = (
            f"The first {_LISTED:,} of {len(found):,} photos; all are in the JSON, and in the "
            "release’s ATTRIBUTION.txt."
        )
        blocks.append(Paragraph(text, "note"))
    if not about.release:
        what = "A list of photos that are not here" if about.listed else "A plain folder"
        text = f"{what}: who took the photos, and who checked their labels, is not recorded."
        blocks.append(Paragraph(text, "note"))
    yield Part("the-set", "The set", blocks, page_only=True)


def _facts(data: ReportData) -> Markup:
    about, release = data.set, data.set.release
    classes = f"{about.classes:,} of ImageNet’s {len(imagenet1k()):,}"
    if taxonomy := data.taxonomy:
        classes = f"{about.classes:,} of the {len(taxonomy):,} of {clean(taxonomy.name)}"
    facts: list[tuple[str, str]] = [
        ("Classes", classes),
        ("Photos", f"{about.photos:,}; {_per_class(about)}"),
        *(_of_release(release, data) if release else ()),
        ("Content hash", Markup("<code>{}</code>").format(about.content_hash)),
    ]
    form = Markup("<dt>{}</dt><dd>{}</dd>")
    return Markup("<dl>\n{}\n</dl>").format(Markup("\n").join(form.format(*fact) for fact in facts))


def _of_release(release: ReleaseSummary, data: ReportData) -> Iterator[tuple[str, str]]:
    """How a release was made."""
    by_source = data.of(sources.SECTION)
    titles = {source.name: source.title for source in by_source.sources} if by_source else {}
    yield "Posted", f"{release.posted_from[:10]} to {release.posted_to[:10]}"
    counts = release.sources.items()
    yield "Source", ", ".join(f"{titles.get(name, clean(name))} ({n:,})" for name, n in counts)
    labels = ", ".join(f"{n:,} {clean(verdict)}" for verdict, n in release.labels.items())
    people = count(release.labelers, "person", "people")
    yield "Labeled", f"by {people}; labels on these photos: {labels}"
    yield "Chosen by", clean(_strategy(release.strategy), 300)
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


def _strategy(values: Mapping[str, Any]) -> str:
    """A strategy's name, and its parameters where it has any."""
    parameters = {name: value for name, value in values.items() if name != "name"}
    name = str(values.get("name", "unnamed"))
    return f"{name} ({settings(parameters)})" if parameters else name


def _origins(found: Sequence[ReleasePhoto], data: ReportData) -> Markup:
    """A link to each photo, by source and licence, in the order of the sources."""
    by_source = data.of(sources.SECTION)
    titles = {source.name: source.title for source in by_source.sources} if by_source else {}
    order = {name: place for place, name in enumerate(titles)}
    groups = defaultdict(list)
    for photo in found[:_LISTED]:
        groups[photo.source, photo.license].append(photo)
    form = Markup("<dt><bdi>{}</bdi>, <bdi>{}</bdi></dt>\n<dd>{}</dd>")
    listed = []
    for (source, license), photos in sorted(
        groups.items(), key=lambda group: (order[group[0][0]], group[0][1])
    ):
        links = Markup(", ").join(
            link(photo.page_url, clean(photo.source_id, 60)) for photo in photos
        )
        listed.append(form.format(titles[source], clean(license, 60), links))
    body = Markup("<dl>\n{}\n</dl>").format(Markup("\n").join(listed))
    return folded("Source and licence of each photo", body)


SECTION = Section("origins", gather, show, _json)
