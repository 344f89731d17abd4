"""Proposals: further classes that may be in a release's photos, and what people say of them.

::

    choose     which classes to ask about: models' answers and confusable classes
    plan       which of these are not asked about yet
    rounds     store a round of questions, or withdraw it
    questions  the questions, their votes, and how many are answered
"""
