"""Score models on a set of photos.

::

    mapping     which of a model's outputs are of which class, where these are not ImageNet's
    models      from a spec to a network with its weights and its preprocessing
    data        from a set of photos to batches of pixels
    engines     what runs a network: PyTorch, ONNX Runtime, OpenVINO; and which one
    run         the loop that scores, and the executors that share it out
    results     what is kept of runs, and what follows from it: without any model
    evaluate    the door: models and a set in, runs out
    locate      which set is meant, and where its runs are kept
    processes   processes that are split off, for whichever room needs them
"""
