"""Engines: what runs a network. Pixels in, logits out.

::

    ENGINES      the table of engines: whatever is known of one by its name
    engine       what each of them is
    pytorch, onnx, openvino     the engines
    select       the fastest engine that gives PyTorch's own answers
    runner       a model on its engine, with as many photos at once as memory allows
"""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from genset.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class EngineKind:
    """An engine: all that is known of it by its name, for whoever needs not open it.

    Attributes:
        name: as ``--engine`` takes it.
        title: as people write it.
        package: what it needs, as it is imported and as it is installed.
        opens: MODULE:CLASS of an `engine.Engine`.
        precisions: those that it may have; which of them depends on the processor too.
        reads: the files that it is given a model as; none for PyTorch, which has the network.
    """

    name: str
    title: str
    package: str
    opens: str
    precisions: tuple[str, ...]
    reads: tuple[str, ...]

    @property
    def is_installed(self) -> bool:
        """Whether its package is there."""
        return find_spec(self.package) is not None

    @property
    def version(self) -> str:
        """Of its package."""
        from importlib.metadata import version  # which takes a while to import

        return version(self.package)

    def check_precision(self, precision: str) -> None:
        """See that it has a precision.

        Raises:
            BadInput: it does not; naming the engines that do.
        """
        if precision not in self.precisions:
            able = sorted(kind.name for kind in ENGINES.values() if precision in kind.precisions)
            raise BadInput(f"engine {self.name} has no {precision}: use {' or '.join(able)}")

    def load(self) -> None:
        """Import its package."""
        import_module(self.package)


PRECISIONS = ("float32", "bf16", "fp16")

ENGINES = {
    kind.name: kind
    for kind in (
        EngineKind(
            name="torch",
            title="PyTorch",
            package="torch",
            opens="genset.score.engines.pytorch:TorchEngine",
            precisions=PRECISIONS,
            reads=(),
        ),
        EngineKind(
            name="onnxruntime",
            title="ONNX Runtime",
            package="onnxruntime",
            opens="genset.score.engines.onnx:OnnxRuntimeEngine",
            precisions=("float32",),
            reads=(".onnx",),
        ),
        EngineKind(
            name="openvino",
            title="OpenVINO",
            package="openvino",
            opens="genset.score.engines.openvino:OpenvinoEngine",
            precisions=PRECISIONS,
            reads=(".onnx", ".xml"),
        ),
    )
}
