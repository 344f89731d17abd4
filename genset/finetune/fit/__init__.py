"""Fits: last layers, fitted on the training part and tested once.

::

    options   how layers are fitted
    shots     a few photos of each class
    probe     a layer fitted on kept features
    augment   random parts of photos
    sgd       a layer trained batch by batch
    fitting   all layers of a model on a task
"""
