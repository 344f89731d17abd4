"""Layouts: how sets lie on disks.

::

    layout        what a layout's module does, and several files under one name
    release, folder, labels, objectnet
    tar           with WebDataset's shards
    hugging_face  tables, by the library `datasets`
"""
