"""Results: what is kept of runs, read and compared without any model.

::

    predictions     answers that were computed elsewhere, from a file
    mapped          the same on classes that are not ImageNet's
    own_tables      ... where they are a run's own table
    given           the same from an array
    count           answers to a run: counts, provenance
    runs            the folder of a run, written and read
    arrays          its predictions as arrays
    names           what runs are called, and which a name means
    results         the runs on one set, side by side
    whole           which of them answered nearly all photos
    best_answers    what they answered, for what goes on from it
    marks           which first answers are right: by the photos' own labels, or by a truth
    logits          what a run kept of them
    proposers       which of them proposed classes that are right
    multilabel      models against all classes that photos show
    compare         models, pair by pair
    missed          photos that all leading models get wrong, by how far off they are
    standing        how they rank by one truth and by another
    breakdown       by class, licence, year, keyword
    references      accuracies elsewhere
    sanity_checks   what looks wrong with answers as a whole, as remarks
    flags           answers that cannot be right, so that the model is left out
    remarks         what must be said beside a run's numbers
    evaluated       all that in Python
"""
