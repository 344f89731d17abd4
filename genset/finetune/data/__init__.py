"""Data: from a data set's files to photos with classes and parts.

::

    layouts    names and lists of files, a module for each data set
    readable   bytes hashed, headers read
    copies     photos with the same bytes
    split      a training and a test part, where the data set has none
    tasks      all that, checked: a task
"""
