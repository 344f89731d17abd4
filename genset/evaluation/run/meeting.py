"""A model meets the classes of the set that it is scored on."""

from dataclasses import replace

from genset.errors import BadInput, GensetError
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.mapping.convention import Convention
from genset.evaluation.models.load import LoadedModel
from genset.evaluation.results.mapped import mapping_on


def meet(model: LoadedModel, photos: PhotoSet, convention: Convention) -> LoadedModel:
    """The model with its outputs mapped to the set's classes; as it is, where these are ImageNet's.

    Raises:
        BadInput: an output is below two classes of which neither is a kind of the other.
        GensetError: no class of a photo has an output.
    """
    if photos.own_taxonomy is None:
        return model
    try:
        return replace(model, mapping=mapping_on(photos, model.order, convention))
    except GensetError as error:
        kind = BadInput if isinstance(error, BadInput) else GensetError
        raise kind(f"model {model.spec.text!r}: {error}") from None
