"""How iNaturalist speaks."""
