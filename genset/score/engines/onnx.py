"""A network as an ONNX file, written once, for the engines that read one."""

import hashlib
import json
import logging
import math
import warnings
from pathlib import Path
from uuid import uuid4

import torch

from genset.core.errors import ModelError, first_line
from genset.models.kinds.exported import OnnxNetwork
from genset.models.load import LoadedModel
from genset.models.preprocessing import Pixels
from genset.score.engines.engine import Engine, EngineOptions, Logits, normalized


def onnx_file(model: LoadedModel, folder: Path) -> Path:
    """Where a model lies as ONNX, or will; another version of PyTorch writes another file."""
    if model.onnx is not None:
        return model.onnx
    identity = (
        json.dumps(model.identity, sort_keys=True),
        model.weights_hash,
        model.spec.architecture,
        model.preprocessing.geometry.crop,
        torch.__version__,
    )
    return folder / f"{hashlib.sha256(repr(identity).encode()).hexdigest()[:16]}.onnx"


def write_onnx(model: LoadedModel, path: Path) -> None:
    """Write a model as ONNX, whole or not at all, unless it is there.

    Raises:
        ModelError: PyTorch cannot write it so.
    """
    if path.is_file():
        return
    temporary = path.with_name(f".partial-{uuid4().hex}.onnx")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _export(model, temporary)
        temporary.replace(path)
    except OSError as error:
        raise ModelError(
            f"model {model.spec.text!r} cannot be written as ONNX: {error.strerror}"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def _export(model: LoadedModel, path: Path) -> None:
    side = model.preprocessing.geometry.crop
    example = torch.zeros(model.batch or 2, 3, side, side)
    # A network that was saved as a program holds the batch that it was saved with, if any.
    any_batch = None if model.batch else {"pixels": {0: "n"}, "logits": {0: "n"}}
    try:
        torch.onnx.export(
            model.network.to("cpu"),
            (example,),
            path,
            input_names=["pixels"],
            output_names=["logits"],
            dynamic_axes=any_batch,
            dynamo=False,  # the newer exporter takes ten times as long
            verbose=False,
        )
    except Exception as error:  # noqa: BLE001 - the exporter raises what it likes
        raise ModelError(
            f"model {model.spec.text!r} cannot be written as ONNX: {first_line(error)}"
        ) from None


def weights_in(path: Path) -> int:
    """How many weights an ONNX file has; 0 of a quantized one, whose weights are no floats."""
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    if any("Quantize" in node.op_type for node in graph.node):
        return 0
    floats = {onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.DOUBLE}
    shapes = (tensor.dims for tensor in graph.initializer if tensor.data_type in floats)
    return sum(map(math.prod, shapes))


class OnnxRuntimeEngine(Engine):
    """A session of its own on the model's ONNX file."""

    def __init__(self, model: LoadedModel, options: EngineOptions) -> None:
        super().__init__(model.preprocessing, model.batch or options.at_once)
        self.network = self.network_of(model, options)
        self.network.output = getattr(model.network, "output", 0)

    def network_of(self, model: LoadedModel, options: EngineOptions) -> OnnxNetwork:
        """The network, ready to run."""
        assert options.onnx is not None
        network = OnnxNetwork(options.onnx, options.threads)
        network.session()
        return network

    def _run(self, pixels: Pixels) -> Logits:
        inputs = normalized(torch.from_numpy(pixels), self.preprocessing)
        answer: Logits = self.network(inputs).numpy()
        return answer
