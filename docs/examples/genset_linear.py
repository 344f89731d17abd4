"""``linear:FILE.npz``: a linear classifier on the pixels of small photos.

The file has ``weight``, outputs x 3*S*S for photos of S x S pixels (all red, then all green, all
blue, from -1 to 1), and ``bias``, one number an output.
"""

from dataclasses import replace
from math import isqrt
from zipfile import BadZipFile

import numpy as np
import torch
from torch import nn

from genset.core.errors import BadInput
from genset.models.kinds import model_kind
from genset.models.load import LoadedModel, Loading, assembled
from genset.models.preprocessing import Geometry, Preprocessing
from genset.models.spec import ModelSpec


@model_kind("linear", target="FILE.npz")
def load(spec: ModelSpec, order: tuple[str, ...], how: Loading) -> LoadedModel:
    """Load a file.

    Raises:
        BadInput: it is not there, or its arrays do not have these shapes.
    """
    try:
        with np.load(spec.target, allow_pickle=False) as file:
            weight, bias = (torch.from_numpy(file[name]).float() for name in ("weight", "bias"))
        outputs, inputs = weight.shape
    except (OSError, LookupError, TypeError, ValueError, BadZipFile) as error:
        raise BadInput(f"model {spec.text!r} cannot be read: {error}") from None
    side = isqrt(inputs // 3)
    if inputs != 3 * side * side or bias.shape != (outputs,) or outputs != len(order):
        count = len(order)
        raise BadInput(f"model {spec.text!r}: weight must be {count} x 3*S*S, bias {count} numbers")
    linear = nn.Linear(inputs, outputs)
    linear.load_state_dict({"weight": weight, "bias": bias})
    half = (0.5, 0.5, 0.5)
    preprocessing = Preprocessing(Geometry(resize=side, crop=side), mean=half, std=half)
    network = nn.Sequential(nn.Flatten(), linear)
    spec = replace(spec, arch=f"linear:{side}")
    return assembled(LoadedModel(spec, network, preprocessing, order))
