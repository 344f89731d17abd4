"""Layouts: how sets lie on disks.

::

    layout        what a layout's module does, and several files under one name
    release, folder, labels
    tar, webdataset     and `members`, the files in a tar
    hugging_face  tables, by the library `datasets`
"""
