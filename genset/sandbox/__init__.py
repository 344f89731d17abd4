"""Flickr, Wikimedia Commons or iNaturalist on this machine, for trying genset out.

Tests, the demo and whoever has no API key search and download from here as they would from the
source: its API and its image host are on loopback, over the user's own folder of photos. What it
answers has the shape of the source's recorded replies, with the same oddities (numbers as strings,
fields that may be missing, errors under HTTP 200), so that code which works here has met them.

    with Sandbox(Path("photos"), source="commons") as sandbox:
        os.environ["GENSET_COMMONS_ENDPOINT"] = sandbox.endpoint

It fails as a real network does where `faults` are asked for, and notes what it was asked:

    with Sandbox(Path("photos"), faults=Faults(seed=7, too_many=0.1, gone=0.05)) as sandbox:
        ...
        assert not sandbox.requests.of("flickr.photos.search")
        assert sandbox.crowd.most <= 3  # requests of one client that were answered at once
        sandbox.is_down = True  # HTTP 503 to everything, until it is False again

`photos` and `records` have the photos and what is said of them. `dialect` is what a way of speaking
is, and `flickr`, `commons` and `inaturalist` are the ones there are, with their `_replies`;
`faults` is what goes wrong when, `messages` what is asked and answered, and `server` HTTP.
"""

from genset.sandbox.faults import Faults
from genset.sandbox.messages import LogEntry, Reply, Request
from genset.sandbox.server import Sandbox

__all__ = ["Faults", "LogEntry", "Reply", "Request", "Sandbox"]
