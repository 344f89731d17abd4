"""When a host may be called: quotas, holds, outages; one address never stops the others."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import requests
from sqlalchemy import select

from genset.core.errors import PhotoRejected, SourceRefused, SourceUnavailable
from genset.db import HostState, Store
from genset.net import host_state
from genset.net.host_state import HostGaveUp
from genset.net.hosts import DOWN_AFTER, Host, HostClosed, Hosts
from genset.net.pace import RateLimit
from tests.net.test_http import http_error


class Clock:
    """A time that passes when it is told to, and when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0


class World:
    """Hosts of several processes that share a store and a clock."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.clock = clock
        self.lines: list[str] = []
        self.events: list[dict[str, str]] = []

    def host(self, give_up_after: float | None = None, interval: float = 0) -> Host:
        """The host, as one more process sees it."""
        hosts = Hosts(self.store, self.lines.append, give_up_after, self.events.append)
        hosts.now = lambda: self.clock.now  # type: ignore[method-assign]

        def sleep(seconds: float) -> bool:
            self.clock.now += seconds
            return False

        hosts.stopping.wait = sleep  # type: ignore[method-assign,assignment]
        return Host(hosts, "host", "The host", [RateLimit(self.store, "host", interval)])


@pytest.fixture
def world(store_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(host_state, "LOOK_AGAIN", 0.0)
    store = Store.open(store_url)
    yield World(store, Clock())
    store.close()


def raising(error: Exception) -> Callable[[int], str]:
    def call(quota: int) -> str:
        raise error

    return call


def answering(quota: int) -> str:
    return "answer"


def fail(host: Host, *addresses: str, error: Exception | None = None, **how: bool) -> None:
    for address in addresses:
        with pytest.raises((requests.RequestException, SourceUnavailable, HostClosed)):
            host.call(raising(error or http_error(503)), address, **how)


def is_open(host: Host) -> bool:
    return host.opens_in() == 0 and not host.is_down


# Outages


def test_several_addresses_that_fail_in_a_row_stop_the_calls(world: World) -> None:
    well, host, other = world.host(), world.host(), world.host()
    for letters in ("ab", "de"):
        fail(well, *letters)
        assert well.call(answering, "x") == "answer"  # and the count begins anew
    fail(well, *"gh")
    with pytest.raises(PhotoRejected):  # a refusal is an answer too
        well.call(raising(PhotoRejected("gone")), "y")
    fail(host, *["a"] * 100)  # one address never does, nor those that are known
    fail(host, *map(str, range(DOWN_AFTER)), is_known=True)
    assert is_open(host)
    assert set(world.lines) == {"The host answered HTTP 503; trying again"}
    fail(host, *"bcd")
    assert 30 <= host.opens_in() <= 33
    for each in (host, other):
        with pytest.raises(HostClosed):
            each.call(answering, "f")
    line = next(each for each in world.lines if each.startswith("The host has not answered since"))
    assert "HTTP 503); next try at " in line


def test_a_command_that_begins_asks_a_host_that_is_down_at_once(world: World) -> None:
    fail(world.host(), *"abc")
    assert world.host().call(answering, "f") == "answer"
    fail(world.host(), *"abc")
    host = world.host(give_up_after=0)
    with pytest.raises(HostClosed):
        host.call(raising(http_error(502)), "d")
    world.clock.now += 1
    with pytest.raises(HostGaveUp, match=r"HTTP 502"):  # what its last probe met
        host.call(answering, "e")
    with pytest.raises(SourceRefused, match=r"HTTP 407"):  # which no waiting mends
        world.host().call(raising(http_error(407)), "f")


def test_one_call_asks_whether_the_host_is_back_on_behalf_of_all(world: World) -> None:
    host, other = world.host(), world.host()
    fail(host, *"abc")
    world.clock.now += 34
    inside: list[str] = []

    def probe(quota: int) -> str:
        if not inside:
            for each in (host, other):
                with pytest.raises(HostClosed):
                    each.call(answering, "g")
        inside.append("asked")
        return "answer"

    assert host.call(probe, "f") == "answer"
    assert inside == ["asked"]
    assert is_open(host) and is_open(other)
    assert other.call(answering, "g") == "answer"
    assert world.lines[-1] == "The host answers again"


def test_pauses_grow_while_it_stays_down(world: World) -> None:
    host, other = world.host(), world.host()
    fail(host, *"abc")
    world.clock.now += 34
    with pytest.raises(SystemExit):  # who is killed while it asks does not stop the others
        host.call(lambda quota: exit(), "f")
    world.clock.now += 70
    assert other.call(answering, "g") == "answer"
    fail(host, *"abc")
    for turn, pause in enumerate((30, 60, 120, 240, 480, 600, 600)):
        assert pause <= host.opens_in() <= pause * 1.1
        world.clock.now += host.opens_in()
        fail(host, f"probe {turn}")  # which is not to blame


# Holds


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_asks_to_be_left_alone_is_left_alone_by_all(world: World, status: int) -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(hours=3), usegmt=True)
    host, other = world.host(), world.host()
    fail(host, "a", error=http_error(status, Retry_After="10800" if status == 429 else until))
    for each in (host, other):
        assert each.opens_in() == pytest.approx(10_800, abs=60)
        with pytest.raises(HostClosed):
            each.call(answering, "b")
    assert len(world.lines) == 2  # of two processes
    assert all(line.startswith("The host asked to wait until 20") for line in world.lines)
    world.clock.now += 10_801
    assert other.call(answering, "b") == "answer"


def test_every_hold_and_outage_is_an_event(world: World) -> None:
    host = world.host()
    fail(host, "a", error=http_error(429, Retry_After="59"))
    world.clock.now += 60
    fail(host, *"bc")
    assert not is_open(host)
    world.clock.now += 40
    assert host.call(answering, "g") == "answer"
    assert [f"{event['status']}: {event['decision']}" for event in world.events] == [
        "asked to wait: paused until 2027-01-15 08:00 UTC",
        "The host answered HTTP 503: down: next try at 2027-01-15 08:01 UTC",
        "ok: up",
    ]


def test_a_hold_for_a_day_ends_the_run_and_the_next_one_before_it_asks(world: World) -> None:
    with pytest.raises(HostGaveUp, match=r"asked to wait until .*: run the same command again"):
        world.host().call(raising(http_error(429, Retry_After="86400")), "a")
    world.clock.now += 40_000
    with pytest.raises(HostGaveUp, match="asked to wait until"):
        world.host().call(answering, "a")
    world.clock.now += 46_401
    assert world.host().call(answering, "a") == "answer"


# What only a person can mend, and keys


def test_what_only_a_person_can_mend_ends_a_run_at_its_first_call(world: World) -> None:
    with pytest.raises(SourceRefused, match="HTTP 403") as refused:
        world.host().call(raising(http_error(403)), "a")
    assert refused.value.scope == "run"
    assert is_open(world.host())


class Keys:
    """A host with two keys, of which some are refused."""

    def __init__(self, world: World) -> None:
        limits = [RateLimit(world.store, f"key {number}", 0) for number in range(2)]
        self.host = Host(world.host().hosts, "keyed", "The host", limits)
        self.refused: set[int] = set()
        self.used: list[int] = []

    def call(self) -> str:
        return self.host.call(self._answer, f"call {len(self.used)}")

    def _answer(self, quota: int) -> str:
        self.used.append(quota)
        if quota in self.refused:
            raise SourceRefused(f"key {quota + 1} is invalid", 100, "key")
        return "answer"


def test_of_two_keys_the_good_one_is_used_until_the_other_is_good_again(world: World) -> None:
    keys = Keys(world)
    keys.refused = {0}
    for _ in range(5):
        assert keys.call() == "answer"
    assert keys.used == [0, 1, 1, 1, 1, 1]
    assert world.lines == ["key 1 is invalid; the other keys are used"]
    keys.refused, keys.used = set(), []
    world.clock.now += 40
    assert keys.call() == keys.call() == "answer"
    assert 0 in keys.used


# Its pace


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_the_pace_falls_where_it_is_refused_and_rises_again(world: World) -> None:
    """One call a second is allowed, and ten are set."""
    host, last = world.host(interval=0.1), [0.0]

    def call(quota: int) -> str:
        if world.clock.now - last[0] < 0.999:
            raise http_error(429)
        last[0] = world.clock.now
        world.clock.now += 0.05
        return "answer"

    refused, answered, begun = 0, 0, world.clock.now
    while refused + answered < 319:
        try:
            host.call(call, f"{refused + answered}")
            answered += 1
        except requests.HTTPError:
            refused += 1
        except HostClosed:
            world.clock.now += host.opens_in()
    assert refused <= 12
    assert answered / (world.clock.now - begun) > 0.75
    # Another process calls as slowly, and faster where the host lets it.
    other = world.host(interval=0.1)

    def took(calls: int) -> float:
        begun = world.clock.now
        for number in range(calls):
            other.call(answering, f"{begun} {number}")
        return world.clock.now - begun

    assert took(20) > 15
    took(150)
    assert took(20) < 12


# A ping


def test_a_command_with_another_key_forgets_that_two_were_refused(world: World) -> None:
    keys = Keys(world)
    keys.refused = {0, 1}
    with pytest.raises(SourceRefused):
        keys.call()
    Host(world.host().hosts, "keyed", "The host", [RateLimit(world.store, "key", 0)])
    with world.store.session() as session:
        down = select(HostState.name).where(HostState.down_since.is_not(None))
        assert list(session.scalars(down)) == []


def test_photos_that_came_show_that_a_host_is_well(world: World) -> None:
    """Two of them are asked for again; those that stopped to come are no yardstick."""
    host, bad = world.host(), http_error(403)
    for address in "abc":
        host.call(answering, address)
    host.answered.extend([raising(bad)] * 3)
    for turn in range(6):
        fail(host, f"d{turn}", "e", "f", error=SourceUnavailable("no", scope="photo"))
        world.clock.now += host.opens_in()
    assert host.call(answering, "g") == "answer"
    assert is_open(host)


def test_callers_of_one_quota_share_its_turns(world: World, store_url: str) -> None:
    store, other = world.store, Store.open(store_url)
    limit = RateLimit(store, "host", 10)
    assert [limit.reserve(1000) for _ in range(2)] == [1000, 1010]
    assert RateLimit(other, "host", 10).reserve(1000) == 1020
    assert RateLimit(other, "another", 10).reserve(1000) == 1000
    assert limit.waiting(1000) == 30
    assert limit.reserve(2000) == 2000
    unlimited = RateLimit(store, "all", 0)
    assert [unlimited.reserve(1000) for _ in range(3)] == [1000] * 3
    assert unlimited.waiting(1000) == 0
    other.close()
