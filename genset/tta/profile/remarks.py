"""What a roofline needs to be read right: what it leaves out, and points above the roof."""

from collections.abc import Sequence

from genset.core.safe import clean
from genset.tta.profile.inputs import MULTIPLIES, Missing
from genset.tta.profile.peaks import Peaks, tells_by_units
from genset.tta.profile.roofline import Point
from genset.tta.profile.work import Counted, LeftOut

# What is left out, less than this share of the time, is not worth a sentence.
_LITTLE = 0.005
# More than this, and a run's figures are too low to be read without a warning.
_MUCH = 0.1

_WHY: dict[Missing, str] = {
    "values": "whose strides and the like are not recorded (PyTorch before 2.1 records none)",
    "shapes": "whose shapes are not recorded (record_shapes=True records them, but for lists of "
    "more than 30 tensors)",
    "formula": "that genset has no formula for",
    "steps": "called outside of the marked steps",
    "operator": "that no operator launched (a CUDA graph's, compiled code's)",
}


def remarks(
    ranks: Sequence[Counted], points: Sequence[Point], left: Sequence[LeftOut], peaks: Peaks | None
) -> list[str]:
    """A sentence each.

    Args:
        points: the operators'.
        left: what is left out, longest first.
    """
    whole = sum(rank.seconds for rank in ranks)
    on = "operators" if any(rank.on == "host" for rank in ranks) else "kernels"
    said = _left_out(left, whole, on)
    unknown = sum(each.seconds for each in left) / whole if whole > 0 else 0.0
    if points and unknown > _MUCH:
        said.append(
            f"the work of {100 * unknown:.0f} % of the time of {on} is not known: the run's "
            "achieved FLOP/s and bytes/s are at least what is printed"
        )
    said += _of_unknown_units(points, peaks)
    said += _above(points)
    if any(rank.causal for rank in ranks):
        said.append(
            "attention is masked (is_causal), and counted whole, as torch.utils.flop_counter "
            "does: its kernels may do half of that"
        )
    if points and on == "kernels" and (peaks is None or not peaks.tflops):
        said.append("the device's peaks are not known: give them, --peak-tflops and --peak-gbs")
    elif points and on == "kernels" and peaks is not None and peaks.gbs is None:
        said.append("the device's name does not tell its memory: give its rate, --peak-gbs")
    return said


def _left_out(left: Sequence[LeftOut], whole: float, on: str) -> list[str]:
    said = []
    for missing, why in _WHY.items():
        of = [each for each in left if each.missing == missing]
        share = sum(each.seconds for each in of) / whole if whole > 0 else 0.0
        if share < _LITTLE:
            continue
        most = f", most in {clean(of[0].name, 60)}" if of[0].name else ""
        thing = on if missing == "operator" else "operators"
        said.append(f"left out: {100 * share:.1f} % of the time of {on}, in {thing} {why}{most}")
    return said


def _of_unknown_units(points: Sequence[Point], peaks: Peaks | None) -> list[str]:
    """Products of float32 that matrix units may have done, as TF32, or not."""
    if peaks is None or not tells_by_units(peaks):
        return []
    of = [
        point
        for point in points
        if point.kind in MULTIPLIES and point.precision == "float32" and point.roof is None
    ]
    if not of:
        return []
    share = sum(point.share or 0.0 for point in of)
    vector, tf32 = (peaks.tflops.get(roof) for roof in ("float32", "tf32"))
    return [
        f"{100 * share:.1f} % of the time is products of float32 by kernels whose names do not "
        f"tell whether they used matrix units (TF32), most in {clean(of[0].name, 60)}: they are "
        f"held against no peak, since it is {vector or 0:,.4g} TFLOP/s without and "
        f"{tf32 or 0:,.4g} with them"
    ]


def _above(points: Sequence[Point]) -> list[str]:
    above = [point for point in points if point.above > 1.0]
    if not above:
        return []
    highest = max(above, key=lambda point: point.above)
    share = sum(point.share or 0.0 for point in above)
    return [
        f"{len(above)} of {len(points)} points, {100 * share:.1f} % of the time, are above the "
        f"roof ({clean(highest.name, 60)} {highest.above:,.1f} times): what they read was in a "
        "cache, or a peak is wrong"
    ]


def together_above(
    stars: Sequence[Point], kinds: Sequence[Point], points: Sequence[Point]
) -> list[str]:
    """What is said of a whole run, and of kinds of operators, that lie above the roof.

    Args:
        points: the operators'; where one is above, its kind need not be named.
    """
    precision = "a part was done in a faster precision than it is held against, or a peak is wrong"
    whole = sorted(stars, key=lambda star: -star.above)[:1]
    said = [each for star in whole for each in _star_above(star, "the run as a whole", precision)]
    named = {point.kind for point in points if point.above > 1.0}
    for kind in kinds:
        if kind.kind not in named:
            said += _star_above(kind, f"{clean(kind.name, 60)} as a whole", precision)
    return said


def point_above(point: Point) -> list[str]:
    """What is said of a point given by hand that lies above the roof."""
    return _star_above(point, "the point", "its FLOPs, its seconds or a peak is wrong")


def _star_above(star: Point, what: str, flops: str) -> list[str]:
    """No cache makes FLOPs: where those are above the roof, something else is the reason."""
    if star.above <= 1.0:
        return []
    over = (star.of_peak or 0.0) > 1.0
    why = flops if over else "what it read was in a cache, or a peak or a number is wrong"
    return [f"{what} is above the roof, {star.above:,.2f} times: {why}"]
