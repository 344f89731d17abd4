"""What is done to a photo before it is normalized.

::

    cutting      as a geometry says: resized by Pillow, and cut
    foreign      another library's transform, as a geometry that does the same
"""
