"""Models that compare photos with texts: each class is what its name says, in many sentences.

::

    words       what each class is called, and in which sentences
    features    sentences to features, by open_clip, and the network that takes them
    openclip    the models of open_clip
"""
