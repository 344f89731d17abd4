"""What each source needs, and where its pictures may come from: its own hosts, and no other."""

from pathlib import Path

import pytest

from genset.sources.commons import Commons
from genset.sources.flickr import Flickr
from genset.sources.inaturalist import INaturalist
from genset.sources.source import Source
from tests.scrape.pools import flickr_at

COMMONS = "https://upload.wikimedia.org/wikipedia/commons"
OPEN_DATA = "https://inaturalist-open-data.s3.amazonaws.com"
ALLOWED: dict[type[Source], tuple[str, ...]] = {
    Flickr: (
        "https://live.staticflickr.com/65535/1_2_b.jpg",
        "https://live.staticflickr.com:443/65535/1_2_b.jpg",
        "http://farm1.static.flickr.com/1/1_2_b.jpg",
        "HTTPS://LIVE.STATICFLICKR.COM/65535/1_2_b.jpg",
        "https://c1.staticflickr.com/1/2/3_4_b.jpg?zz=1",
    ),
    Commons: (
        f"{COMMONS}/a/ab/Pond.jpg",
        f"{COMMONS}/a/ab/Pond_%28big%29.jpg",
        f"{COMMONS}/a/ab/Pond.jpg?utm_source=commons.wikimedia.org",
        f"{COMMONS}/thumb/a/ab/Map.tif/lossy-page1-960px-Map.tif.jpg",
        "https://thumb.wikimedia.org/wikipedia/commons/thumb/a/ab/Pond.jpg/960px-Pond.jpg",
        f"{COMMONS}/thumb/a/ab/Pond.jpg/960px-Pond.jpg",
    ),
    INaturalist: (
        f"{OPEN_DATA}/photos/1/original.jpg",
        "https://static.inaturalist.org/photos/1/original.jpeg?153",
        "https://static.inaturalist.org:443/photos/1/original.jpeg",
        "http://farm4.staticflickr.com/3290/1_2.jpg",
        "http://farm1.static.flickr.com/3290/1_2.jpg",
    ),
}  # fmt: skip
# "{}" is a host of the source.
NEVER = (
    "", "photo.jpg", "//{}/1.jpg", "file:///etc/passwd", "file://{}/etc/passwd", "ftp://{}/1.jpg",
    "javascript:alert(1)//{}/", "https://evil.example/1.jpg", "https://{}.evil.example/1.jpg",
    "https://evil.example/{}/1.jpg", "https://evil.example?.{}/1.jpg",
    "https://evil.example#.{}/1.jpg", "https://evil.example\\.{}/1.jpg",
    "https://evil.example\\@{}/1.jpg", "https://{}\\@evil.example/1.jpg",
    "https://{}@evil.example/1.jpg", "https://{}:80@evil.example/1.jpg",
    "https://user:word@{}/1.jpg", "https://evil.example%2f.{}/1.jpg",
    "https://evil.example\t.{}/1.jpg", "https://{}/1.jpg\r\nHost: evil.example",
    " https://{}/1.jpg", "https://{}:22/1.jpg", "https://{}", "https://127.0.0.1/1.jpg",
    "http://2130706433/1.jpg", "http://[::1]/1.jpg", "http://[::ffff:127.0.0.1]/1.jpg",
    "http://[::1", "http://169.254.169.254/latest/meta-data/",
)  # fmt: skip
HOSTS: dict[type[Source], tuple[str, ...]] = {
    Flickr: ("live.staticflickr.com",),
    Commons: ("upload.wikimedia.org", "thumb.wikimedia.org"),
    INaturalist: ("static.inaturalist.org", "inaturalist-open-data.s3.amazonaws.com"),
}
ELSEWHERE: dict[type[Source], tuple[str, ...]] = {
    Flickr: ("https://www.flickr.com/1.jpg", "https://evilstaticflickr.com/1.jpg"),
    Commons: (
        "http://upload.wikimedia.org/wikipedia/commons/a/ab/Pond.jpg",
        "https://upload.wikimedia.org/wikipedia/en/a/ab/Pond.jpg",
        "https://commons.wikimedia.org/wiki/Special:FilePath/Pond.jpg",
        f"{COMMONS}/a/ab/..\\..\\Pond.jpg", f"{COMMONS}/a/ab/x/../Pond.jpg", f"{COMMONS}/a/ab/",
        f"{COMMONS}/thumb/a/ab/Pond.jpg",
        f"{COMMONS}/thumb/a/ab/Pond.jpg/800px-Pond.jpg/960px-Pond.jpg",
    ),
    INaturalist: (
        "https://other-bucket.s3.amazonaws.com/photos/1/original.jpg",
        "https://evil-inaturalist-open-data.s3.amazonaws.com/1.jpg",
        "https://evil.static.inaturalist.org/1.jpg",
        "https://www.inaturalist.org/photos/1",
    ),
}  # fmt: skip


def source_at(kind: type[Source], folder: Path, endpoint: str | None = None) -> Source:
    """A source of this kind, of which nothing is known yet."""
    flickr = flickr_at(folder, endpoint)
    if kind is Commons or kind is INaturalist:
        return kind(flickr.api.hosts, "you@example.org", endpoint)
    return flickr


@pytest.mark.parametrize("kind", ALLOWED)
def test_its_own_hosts_are_allowed_and_no_others(kind: type[Source], tmp_path: Path) -> None:
    source = source_at(kind, tmp_path)
    for url in ALLOWED[kind]:
        assert source.may_fetch(url), url
    never = [url.format(host) for url in NEVER for host in HOSTS[kind]]
    # The same, of an address that would do.
    path = ALLOWED[kind][0].partition("://")[2].partition("/")[2]
    never += [url.replace("1.jpg", path) for url in never if "1.jpg" in url]
    for url in (*never, *ELSEWHERE[kind]):
        assert not source.may_fetch(url), url


@pytest.mark.parametrize("kind", ALLOWED)
def test_at_an_endpoint_only_its_own_host_is_allowed(kind: type[Source], tmp_path: Path) -> None:
    source = source_at(kind, tmp_path, "http://127.0.0.1:8750/api")
    path = ALLOWED[kind][0].partition("://")[2].partition("/")[2]
    assert source.may_fetch(f"http://127.0.0.1:8750/{path}")
    for host in ("127.0.0.1:8751", "127.0.0.1:87500", "127.0.0.1:8750@evil.example",
                 "127.0.0.1:8750\\.evil.example", "127x0.0.1:8750"):  # fmt: skip
        assert not source.may_fetch(f"http://{host}/{path}"), host
    for url in ALLOWED[kind]:
        assert not source.may_fetch(url), url
