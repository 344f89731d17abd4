"""Free text in place of a model: what a vision-language model said of each photo.

::

    names      what each class is called, and which class a name means
    wording    an answer without its markup and its opening words
    taking     which class an answer means, or why it means none
    prompts    the questions to ask, with the photos and the options
    lines      files of JSON lines, bounded and checked
    read       a file of answers, matched with a set's photos
"""
