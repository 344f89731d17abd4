"""Models: from the spec that names one to the network, its weights and its preprocessing.

::

    spec            the strings that name models, taken apart
    kinds/          the table of kinds, and the modules that load them
    load            a spec to a LoadedModel
    checkpoints/    weights, as trainers write them, into a network
    huggingface/    folders in Hugging Face's form
    zeroshot/       models that compare photos with texts; open_clip's
    preprocessing   how a photo becomes what a network takes
    classes         what each output stands for
    class_names     what a model calls its outputs, without its weights
    mapping/        how outputs meet the classes of a set of one's own
    processes       processes forked from this one
"""
