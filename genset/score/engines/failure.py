"""Why a network does not run, in one line: an engine's own words, and the shapes beside them."""

import re

from genset.core.errors import first_line
from genset.models.exported import OnnxNetwork
from genset.models.load import LoadedModel
from genset.score.transforms import Pixels

# Where in its own code an engine was, which helps nobody with a network.
_PLACES = re.compile(
    r"\[ONNXRuntimeError\] : \d+ : \w+ : |Non-zero status code .*?Status Message: "
    r"|Exception from \S+|Check '.*' failed at \S+|While validating node .*"
)

_OF_SIZES = re.compile(r"shape|size|dimension|channel", re.IGNORECASE)


def why_it_fails(error: Exception, model: LoadedModel, pixels: Pixels) -> str:
    """What an engine says, and what shapes it was given and takes.

    Args:
        error: what it raised.
        model: what it ran.
        pixels: N x S x S x 3, what it was given.
    """
    count, side, width, channels = pixels.shape
    network = model.network
    said = _in_words(error)
    if not isinstance(network, OnnxNetwork):
        given = f" (given {count} x {channels} x {side} x {width})"
        return said + given * bool(_OF_SIZES.search(said))
    shape = (side, width, channels) if network.channels_last else (channels, side, width)
    given = " x ".join(map(str, (count, *shape)))
    return f"{said} (given {given}; {network.takes}; &crop= gives it another size)"


def _in_words(error: Exception) -> str:
    """The first line that says what is wrong, and not where in the engine."""
    lines = (_PLACES.sub("", line).strip(" :") for line in str(error).splitlines())
    return next(filter(None, lines), first_line(error))
