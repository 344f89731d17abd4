"""Accuracies that models have elsewhere, to hold those on a set against.

::

    find        a model's accuracy elsewhere: said, measured here, published, or in a table
    published   the table that genset ships, and models that make a line
    sets        which well-known set photos are
"""
