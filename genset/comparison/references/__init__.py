"""Accuracies that models have elsewhere, to hold those on a set against.

::

    published   the table that genset ships, and its sources (`build` makes it)
    sets        which well-known set photos are
    names       what a run says of its weights
    find        a model's accuracy elsewhere: said, measured here, published, or in a table
    ladder      well-known models that make a line where there is none
"""
