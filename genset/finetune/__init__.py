"""Fine-tuning: how well does a model do on other tasks, with its last layer trained on them?

Only the last fully connected layer is trained, on the features of the otherwise frozen network.
Source: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning Performance
Benchmark", 2019, section on generalization.

::

    data       from a data set's files to photos with classes and parts
    network    a network cut before its last layer: the layer, its inputs, the layer replaced
    results    what is kept of runs, and how models differ: without any model
    fit        last layers fitted on the training part and tested
    finetune   the door: tasks and models in, runs out
"""
