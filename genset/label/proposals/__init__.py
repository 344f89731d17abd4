"""Proposals: further classes that may be in a release's photos, and what people say of them.

::

    choose    which classes to ask about: models' answers, confusable classes, draws at random
    share     which photos have classes drawn at random
    existing  what the store has of the photos already
    plan      what that adds to the questions that are there already
    rounds    a round is stored, or withdrawn
    asked     the questions, who proposed them, and the votes
    agreeing  which labelers agree with whatever is proposed
    bias      all that in numbers
"""
