"""A model meets the classes of the set that it is scored on."""

from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput, GensetError
from genset.models.load import LoadedModel, load_model
from genset.models.spec import ModelSpec
from genset.score.options import ScoringOptions
from genset.score.predictions.mapped import mapping_on
from genset.sets.photos import PhotoSet


def load_for(
    photos: PhotoSet, spec: ModelSpec, options: ScoringOptions, kept: Path | None = None
) -> LoadedModel:
    """Load the model that a spec names, to be scored on a set.

    Args:
        photos: the set.
        spec: the model's.
        options: how it is scored.
        kept: a folder for what is computed once for all runs; None: it is computed each time.

    Raises:
        BadInput, ModelError: as `load_model` does.
        GensetError: as `meet` does.
    """
    model = load_model(spec, options.allow_code, kept, photos.own_taxonomy)
    return meet(model, photos, options)


def meet(model: LoadedModel, photos: PhotoSet, options: ScoringOptions) -> LoadedModel:
    """The model with its outputs mapped to the set's classes; as it is, where these are ImageNet's.

    Raises:
        BadInput: an output is below two classes of which neither is a kind of the other.
        GensetError: no class of a photo has an output.
    """
    if photos.own_taxonomy is None:
        return model
    try:
        return replace(model, mapping=mapping_on(photos, model.order, options.convention))
    except GensetError as error:
        kind = BadInput if isinstance(error, BadInput) else GensetError
        raise kind(f"model {model.spec.text!r}: {error}") from None
