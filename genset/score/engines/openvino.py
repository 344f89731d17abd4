"""OpenVINO on the CPU."""

from genset.core.errors import BadInput
from genset.models.kinds.exported import IrSession, OnnxNetwork
from genset.models.load import LoadedModel
from genset.score.engines.engine import EngineOptions
from genset.score.engines.onnx import OnnxRuntimeEngine

_PRECISIONS = {"float32": "f32", "bf16": "bf16", "fp16": "f16"}


class OpenvinoEngine(OnnxRuntimeEngine):
    """The model's file, compiled for a fixed number of photos."""

    def network_of(self, model: LoadedModel, options: EngineOptions) -> OnnxNetwork:
        assert options.onnx is not None
        precision = _PRECISIONS[options.precision]
        session = IrSession(options.onnx, options.threads, precision)
        network = OnnxNetwork(options.onnx, session=session)
        side = model.preprocessing.geometry.crop
        shape = [side, side, 3] if network.channels_last else [3, side, side]
        session.network.reshape([self.size, *shape])  # fixed sizes make it a tenth faster
        # A processor that cannot do what is asked does something near it, without a word.
        found = session.compiled().get_property("INFERENCE_PRECISION_HINT").to_string()
        if found != precision:
            raise BadInput(
                f"engine openvino has no {options.precision} on this processor: use torch"
            )
        return network
