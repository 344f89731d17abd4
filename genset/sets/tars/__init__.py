"""Sets in tars, which are read where they lie.

::

    members      what is in a tar, and where
    webdataset   shards of samples: photo and class side by side
    tar          folders of classes, or photos with a labels.csv
"""
