"""Sets where they lie, and one contract: a photo with its class.

::

    open         the set that a name or a path means
    layouts/     a module each
    photos       what each layout gives: photos with ids, classes and bytes
    formats      which files are photos, and how they are decoded
    hashes       hashes of files that were read before
    truths/      all classes that each photo shows
"""
