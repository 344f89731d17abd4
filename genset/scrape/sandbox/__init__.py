"""A Flickr on this machine: its REST API and its image host on loopback, for trying genset out.

Tests, the demo and whoever has no API key search and download from here as they would from
Flickr. What it answers has the shape of Flickr's recorded replies, with the same oddities (numbers
as strings, fields that may be missing, errors under HTTP 200), so that code which works here has
met them.

    with Sandbox(Path("photos")) as sandbox:
        os.environ["GENSET_FLICKR_ENDPOINT"] = sandbox.endpoint

`pictures` knows image files and their sizes, `photos` what is said of them, `records` which there
are, `replies` how Flickr puts it, `api` Flickr's methods and formats, `server` HTTP.
"""

from genset.scrape.sandbox.server import Asked, Reply, Request, Sandbox

__all__ = ["Asked", "Reply", "Request", "Sandbox"]
