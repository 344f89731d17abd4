"""Answers that were computed elsewhere, read from files in place of a model.

::

    predictions     a file, matched with a set's photos; tables
    arrays          class indices, or a score for each class
    names           which class a name in words means
    mapped          any of these on classes that are not ImageNet's
"""
