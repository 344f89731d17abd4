"""Taxonomies made of words, synsets, folders' names or a model's class names.

::

    senses          what words mean in WordNet: asked for, or said
    drafts          what is known of a class before it stands beside others, its id made safe
    together        drafts to a taxonomy: queries, ImageNet's classes below, confusable classes
    remarks         what a reader should look at: ambiguous words, queries that find other classes
"""
