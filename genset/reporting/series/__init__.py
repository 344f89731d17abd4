"""Several sets as one study: the same models on a series of releases, or on other sets.

::

    data        what a series says
    gather      from the runs on each set to that
    narrative   what the numbers say, in sentences
    render      the index page, Markdown, JSON
    write       the index, and each set's full report beside it
"""
