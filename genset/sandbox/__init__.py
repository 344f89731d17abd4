"""Flickr, Wikimedia Commons or iNaturalist on this machine, for trying genset out.

Tests, the demo and whoever has no API key search and download from here as they would from the
source: its API and its image host are on loopback, over the user's own folder of photos. What it
answers has the fields that genset reads, in the shape of the source's recorded replies, with the
same oddities (numbers as strings, fields that may be missing, errors under HTTP 200).

    with Sandbox(Path("photos"), source="commons") as sandbox:
        os.environ["GENSET_COMMONS_ENDPOINT"] = sandbox.endpoint

It fails as a real network does where `faults` say so, and logs its requests:

    with Sandbox(Path("photos"), faults=Faults(seed=7, too_many=0.1, gone=0.05)) as sandbox:
        ...
        assert not sandbox.requests.of("flickr.photos.search")
        sandbox.rules.append(Rule(503))  # to everything, until `sandbox.rules.clear()`

`collection` has the photos and finds them, and `photos` is one of them with its record. `service`
is what an API and its image host are, and `flickr`, `commons` and `inaturalist` are the ones there
are. `faults` is what goes wrong when, and `server` is HTTP.
"""

from genset.sandbox.faults import Faults, Rule
from genset.sandbox.server import LoggedRequest, Sandbox
from genset.sandbox.service import Reply, Request

__all__ = ["Faults", "LoggedRequest", "Reply", "Request", "Rule", "Sandbox"]
