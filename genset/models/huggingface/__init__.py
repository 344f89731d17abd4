"""Models in Hugging Face's form: a folder with their configuration, weights and processor.

::

    folder       a folder, or what the hub's client fetches; its configuration, checked
    load         a `hf:` spec to the parts of its model, whichever of these it is
    classifier   transformers' image classifiers
    zero_shot    transformers' models that compare photos with texts
    timm_folder  timm's models in such a folder (transformers' TimmWrapper)
    labels       which class each output stands for, by the names that the configuration has
    processor    how the folder's own processor wants photos
    quiet        transformers, imported where it is asked for, without its talk
"""
