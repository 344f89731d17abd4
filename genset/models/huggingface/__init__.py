"""Models in Hugging Face's form: a folder with their configuration, weights and processor.

::

    load         a `hf:` spec to its model: timm's, or by transformers' Auto classes
    folder       a folder, or what the hub's client fetches; its configuration, checked
    processor    what the folder's image processor does to a photo
    labels       which class each output stands for, by the names that the configuration has
"""
