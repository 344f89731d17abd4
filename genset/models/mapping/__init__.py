"""How a model's outputs meet the classes of a set. NumPy alone; no model and no photo is needed.

::

    outputs     which outputs each class has: so called, ImageNet's, or all below it in WordNet
    pooling     from a model's scores to shares of the classes, and what a run keeps of that

A set of ImageNet's classes needs none of this: there an output stands for its class.
"""
