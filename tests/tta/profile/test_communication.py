"""How fast ranks talked, against nccl-tests' definitions worked out by hand."""

import pytest

from genset.tta.profile.communication import bus_factor, communication
from genset.tta.profile.kernels import communicates
from genset.tta.traces.trace import Collective
from tests.tta.profile.made import NCCL, kernel

MEGA = 1_000_000


def moved(
    name: str, into: int, out: int, group: int | None = 4, each: int | None = 4
) -> Collective:
    return Collective(name, into, out, each, group)


def test_an_all_reduce_moves_twice_its_message_less_a_share() -> None:
    # 1,000,000 floats in 1 ms: 4 MB, 32 Gbit/s; each link carries 2 x 3/4 of it.
    found = communication([[kernel(0, 1000, NCCL, moved=moved("allreduce", MEGA, MEGA))]], 100)
    assert found is not None
    (rate,) = found.rates
    assert (rate.collective, rate.group, rate.calls) == ("allreduce", 4, 1)
    assert (rate.bytes, rate.seconds) == (4 * MEGA, 1e-3)
    assert rate.algorithm_gbits == pytest.approx(32)
    assert rate.bus_gbits == rate.fastest_bus_gbits == pytest.approx(48)
    assert rate.of_link == pytest.approx(0.48)
    assert (found.of_kernel_time, found.unknown, found.link_gbits) == (1, 0, 100)


@pytest.mark.parametrize(
    ("name", "into", "out", "algorithm", "bus"),
    [
        ("_allgather_base", MEGA, 4 * MEGA, 128, 96),  # the message is what all gather
        ("all_gather_into_tensor_coalesced", MEGA, 4 * MEGA, 128, 96),
        ("_reduce_scatter_base", 4 * MEGA, MEGA, 128, 96),
        ("reduce_scatter_tensor_coalesced", 4 * MEGA, MEGA, 128, 96),
        ("all_to_allv", MEGA, MEGA, 32, 24),
        ("broadcast", MEGA, MEGA, 32, 32),
        ("reduce", MEGA, MEGA, 32, 32),
        ("send", MEGA, MEGA, 32, 32),
        ("allreduce_coalesced", MEGA, MEGA, 32, 48),
    ],
)
def test_each_collective_has_its_own_message_and_factor(
    name: str, into: int, out: int, algorithm: float, bus: float
) -> None:
    found = communication([[kernel(0, 1000, NCCL, moved=moved(name, into, out))]], None)
    assert found is not None
    assert found.rates[0].algorithm_gbits == pytest.approx(algorithm)
    assert found.rates[0].bus_gbits == pytest.approx(bus)
    assert found.rates[0].of_link is None


def test_calls_of_one_collective_in_groups_of_one_size_are_one_line() -> None:
    ranks = [
        [
            kernel(0, 1000, NCCL, moved=moved("allreduce", MEGA, MEGA)),
            kernel(500, 1500, NCCL, on=(0, 9), moved=moved("allreduce", MEGA, MEGA)),
            kernel(2000, 2100, NCCL, moved=moved("allreduce", MEGA, MEGA, group=2)),
            kernel(3000, 3400),
        ],
        [kernel(0, 500, NCCL, moved=moved("allreduce", MEGA, MEGA))],
    ]
    found = communication(ranks, None)
    assert found is not None
    four, two = found.rates
    assert (four.group, four.calls, four.bytes) == (4, 3, 12 * MEGA)
    assert four.seconds == 2e-3  # 1500 on one rank, where two overlap, and 500 on the other
    assert four.algorithm_gbits == pytest.approx(48)
    assert four.fastest_bus_gbits == pytest.approx(64 * 1.5)  # the other rank's, which waited least
    assert two.group == 2
    assert two.bus_gbits == pytest.approx(320)
    assert found.of_kernel_time == pytest.approx(2600 / 3000)


def test_what_is_not_recorded_gives_no_rate_and_is_counted() -> None:
    kernels = [
        kernel(0, 100, NCCL),
        kernel(0, 200, NCCL, moved=moved("allreduce", MEGA, MEGA, each=None)),
        kernel(0, 300, NCCL, moved=moved("barrier", 0, 0)),
        kernel(0, 400, NCCL, moved=moved("allreduce", MEGA, MEGA, group=None)),
    ]
    found = communication([kernels], 100)
    assert found is not None
    assert (found.unknown, found.unknown_calls) == (pytest.approx(0.6), 3)
    (rate,) = found.rates
    assert rate.algorithm_gbits == rate.fastest_algorithm_gbits == pytest.approx(80)
    assert (rate.bus_gbits, rate.fastest_bus_gbits, rate.of_link) == (None, None, None)


def test_a_group_that_is_not_recorded_is_thought_to_be_all_ranks() -> None:
    names = ("allreduce", "broadcast", "mystery")
    kernels = [
        kernel(at, at + 1000, NCCL, moved=moved(name, MEGA, MEGA, group=None))
        for at, name in zip((0, 2000, 4000), names, strict=True)
    ]
    found = communication([kernels], None, world=4)
    assert found is not None
    told = {
        each.collective: (each.group, each.group_assumed, each.bus_gbits) for each in found.rates
    }
    assert told == {
        "allreduce": (4, True, pytest.approx(48)),
        "broadcast": (None, False, pytest.approx(32)),  # the same in any group
        "mystery": (None, False, None),
    }


def test_an_all_gathers_message_follows_from_what_enters_and_the_number_of_ranks() -> None:
    gathered = Collective("_all_gather_base", MEGA, None, 4, None)
    for world, size in ((4, 16 * MEGA), (None, None)):
        found = communication([[kernel(0, 1000, NCCL, moved=gathered)]], None, world)
        assert found is not None
        assert [each.bytes for each in found.rates] == ([size] if size else [])
        assert found.unknown == (0 if size else 1)


def test_a_run_that_does_not_communicate_has_none() -> None:
    assert communication([[kernel(0, 10)], []], 100) is None
    assert communication([[kernel(5, 5, NCCL)]], None) is None


def test_a_group_of_one_moves_nothing_and_a_new_collective_is_not_guessed() -> None:
    assert bus_factor("allreduce", 1) == 0
    assert bus_factor("swizzle", 4) is None
    assert bus_factor("allreduce", 0) is None


def test_a_trace_that_names_a_collective_is_believed_whatever_the_kernel_is_called() -> None:
    assert communicates(kernel(0, 1, "my_ring", moved=moved("allreduce", 1, 1)))
    assert communicates(kernel(0, 1, "void ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWork)"))
    assert not communicates(kernel(0, 1))
