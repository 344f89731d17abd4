"""Files that OpenVINO runs."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from numpy.typing import NDArray

from genset.core.errors import needs_extra


class IrSession:
    """A file that OpenVINO runs, its own or ONNX, with the methods of ONNX Runtime's sessions.

    It is compiled where it is first run: that starts threads, which cannot be split off.

    Raises:
        MissingExtra: openvino is not installed.
    """

    def __init__(self, path: Path, threads: int, precision: str = "f32") -> None:
        with needs_extra("running OpenVINO", "engines"):
            import openvino
        self._core: Any = openvino.Core()
        self._compiled: Any = None
        self.network = self._core.read_model(path)
        self._properties = {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,  # the system says on which core each worker is
        }

    def get_inputs(self) -> list[SimpleNamespace]:
        return [_node(port) for port in self.network.inputs]

    def get_outputs(self) -> list[SimpleNamespace]:
        return [_node(port) for port in self.network.outputs]

    def compiled(self) -> Any:
        """The network, ready to run."""
        if self._compiled is None:
            self._compiled = self._core.compile_model(self.network, "CPU", self._properties)
        return self._compiled

    def run(self, _: None, values: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """All its outputs for one input."""
        return [*self.compiled()([*values.values()]).values()]


def _node(port: Any) -> SimpleNamespace:
    sizes = [axis.get_length() if axis.is_static else "N" for axis in port.partial_shape]
    name = min(port.names, default="pixels")
    return SimpleNamespace(name=name, type=port.element_type.get_type_name(), shape=sizes)
