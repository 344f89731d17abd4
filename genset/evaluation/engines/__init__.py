"""Engines: what runs a network. Pixels in, logits out.

::

    ENGINES        the table of engines: whatever else is known of one by its name
    engine         what each of them is
    pytorch, onnxruntime, openvino
    export         a network as an ONNX file, for those that read one
    select         the fastest engine that gives PyTorch's own answers
    runner         a model on its engine, with as many photos at once as memory allows
"""

from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec


@dataclass(frozen=True, slots=True)
class EngineKind:
    """An engine, by the name that ``--engine`` gives it.

    Attributes:
        name: also of the package that it needs, as it is imported and installed.
        title: as people write it.
        opens: MODULE:CLASS of an `engine.Engine`.
        precisions: those that it may have; which of them depends on the processor too.
        reads_onnx: it is given the model as an ONNX file, not as PyTorch's network.
    """

    name: str
    title: str
    opens: str
    precisions: tuple[str, ...]
    reads_onnx: bool = True

    @property
    def is_installed(self) -> bool:
        """Whether its package is there."""
        return find_spec(self.name) is not None

    @property
    def version(self) -> str:
        """Of its package."""
        return version(self.name)

    def load(self) -> None:
        """Import its package."""
        import_module(self.name)


PRECISIONS = ("float32", "bf16", "fp16")

ENGINES = {
    kind.name: kind
    for kind in (
        EngineKind(
            name="torch",
            title="PyTorch",
            opens="genset.evaluation.engines.pytorch:TorchEngine",
            precisions=PRECISIONS,
            reads_onnx=False,
        ),
        EngineKind(
            name="onnxruntime",
            title="ONNX Runtime",
            opens="genset.evaluation.engines.onnxruntime:OnnxRuntimeEngine",
            precisions=("float32",),
        ),
        EngineKind(
            name="openvino",
            title="OpenVINO",
            opens="genset.evaluation.engines.openvino:OpenvinoEngine",
            precisions=PRECISIONS,
        ),
    )
}
