"""Fine-tuning: does a model's last layer, trained anew, do as well on other tasks?

Only the last fully connected layer is trained, on top of features that the network gives as it is.
Source: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning Performance
Benchmark", 2018, section on generalization.
"""
