"""Fine-tuning: how well does a model do on other tasks, with its last layer trained on them?

Only the last fully connected layer is trained, on the features of the otherwise frozen network.
Source: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning Performance
Benchmark", 2019, section on generalization.

::

    run          the door: tasks and models in, runs out
    layouts/     names and lists of files, a module for each data set
    tasks        photos with classes and parts, checked
    split        a seeded split, and photos that are there more than once
    heads        the last linear layer: found, and replaced
    features     its inputs for all photos of a set, stored
    probe        a layer fitted on features
    fitting      all layers of a model on a task
    checkpoint   a network with a new layer, written as a file
    runs         what is stored of a run
    compare      models on a task, any two of them
"""
