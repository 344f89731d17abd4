"""A `hf:` spec to the parts of its model."""

from pathlib import Path

from genset.classes import Taxonomy
from genset.models.huggingface.classifier import load_classifier
from genset.models.huggingface.folder import open_folder
from genset.models.huggingface.quiet import transformers_for
from genset.models.huggingface.timm_folder import load_timm_folder
from genset.models.huggingface.zero_shot import compares_with_texts, load_zero_shot
from genset.models.parts import Parts
from genset.models.spec import ModelSpec
from genset.models.zeroshot.texts import Texts


def load_hugging_face(
    spec: ModelSpec, order: tuple[str, ...], kept: Path | None, own: Taxonomy | None = None
) -> Parts:
    """The parts of the model that a `hf:` spec names.

    Args:
        spec: the model's.
        order: what its outputs stand for, if its spec says so; otherwise its labels do.
        kept: a folder for the features of texts; None: they are computed each time.
        own: the classes of the set, where they are not ImageNet's.

    Raises:
        BadInput: there is no such folder, or it is no model that can be scored.
        ModelError: its weights do not come, or do not fit.
        MissingExtra: a package is missing.
    """
    folder = open_folder(spec)
    said = order if spec.classes else None
    if folder.is_of_timm:
        return load_timm_folder(spec, folder, said, own)
    with transformers_for(spec.text) as transformers:
        if compares_with_texts(folder):
            return load_zero_shot(spec, folder, Texts.of(spec, order, own), kept, transformers)
        return load_classifier(spec, folder, said, own, transformers)
