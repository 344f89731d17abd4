"""A static page for the owners of a release's photos: their credits, how to ask for removal."""
