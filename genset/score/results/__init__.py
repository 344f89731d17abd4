"""Kept runs: written, read, named, and what looks wrong with one by itself.

::

    runs            the folder of a run, written and read
    arrays          its predictions as arrays
    names           what runs are called, and which a name means
    sanity_checks   what looks wrong with answers as a whole, as remarks
    count           answers to a run: counts, provenance
    flags           answers that cannot be right, so that the model is left out
    remarks         what must be said beside a run's numbers
    results         the runs on one set, side by side
    best_answers    what they answered, for what goes on from it
"""
