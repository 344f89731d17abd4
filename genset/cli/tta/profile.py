"""The command that shows what the hardware did, from profilers' traces, and its NAME=… words."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import format_option
from genset.cli.tta.common import check_output, figure_option, show
from genset.core.errors import BadInput
from genset.core.safe import clean

if TYPE_CHECKING:
    from genset.tta.profile.profile import Comparison

# What profilers and their users end the names of traces by.
_ENDINGS = re.compile(r"(\.pt)?(\.trace)?\.(json|gz|json\.gz)$", re.IGNORECASE)
# Names tell runs apart, and are cut where they are shown. No path is longer.
_LONGEST = 5000


@click.command("profile")
@click.argument("traces", metavar="NAME=TRACE...", nargs=-1)
@click.option(
    "--point",
    "points",
    metavar="NAME=FLOPS,BYTES,SECONDS",
    multiple=True,
    help="Add a run without a trace to the roofline.",
)
@click.option(
    "--device",
    "devices",
    metavar="[NAME=]DEVICE",
    multiple=True,
    help="Use the peaks of this device if a trace does not name it: TPUv3, H100 PCIe.",
)
@click.option(
    "--peak-tflops",
    metavar="[NAME=]TFLOPS",
    multiple=True,
    help="The device's peak in 10^12 FLOP/s, of all runs or of one.",
)
@click.option(
    "--peak-gbs",
    metavar="[NAME=]GBS",
    multiple=True,
    help="The peak of its memory in 10^9 bytes a second.",
)
@click.option("--all", "everything", is_flag=True, help="Print all tables and remarks.")
@click.option("--how", is_flag=True, help="Print how to record a trace that has everything.")
@figure_option
@format_option
def profile_command(
    traces: Sequence[str],
    everything: bool,
    how: bool,
    output: Path | None,
    format: str,
    **options: Sequence[str],
) -> None:
    """Show what the hardware did, from traces of PyTorch's profiler.

    A TRACE is a file that torch.profiler exported (Chrome's JSON, gzipped or not). The same NAME
    again is another rank of that run; several names are runs side by side, in one figure. Prints
    how busy each run's device was, what hinders it most, and what to do next. With --all, or in
    another format than text: shares of time by rank (computing, copies, communication, idle), the
    share of kernel time in kernels that use matrix units (Tensor Cores), what convolutions and
    matrix products achieved compared with the device's peaks, and what a trace lacks.

    \b
    genset tta profile amp=rank0.json.gz amp=rank1.json.gz float32=plain.json -o profile.svg
    genset tta profile run.pt.trace.json.gz --point tpu=2.1e15,3e13,60 \\
        --peak-tflops tpu=184 --peak-gbs tpu=2800
    genset tta profile --how
    """
    from genset.tta.profile.profile import draw_profile, profile_tables
    from genset.tta.profile.trace import HOW

    if how:
        if traces or output or everything or any(options.values()):
            raise click.UsageError("--how takes no other options.")
        click.echo(HOW)
        return
    if not traces and not options["points"]:
        raise click.UsageError("Missing argument 'NAME=TRACE...'.")
    check_output(output)
    found = compared(traces, **options)
    show(found, profile_tables(found, everything or format != "text"), format)
    if output:
        draw_profile(found, output)


def compared(
    traces: Sequence[str],
    points: Sequence[str],
    devices: Sequence[str],
    peak_tflops: Sequence[str],
    peak_gbs: Sequence[str],
) -> "Comparison":
    from genset.tta.profile.peaks import DeviceOptions, positive, read_point
    from genset.tta.profile.profile import compare

    paths = _traces_by_name(traces)
    hand_points = [read_point(word) for word in points]
    names = [*paths, *(point.name for point in hand_points)]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadInput(f"--point: another run is called {twice}: choose another name")
    device = _texts_by_name("--device", devices, names)
    texts = {
        option: _texts_by_name(option, words, names)
        for option, words in (("--peak-tflops", peak_tflops), ("--peak-gbs", peak_gbs))
    }
    rates = {(option, of): positive(text) for option in texts for of, text in texts[option].items()}
    for (option, name), rate in rates.items():
        if rate is None:
            raise BadInput(f"{option} {texts[option][name]}: write a number above 0")
    tflops, gbs = ({name: rates.get((option, name)) for name in names} for option in texts)
    options = {of: DeviceOptions(tflops[of], gbs[of], device.get(of, "")) for of in names}
    return compare(paths, hand_points, options)


def _traces_by_name(words: Sequence[str]) -> dict[str, list[Path]]:
    """The traces of each run: NAME=TRACE, or TRACE alone, which is named after its file.

    Raises:
        BadInput: a name or a path is empty, or two traces without a name have the same.
    """
    found: dict[str, list[Path]] = {}
    unnamed: set[str] = set()
    for word in words:
        word_name, path = _name_and_path(word)
        name = word_name or clean(_ENDINGS.sub("", path.name), _LONGEST) or "trace"
        if name in (unnamed if word_name else found):
            raise BadInput(
                f"{word}: another trace is called {name}: write NAME=TRACE, the same name for "
                "ranks of one run and different names for different runs"
            )
        if not word_name:
            unnamed.add(name)
        found.setdefault(name, []).append(path)
    return found


def _texts_by_name(option: str, words: Sequence[str], names: Iterable[str]) -> dict[str, str]:
    """A text for each of `names`: NAME=TEXT is of one, TEXT alone of all others.

    Raises:
        BadInput: there is no such name, or one has two.
    """
    names = list(names)
    found: dict[str, str] = {}  # "" for all others
    for word in words:
        name, equals, text = word.rpartition("=")
        if equals and name not in names:
            known = clean(", ".join(names), 200) or "none is named"
            raise BadInput(f"{option} {word}: no run is called {name} ({known})")
        if not text:
            raise BadInput(f"{option} {word}: write a value after the =, NAME=VALUE")
        if name in found:
            raise BadInput(f"{option} {word}: give it once for each run, NAME=…, or once for all")
        found[name] = text
    of_all = found.pop("", None)
    return ({} if of_all is None else dict.fromkeys(names, of_all)) | found


def _name_and_path(word: str) -> tuple[str, Path]:
    """A name, "" if there is none, and a path; what is a file as it stands has no name."""
    name, equals, path = word.partition("=")
    if not equals or Path(word).is_file():
        name, path = "", word
    elif not clean(name) or not path:
        raise BadInput(f"{word}: write NAME=FILE")
    return clean(name, _LONGEST), Path(path)
