"""Sets where they lie: one module a layout, and one contract, a photo with its class.

::

    photo        what each layout gives: photos with ids, classes and bytes
    endings      which files are photos
    kept         hashes of files that were read before
    patterns     several files under one name
    layout       what a layout's module does
    release, folder, labels     layouts of files
    tars/        layouts in tars
    tables/      layouts in tables
"""
