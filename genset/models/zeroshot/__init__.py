"""Models that compare photos with texts: each class is what its name says, in many sentences.

::

    names       what each class is called in a sentence
    prompts     the sentences
    texts       the features of each class's sentences: computed once, kept by their hash
    tokens      the files of a tokenizer, and what tells tokenizers apart
    network     a network that gives a photo's logits from them
    openclip    the models of open_clip
"""
