"""Measures of kept runs: alone, pair by pair, and by several truths.

::

    whole           which models answered nearly all photos
    marks           which first answers are right: by the photos' own labels, or by a truth
    logits          what a run kept of them
    proposers       which models proposed classes that are right
    multilabel      models against all classes that photos show
    compare         models, pair by pair
    margin          whether one is not worse than another by more than a margin
    missed          photos that all leading models get wrong, by how far off they are
    standing        how they rank by one truth and by another
    breakdown       by class, licence, year, keyword
    blur_cost       what blurred faces cost
"""
