"""Faces of people in photos: where they are, and photos in which nobody can be known by theirs.

::

    centerface    the detector: boxes of faces in one photo
    find          the faces of all photos of a release
    blur          one photo with its faces blurred
    variant       a release with its faces blurred, as a release of its own
"""
