"""When a host may be called: quotas, holds, outages; one address never stops the others."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import requests

from genset.core.errors import PhotoRejected, SourceUnavailable
from genset.db import Store
from genset.net import host_state
from genset.net.hosts import DOWN_AFTER, Host, HostClosed, HostGaveUp, Hosts
from genset.net.pace import RateLimit


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

    def host(self, give_up_after: float | None = None, interval: float = 0) -> Host:
        """The host, as one more process sees it."""
        hosts = Hosts(self.store, self.lines.append, give_up_after)
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


def http_error(status: int, **headers: str) -> requests.HTTPError:
    response = requests.Response()
    response.status_code = status
    response.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return requests.HTTPError(response=response)


def fail(host: Host, *addresses: str, error: Exception | None = None, **how: bool) -> None:
    for address in addresses:
        with pytest.raises((requests.RequestException, SourceUnavailable)):
            host.call(raising(error or http_error(503)), address, **how)


def is_open(host: Host) -> bool:
    return host.opens_in() == 0 and not host.is_down


# Outages


def test_several_addresses_that_fail_in_a_row_stop_the_calls(world: World) -> None:
    host, other = world.host(), world.host()
    fail(host, "a", "b", "c", "d")
    assert is_open(host)
    fail(host, "e")
    assert 30 <= host.opens_in() <= 33
    for each in (host, other):
        with pytest.raises(HostClosed):
            each.call(answering, "f")
    [line] = world.lines[:1]
    assert line.startswith("The host has not answered since ")
    assert "HTTP 503); next try at " in line


@pytest.mark.parametrize("times", [DOWN_AFTER, 100])
def test_one_address_never_does(world: World, times: int) -> None:
    host = world.host()
    fail(host, *["a"] * times)
    fail(host, *map(str, range(times)), is_known=True)
    assert is_open(host)


def test_an_answer_between_them_starts_the_count_anew(world: World) -> None:
    host = world.host()
    for letters in ("abcd", "efgh"):
        fail(host, *letters)
        assert host.call(answering, "x") == "answer"
    fail(host, *"ijkl")
    with pytest.raises(PhotoRejected):  # a refusal is an answer too
        host.call(raising(PhotoRejected("gone")), "y")
    fail(host, *"mnop")
    assert is_open(host)
    assert world.lines == []


def test_one_call_asks_whether_the_host_is_back_on_behalf_of_all(world: World) -> None:
    host, other = world.host(), world.host()
    fail(host, *"abcde")
    world.clock.now += 34
    inside: list[str] = []

    def probe(quota: int) -> str:
        with pytest.raises(HostClosed):
            other.call(answering, "g")
        with pytest.raises(HostClosed):
            host.call(answering, "h")
        inside.append("asked")
        return "answer"

    assert host.call(probe, "f") == "answer"
    assert inside == ["asked"]
    assert is_open(host)
    assert is_open(other)
    assert other.call(answering, "g") == "answer"
    assert world.lines[-1] == "The host answers again"


def test_pauses_grow_while_it_stays_down(world: World) -> None:
    host = world.host()
    fail(host, *"abcde")
    pauses = []
    for turn in range(8):
        pauses.append(host.opens_in())
        world.clock.now += pauses[-1]
        fail(host, f"probe {turn}")
    for pause, expected in zip(pauses, (30, 60, 120, 240, 480, 600, 600, 600), strict=True):
        assert expected <= pause <= expected * 1.1


def test_calls_that_were_under_way_when_it_went_down_are_nobodys_fault(world: World) -> None:
    host = world.host()
    asked, late = threading.Event(), threading.Event()
    came: list[Exception] = []

    def slow(quota: int) -> str:
        asked.set()
        late.wait()
        raise http_error(503)

    def call() -> None:
        try:
            host.call(slow, "late")
        except Exception as error:  # noqa: BLE001 - looked at below
            came.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    asked.wait()
    try:
        fail(host, *"abcde")
    finally:
        late.set()
        thread.join()
    assert isinstance(came[0], HostClosed)


def test_who_was_killed_while_it_asked_does_not_stop_the_others(world: World) -> None:
    host, other = world.host(), world.host()
    fail(host, *"abcde")
    world.clock.now += 34
    with pytest.raises(SystemExit):
        host.call(lambda quota: exit(), "f")
    world.clock.now += 70
    assert other.call(answering, "g") == "answer"


def test_whoever_wants_an_end_gets_one(world: World) -> None:
    patient, other = world.host(), world.host(give_up_after=3600)
    fail(patient, *"abcde")
    for turn in range(8):  # 30, 60, 120, 240, 480, 600, 600 and 600 seconds: an hour is not over
        other.opens_in()
        world.clock.now += patient.opens_in()
        fail(patient, f"probe {turn}")
    world.clock.now += patient.opens_in()
    other.opens_in()  # it is time to ask: perhaps it is back
    for turn in range(2):
        fail(patient, f"last {turn}")
        world.clock.now += patient.opens_in() * (1 - turn / 2)
    with pytest.raises(HostGaveUp, match=r"The host has not answered since .* \(.*HTTP 503\)"):
        other.opens_in()
    patient.opens_in()


def test_a_patient_call_waits_for_an_outage_to_end(world: World) -> None:
    host = world.host()
    fail(host, *"abcde")
    ends = world.clock.now + 7200

    def call(quota: int) -> str:
        if world.clock.now < ends:
            raise http_error(503)
        return "answer"

    with pytest.raises(requests.HTTPError):
        host.call_patiently(call, "f")  # four tries, however long each waits
    while world.clock.now < ends:
        world.clock.now += 600
    assert host.call_patiently(call, "f") == "answer"


# Holds


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_host_that_asks_to_be_left_alone_is_left_alone_by_all(
    world: World, status: int, form: str
) -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(hours=3), usegmt=True)
    headers = {"Retry_After": "10800" if form == "seconds" else until}
    host, other = world.host(), world.host()
    fail(host, "a", error=http_error(status, **headers))
    for each in (host, other):
        assert each.opens_in() == pytest.approx(10_800, abs=60)
        with pytest.raises(HostClosed):
            each.call(answering, "b")
    assert world.lines[0].startswith("The host asked for a pause until ")
    world.clock.now += 10_801
    assert other.call(answering, "b") == "answer"


def test_a_short_hold_is_not_told(world: World) -> None:
    host = world.host()
    fail(host, "a", error=http_error(429, Retry_After="59"))
    assert host.opens_in() == pytest.approx(59)
    assert world.lines == []


def test_too_many_without_a_time_is_a_second(world: World) -> None:
    host = world.host()
    fail(host, "a", error=http_error(429))
    assert host.opens_in() == pytest.approx(1)


def test_a_hold_for_longer_than_a_day_ends_the_run_in_one_line(world: World) -> None:
    host = world.host()
    for seconds in ("86401", "9" * 300):
        with pytest.raises(HostGaveUp, match=r"a pause of .* more than a day") as gave_up:
            host.call(raising(http_error(429, Retry_After=seconds)), "a")
        assert "\n" not in str(gave_up.value)
    fail(host, "a", error=http_error(429, Retry_After="86400"))


def test_those_who_wait_for_their_turn_already_are_held_too(world: World) -> None:
    host, other = world.host(interval=100), world.host(interval=100)
    assert host.call(answering, "a") == "answer"
    asleep = other.hosts.stopping.wait

    def held_meanwhile(seconds: float) -> bool:
        fail(host, "b", error=http_error(429, Retry_After="5000"))
        return asleep(seconds)

    other.hosts.stopping.wait = held_meanwhile  # type: ignore[method-assign,assignment]
    host.hosts.stopping.wait = asleep  # type: ignore[method-assign]
    with pytest.raises(HostClosed):
        other.call(answering, "c")


def test_a_hold_that_a_wrong_clock_set_holds_nobody(world: World) -> None:
    host = world.host()
    world.clock.now += 86_400
    fail(host, "a", error=http_error(429, Retry_After="3600"))
    assert host.opens_in() == pytest.approx(3600)
    world.clock.now -= 86_400
    assert world.host().call(answering, "b") == "answer"


def test_an_outage_that_a_wrong_clock_noted_is_asked_about_at_once(world: World) -> None:
    host = world.host()
    world.clock.now += 86_400
    fail(host, *"abcde")
    world.clock.now -= 86_400
    assert world.host().call(answering, "f") == "answer"
    assert is_open(world.host())


def test_a_clock_that_is_set_back_while_a_call_waits_makes_it_wait_no_longer(
    world: World,
) -> None:
    host = world.host(interval=10)
    asleep: list[float] = []

    def set_back(seconds: float) -> bool:
        asleep.append(seconds)
        world.clock.now -= 86_400
        return False

    host.hosts.stopping.wait = set_back  # type: ignore[method-assign,assignment]
    host.call(answering, "a")
    assert host.call(answering, "b") == "answer"
    assert asleep == [pytest.approx(10)]
    assert host.call(answering, "c") == "answer"
    assert sum(asleep) <= 30


# A ping


def test_where_there_is_a_ping_it_decides(world: World) -> None:
    pings: list[Exception | None] = []

    def ping(quota: int) -> None:
        error = pings.pop(0)
        if error is not None:
            raise error

    plain = world.host()
    host = Host(plain.hosts, "pinged", "The host", [RateLimit(world.store, "pinged", 0)], ping)
    for _ in range(4):  # a search that fails for ever, on a host that is well
        pings.append(None)
        fail(host, "a", "a", "a", is_known=True)
        assert is_open(host)
    assert pings == []
    pings.append(http_error(503))
    fail(host, "a", "a", "a", is_known=True)
    assert host.is_down
    for _ in range(30):  # however long it is down, no address is blamed for it
        world.clock.now += host.opens_in()
        pings.append(http_error(503))
        with pytest.raises(HostClosed):
            host.call(answering, "a")
    world.clock.now += host.opens_in()
    pings.append(None)
    assert host.call(answering, "a") == "answer"
    assert is_open(host)


def test_a_hold_counts_for_those_who_want_an_end(world: World) -> None:
    fail(world.host(), "a", error=http_error(503, Retry_After="3000"))
    with pytest.raises(HostGaveUp, match="asked for a pause until"):
        world.host(give_up_after=2000).opens_in()
    world.host(give_up_after=4000).opens_in()
