"""Models compared on what their runs stored: pair by pair, by class, and by several truths.

::

    pairs        models, pair by pair
    classes      by class, licence, year, keyword
    truths       models against all classes that photos show
    missed       photos that all leading models get wrong, by how far off they are
    marks        which first answers are right; which models answered nearly all photos
    logits       what a run kept of them
    references/  accuracies that models have elsewhere
    evaluated, in_memory, given     what `genset.evaluate` gives, of a network or an array
"""
