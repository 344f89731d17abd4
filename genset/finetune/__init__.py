"""Fine-tuning: how well does a model do on other tasks, with its last layer trained on them?

Only the last fully connected layer is trained, on the features of the otherwise frozen network.
Source: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning Performance
Benchmark", 2018, section on generalization.
"""
