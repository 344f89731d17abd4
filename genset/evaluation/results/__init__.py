"""Results: what is kept of runs, read and compared without any model.

::

    kept        runs, as they are kept
    references  accuracies on other sets, from the literature
    elsewhere   answers that were computed elsewhere, from files
    measures    runs measured, and held against each other
    evaluated   all that of one run, in Python
    given       the same of answers in an array
"""
