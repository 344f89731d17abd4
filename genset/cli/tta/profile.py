"""The command that says what the hardware did, from profilers' traces."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import json_option
from genset.cli.tta.common import can_draw, figure_option, markdown_option, one_form, show
from genset.cli.tta.named import numbers_by_name, texts_by_name, traces_by_name
from genset.core.errors import BadInput

if TYPE_CHECKING:
    from genset.tta.profile.compared import Compared


@click.command("profile")
@click.argument("traces", metavar="NAME=TRACE...", nargs=-1)
@click.option(
    "--point",
    "points",
    metavar="NAME=FLOPS,BYTES,SECONDS",
    multiple=True,
    help="A run without a trace, for the roofline.",
)
@click.option(
    "--device",
    "devices",
    metavar="[NAME=]DEVICE",
    multiple=True,
    help="Whose peaks to take, where a trace does not say: TPUv3, H100 PCIe.",
)
@click.option(
    "--peak-tflops",
    metavar="[NAME=]TFLOPS",
    multiple=True,
    help="What the device could do at most, 10^12 FLOP/s, of all runs or of one.",
)
@click.option(
    "--peak-gbs",
    metavar="[NAME=]GBS",
    multiple=True,
    help="To and from its memory at most, 10^9 bytes a second.",
)
@click.option(
    "--link-gbits",
    metavar="[NAME=]GBITS",
    multiple=True,
    help="The advertised rate of the link between devices, 10^9 bits a second.",
)
@click.option("--how", is_flag=True, help="Print how to record a trace that holds all of it.")
@figure_option
@markdown_option
@json_option
def profile_command(
    traces: Sequence[str],
    how: bool,
    output: Path | None,
    markdown: bool,
    as_json: bool,
    **given: Sequence[str],
) -> None:
    """Say what the hardware did, from traces of PyTorch's profiler.

    A TRACE is a file that torch.profiler exported (Chrome's JSON, gzipped or not). The same NAME
    again is another rank of that run; several names are runs side by side, in one figure. Printed
    are the shares of time by rank (computing, copies, communication, idle), the share of kernel
    time in kernels that use matrix units (Tensor Cores), what operators achieved beside the
    device's peaks, and how fast ranks talked. What a trace does not hold is named.

    \b
    genset tta profile amp=rank0.json.gz amp=rank1.json.gz float32=plain.json -o profile.svg
    genset tta profile run.pt.trace.json.gz --point tpu=2.1e15,3e13,60 \\
        --peak-tflops tpu=184 --peak-gbs tpu=2800
    genset tta profile --how
    """
    from genset.tta.profile.figure import draw_profile
    from genset.tta.profile.tables import profile_grids
    from genset.tta.traces.trace import HOW

    one_form(markdown, as_json)
    if how:
        if traces or output or any(given.values()):
            raise click.UsageError("--how prints how to record a trace: say it alone.")
        click.echo(HOW)
        return
    if not traces and not given["points"]:
        raise click.UsageError("Missing argument 'NAME=TRACE...'.")
    can_draw(output)
    found = _compared(traces, **given)
    show(found, profile_grids(found), markdown, as_json)
    if output:
        draw_profile(found, output)


def _compared(traces: Sequence[str], points: Sequence[str], **said: Sequence[str]) -> "Compared":
    from genset.tta.profile.compared import Asked, compare
    from genset.tta.profile.peaks import read_point
    from genset.tta.profile.run import Given

    paths = traces_by_name(traces)
    elsewhere = [read_point(word) for word in points]
    names = [*paths, *(point.name for point in elsewhere)]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadInput(f"--point: {twice} is the name of another run: say another")
    devices = texts_by_name("--device", said["devices"], names)
    tflops, gbs, link = (
        numbers_by_name(f"--{option.replace('_', '-')}", said[option], names)
        for option in ("peak_tflops", "peak_gbs", "link_gbits")
    )
    given = {
        name: Given(tflops.get(name), gbs.get(name), link.get(name), devices.get(name, ""))
        for name in names
    }
    return compare(Asked(paths, elsewhere, given))
