"""Networks: the last linear layer, its inputs, and another layer in its place.

::

    heads        the layer found, and a network that stops before it
    features     its inputs for all photos of a set, kept
    checkpoint   a network with a new layer, written as a file
"""
