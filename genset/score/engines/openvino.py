"""OpenVINO on the CPU."""

from typing import Any

import numpy as np
import torch

from genset.core.errors import BadInput, MissingExtra
from genset.models.kinds.exported import has_channels_last, whole_numbers
from genset.models.load import LoadedModel
from genset.models.preprocessing import Pixels
from genset.score.engines.engine import Engine, EngineOptions, Logits, normalized

_PRECISIONS = {"float32": "f32", "bf16": "bf16", "fp16": "f16"}


class OpenvinoEngine(Engine):
    """The model's ONNX file, compiled for a fixed number of photos."""

    def __init__(self, model: LoadedModel, options: EngineOptions) -> None:
        size = model.batch or options.at_once
        super().__init__(model.preprocessing, size)
        try:
            import openvino
        except ModuleNotFoundError:
            raise MissingExtra("the engine openvino", "engines") from None
        precision = _PRECISIONS[options.precision]
        properties: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": options.threads,
            "NUM_STREAMS": 1,
            # Each worker is one stream; the system, and no engine, says on which core it is.
            "ENABLE_CPU_PINNING": False,
        }
        core = openvino.Core()
        network = core.read_model(options.onnx)
        side = model.preprocessing.geometry.crop
        sizes = network.input(0).partial_shape
        shape = [axis.get_length() if axis.is_static else None for axis in sizes]
        self.channels_last = has_channels_last(shape)
        self.is_uint8 = network.input(0).element_type == openvino.Type.u8
        self.output = getattr(model.network, "output", 0)
        # Fixed sizes make it a tenth faster.
        network.reshape([size, side, side, 3] if self.channels_last else [size, 3, side, side])
        compiled = core.compile_model(network, "CPU", properties)
        # A processor that cannot do what is asked does something near it, without a word.
        found = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
        if found != precision:
            raise BadInput(
                f"engine openvino has no {options.precision} on this processor: use torch"
            )
        self.request = compiled.create_infer_request()

    def _run(self, pixels: Pixels) -> Logits:
        inputs = normalized(torch.from_numpy(pixels), self.preprocessing)
        if self.channels_last:
            inputs = inputs.permute(0, 2, 3, 1)
        if self.is_uint8:
            inputs = whole_numbers(inputs)
        results = self.request.infer([inputs.contiguous().numpy()], share_inputs=True)
        return np.array(results[self.output], dtype=np.float32)
