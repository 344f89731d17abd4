"""Data: from a set of photos to the batches of pixels that networks take.

::

    sets/        a module a layout: what a set may lie in, and where its photos' bytes are
    photos       the set that a name or a path means
    formats      a photo's bytes to red, green and blue
    transforms   a photo to the pixels that networks take
    cache        pixels kept for later runs
    loader       pixels of many photos, batch by batch
"""
