"""Models: from the spec that names one to the network, its weights and its preprocessing.

::

    spec            the strings that name models, taken apart
    load            a spec to a LoadedModel, by the table LOADERS of its kind
    architectures   networks of torchvision, timm, or the user's own module
    checkpoints/    weights, as trainers write them, into a network
    exported        networks that come as one file: torch.export, TorchScript, ONNX
    memory          a network that a caller has in memory
    preprocessing   how a photo becomes what a network takes
    classes         what each output stands for
"""
