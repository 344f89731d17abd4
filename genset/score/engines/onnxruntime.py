"""ONNX Runtime on the CPU, in float32."""

import torch

from genset.models.exported import OnnxNetwork
from genset.models.load import LoadedModel
from genset.score.engines.engine import Engine, EngineOptions, Logits, normalized
from genset.score.transforms import Pixels


class OnnxRuntimeEngine(Engine):
    """A session of its own on the model's ONNX file."""

    def __init__(self, model: LoadedModel, options: EngineOptions) -> None:
        assert options.onnx is not None
        super().__init__(model.preprocessing, model.batch or options.at_once)
        self.network = OnnxNetwork(options.onnx, options.threads)
        self.network.session()

    def _run(self, pixels: Pixels) -> Logits:
        given = normalized(torch.from_numpy(pixels), self.preprocessing)
        answer: Logits = self.network(given).numpy()
        return answer
