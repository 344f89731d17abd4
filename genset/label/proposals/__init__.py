"""Proposals: further classes that may be in a release's photos, and what people say of them.

::

    choose     which classes to ask about: models' answers and confusable classes
    rounds     the round of questions about a release's photos, as it is stored
    questions  the questions, their votes, and how many are answered
"""
