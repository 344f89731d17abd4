"""What `genset scrape --dry-run` says."""

from typing import TYPE_CHECKING

from genset.core.numbers import count, spoken

if TYPE_CHECKING:
    from genset.scrape.collect.estimate import Estimate, RightPhotos
    from genset.scrape.collect.plan import ScrapePlan


def told(takes: "Estimate", plan: "ScrapePlan") -> list[str]:
    """What a scrape takes, in words."""
    calls, images = takes.rates.calls_an_hour, takes.rates.images_per_second
    lines = [
        f"{count(takes.calls, 'call')} of the API at least, for {takes.classes:,} of "
        f"{count(len(plan.classes), 'class', 'classes')}: "
        + (f"{spoken(takes.call_hours)} at {calls:,.0f} an hour" if calls else "no limit is set"),
        f"{count(takes.downloads, 'photo')} to download: "
        + (f"{spoken(takes.image_hours)} at {images:g} a second" if images else "no limit is set"),
    ]
    if takes.hours:
        longer = "the calls take" if takes.call_hours > takes.image_hours else "the photos take"
        lines.append(f"{longer} longer, and the whole takes {spoken(takes.hours)} at least")
    if takes.downloads > takes.photos:
        lines.append(
            f"{takes.photos:,} of the photos will be stored, and the others refused, as "
            f"{takes.refused_share:.1%} of this pool's were"
        )
    if takes.photos:
        usual = "this pool's mean" if takes.is_own_mean else "a usual size"
        lines.append(
            f"{_size(takes.bytes)} on the disk at {takes.bytes_a_photo / 1000:,.0f} kB a photo, "
            f"{usual}"
        )
    return [*lines, *_right(takes.right, plan)]


def _size(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"


def _right(right: "RightPhotos", plan: "ScrapePlan") -> list[str]:
    """What labels say of the photos to come; nothing where there are none."""
    if right.share is None:
        return []
    of_classes = f"of {right.classes:,} of {count(len(plan.classes), 'class', 'classes')}"
    labels = f"{count(right.labeled, 'labeled photo')} {of_classes}"
    if right.per_class is None:
        return [f"{labels} cannot tell how many of a class's {plan.per_class:,} will be right"]
    return [
        f"about {right.per_class:,.0f} of a class's {count(plan.per_class, 'photo')} will be right "
        f"({right.low:,.0f} to {right.high:,.0f}), as {right.share:.0%} of {labels} are"
    ]
