"""Protocols: how a series of releases is collected, labeled and chosen, in the same way each time.

::

    protocol    what a protocol says
    kept        its folder: read, checked and found
    save        from a workspace's settings and the words of a release to a protocol
    windows     from a protocol and a window of time to what is scraped
    earlier     the photos of earlier releases, which must not come again
    standing    which candidates a window has, and which of them still lack votes
"""
