"""How a model's outputs meet the classes of a set. NumPy alone; no model and no photo is needed.

::

    convention  how outputs of one class are pooled, and which outputs compete
    words       which outputs are called as a class is: by its list, its id, or its name
    outputs     which outputs each class has: so called, ImageNet's, or all below it in WordNet
    pooling     from a model's scores to shares of the classes
    wordnet     what is above a noun
    record      what a run keeps of it, and how that is said

A set of ImageNet's classes needs none of this: there an output stands for its class.
"""
