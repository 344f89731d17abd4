"""Faces of people in photos: where they are, and photos in which nobody can be known by theirs.

::

    centerface    the detector, and the faces of all photos of a release
    blur          a release with its faces blurred, as a release of its own
"""
