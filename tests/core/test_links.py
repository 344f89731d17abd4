"""Which addresses become links."""

from urllib.parse import urlsplit

from hypothesis import example, given
from hypothesis import strategies as st

from genset.core.safe import web_link

GOOD = (
    "https://www.flickr.com/photos/78733179@N04/10115956703",
    "HTTPS://Example.org:8443/a;b?c=d&e=%20#f",
    *("http://example.org", "https://[2001:db8::1]/", "https://пример.рф/линь"),
    *("https://en.wikipedia.org/wiki/Tench_(fish)", "https://example.org/" + "a" * 1980),
)
BAD = (
    *("", "Photo page", "example.org/photo", "//example.org/x", "/etc/passwd", "http:example.org"),
    *("javascript:alert(1)", "javascript://example.org/%0aalert(1)", " JaVaScRiPt:alert(1)"),
    *("java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>", "file:///etc/passwd"),
    *("ftp://example.org/", "http://", "https:///photo", "https://:80/", "https://?x"),
    *("https://example.org:port/", "https://example.org:99999/", "http://[broken"),
    *("https://user@example.org/", "https://flickr.com:secret@elsewhere.example/"),
    *("https://flickr.com\\@elsewhere.example/", "https://elsewhere.example\\.flickr.com/"),
    *(" https://example.org", "https://example.org/a b", "https:\n//example.org"),
    *("https://example.org/\x1b[2J", "https://example.org/\u202egpj.exe"),
    *("https://example.org/\ud800", "https://example.org/\u3000"),
    "https://example.org/" + "a" * 1981,
)


def test_an_address_on_the_web_is_a_link_and_no_other_is() -> None:
    assert [web_link(url) for url in GOOD] == list(GOOD)
    assert [url for url in BAD if web_link(url) is not None] == []


@given(st.text(st.characters() | st.sampled_from("htps:/@\\.[] \n%")))
@example("https://a\u2100b/")  # a host that would split when it is normalized
def test_whatever_it_is_there_is_an_answer(text: str) -> None:
    for url in (text, f"https://{text}", f"https://example.org/{text}"):
        if found := web_link(url):
            assert found == url
            assert urlsplit(url).scheme in ("http", "https")
            assert url.isprintable() and " " not in url and len(url) <= 2000
