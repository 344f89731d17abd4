"""Models that compare photos with texts: each class is what its name says, in many sentences.

::

    words       what each class is called, and the sentences
    features    the features of each class's sentences, and the network that takes them
    openclip    the models of open_clip
"""
