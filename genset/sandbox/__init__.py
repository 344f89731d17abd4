"""A Flickr on this machine: its REST API and its image host on loopback, for trying genset out.

Tests, the demo and whoever has no API key search and download from here as they would from
Flickr. What it answers has the shape of Flickr's recorded replies, with the same oddities (numbers
as strings, fields that may be missing, errors under HTTP 200), so that code which works here has
met them.

    with Sandbox(Path("photos")) as sandbox:
        os.environ["GENSET_FLICKR_ENDPOINT"] = sandbox.endpoint

It fails as a real network does where `faults` are asked for, and notes what it was asked:

    with Sandbox(Path("photos"), faults=Faults(seed=7, too_many=0.1, gone=0.05)) as sandbox:
        ...
        assert not sandbox.requests.of("flickr.photos.search")
        sandbox.is_down = True  # HTTP 503 to everything, until it is False again

`pictures` knows image files and their sizes, `photos` what is said of them, `records` which there
are, `replies` how Flickr puts it, `api` Flickr's methods and formats, `faults` what goes wrong
when, `trouble` how that looks, `messages` what is asked and answered, `log` keeps note of it,
`server` HTTP.
"""

from genset.sandbox.faults import Faults
from genset.sandbox.log import Asked
from genset.sandbox.messages import Reply, Request
from genset.sandbox.server import Sandbox

__all__ = ["Asked", "Faults", "Reply", "Request", "Sandbox"]
