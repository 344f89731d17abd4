"""Models: from the spec that names one to the network, its weights and its preprocessing.

::

    spec            the strings that name models, taken apart
    kinds/          the table of kinds: what a spec of each looks like, and what loads it
    load            a spec to a LoadedModel
    architectures   networks of torchvision, timm, or the user's own module
    checkpoints/    weights, as trainers write them, into a network
    exported        networks that come as one file: torch.export, TorchScript, ONNX
    huggingface     folders in Hugging Face's form
    zeroshot        models that compare photos with texts; open_clip's
    parts           what a loader of another library's models finds
    weights         what tells weights apart
    memory          a network that a caller has in memory
    preprocessing   how a photo becomes what a network takes
    transforms      what is done to a photo before it is normalized
    classes         what each output stands for
    class_names     what a model calls its outputs, without its weights
"""
