"""What a host sees of us: no more than the settings allow, a pause when it asks for one, a name."""

from collections.abc import Callable, Sequence

import pytest

from genset.classes import imagenet1k
from genset.sandbox import LoggedRequest, Reply
from tests.scrape.pools import Faulty, Pool, Serve, answer_of, record

SETTINGS = "[scrape]\ncalls_an_hour = {calls}\nimages_per_second = {images}\n"


def calls_of(sandbox: Faulty) -> list[LoggedRequest]:
    return sandbox.requests.of("flickr.photos.search")


def rate(asked: Sequence[LoggedRequest]) -> float:
    """Requests a second."""
    times = [each.at for each in asked]
    return (len(times) - 1) / (max(times) - min(times))


def few_classes(count: int) -> tuple[list[str], list[dict[str, object]]]:
    """The wnids of classes of one keyword, and two photos of each."""
    classes = [cls for cls in imagenet1k() if len(cls.queries) == 1][:count]
    rows = [
        record(10 * place + number, cls.queries[0].text)
        for place, cls in enumerate(classes)
        for number in range(2)
    ]
    return [cls.wnid for cls in classes], rows


def test_several_keys_are_used_by_turns(serve: Serve, new_pool: Callable[..., Pool]) -> None:
    wnids, rows = few_classes(10)
    sandbox = serve(*rows)
    used: list[str] = []
    sandbox.fault = lambda request: (
        used.append(request.params["api_key"]) if request.is_call else None
    )
    pool = new_pool()
    settings = SETTINGS.format(calls=18_000, images=0)
    (pool.workspace.root / "genset.toml").write_text(settings, "utf-8")
    words = ["--classes", ",".join(wnids), "--per-class", "2", "--json"]
    answer_of(pool.command(sandbox.endpoint, *words, key="one,two", secret="secret1,secret2"))
    assert len(used) == len(calls_of(sandbox)) == 10
    assert min(used.count("one"), used.count("two")) >= 3
    assert rate(calls_of(sandbox)) <= 2 * 5 * 1.2


@pytest.mark.soak
def test_keys_and_secrets_are_written_nowhere(serve: Serve, new_pool: Callable[..., Pool]) -> None:
    wnids, rows = few_classes(2)
    sandbox, pool = serve(*rows), new_pool()
    sandbox.fault = lambda request: Reply(500, "", b"") if "/10_" in request.path else None
    secrets = ["key-alpha81", "key-beta4711", "secret-alpha92", "secret-beta4812"]
    process = pool.command(
        sandbox.endpoint,
        *("--classes", ",".join(wnids), "--per-class", "2"),
        key=",".join(secrets[:2]),
        secret=",".join(secrets[2:]),
    )
    told = "".join(process.communicate(timeout=60))
    assert "HTTP 500" in told
    written = [path for path in pool.workspace.root.rglob("*") if path.is_file()]
    assert any(path.stat().st_size for path in written if path.name.startswith("genset.db"))
    for secret in secrets:
        assert secret not in told
        assert not [path for path in written if secret in str(path)]
        assert not [path for path in written if secret.encode() in path.read_bytes()]
