"""The labeling page: a view over `genset.label`, and nothing else. `genset label` serves it."""
