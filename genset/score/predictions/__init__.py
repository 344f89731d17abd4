"""Answers that were computed elsewhere, read from files in place of a model.

::

    predictions     tables and arrays of classes, best first
    own_tables      a run's own table, on classes that are not ImageNet's
    mapped          any of these on such classes
    answers         free text, as vision-language models answer
"""
