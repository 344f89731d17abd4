"""What a reviewer asks of a release, answered point by point: pass, fail, or not said.

::

    finding    one answer, and how all are printed
    records    what the manifest's records say: licences, credits, addresses, labels, classes
    photos     what the photos' bytes say: readable, alike, where they were taken
    people     whether faces are in photos
    papers     the release's hashes, Croissant's validator, the datasheet
    audit      all of it, in order
"""
