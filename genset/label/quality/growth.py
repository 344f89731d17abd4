"""How many labelers a candidate goes to: the rule is the store's, for releases ask it too."""

from genset.store.growth import lacking, wanted

__all__ = ["lacking", "wanted"]
