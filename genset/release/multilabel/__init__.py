"""A release whose photos have all their right answers, made of one whose photos have one each.

::

    plan       all of it together
    earlier    the first release: its plan, and its photos that may be used still
    additions  photos that it left out because they are correct for several classes
    answers    what people say of each class that may be in a photo, and the rule that decides
    facts      how people were asked, for the manifest
"""
