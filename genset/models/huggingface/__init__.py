"""Models in Hugging Face's form: a folder with their configuration, weights and processor.

::

    load         a `hf:` spec to its model; timm's models in such a folder
    folder       a folder, or what the hub's client fetches; its configuration, checked
    classifier   transformers' image classifiers, and their processors
    zero_shot    transformers' models that compare photos with texts
    labels       which class each output stands for, by the names that the configuration has
"""
