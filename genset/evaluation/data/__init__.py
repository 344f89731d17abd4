"""Data: from a set of photos to the batches of pixels that networks take.

::

    photos       a set: a release, a folder, a list
    transforms   a photo's file to pixels
    cache        pixels kept for later runs
    loader       pixels of many photos, batch by batch
"""
