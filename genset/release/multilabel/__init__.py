"""A release whose photos have all their right answers, made of one whose photos have one each.

::

    plan       all of it together, with photos that it left out as correct for several classes
    earlier    the first release: its plan, and its photos that may be used still
    answers    what people say of each class that may be in a photo, and the rule that decides
    facts      how people were asked, for the manifest
"""
