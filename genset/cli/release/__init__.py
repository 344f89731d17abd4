"""Commands for releases: freeze labeled photos, look after what is frozen, hand it on."""

from genset.cli.release import create, share, versions
from genset.cli.release.common import release

__all__ = ["create", "release", "share", "versions"]
