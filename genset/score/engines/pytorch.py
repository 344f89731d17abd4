"""PyTorch, eager: on the GPU if there is one.

On a GPU batches are queued: while one is computed, the next is copied there, from memory that the
card reads by itself, and this process reads photos and keeps answers.
"""

from collections import deque
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.utils.flop_counter import FlopCounterMode

from genset.core.errors import ModelError
from genset.models.kinds.exported import OnnxNetwork, used_output
from genset.models.load import LoadedModel
from genset.models.preprocessing import CustomTransform, Pixels
from genset.score.engines.engine import (
    Engine,
    EngineOptions,
    Logits,
    PendingLogits,
    multiply_exactly,
    normalized,
)
from genset.score.engines.onnx import weights_in

_PRECISIONS = {"float32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}

_QUEUED = 2  # batches that a GPU has before it at most, since each of them takes its memory


class TorchEngine(Engine):
    """PyTorch's own network, on the device that its model names."""

    def __init__(self, model: LoadedModel, options: EngineOptions | None = None) -> None:
        options = options or EngineOptions()
        named = model.device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.place = torch.device(named)
        self.outputs = len(model.order)
        self.named = "" if isinstance(model.network, OnnxNetwork) else model.spec.output
        super().__init__(model.preprocessing, model.batch, self.place.type)
        self.precision = _PRECISIONS[options.precision]
        self.network = model.network
        # ResNet-50 on an H200: channels last cost 13 % in float32, and give 48 % in bf16.
        self.is_contiguous = self.device == "cuda" and self.precision == torch.float32
        if options.channels_last is not None:
            self.is_contiguous = not options.channels_last
        if model.device:
            self.is_contiguous = False  # the network stays as the caller has it
        else:
            form = torch.contiguous_format if self.is_contiguous else torch.channels_last
            self.network = self.network.to(self.place).to(memory_format=form)
        # What a caller hands over may be of half precision; all that is loaded is float32.
        numbers = (
            parameter.dtype
            for parameter in self.network.parameters()
            if parameter.is_floating_point()
        )
        self.takes = next(numbers, torch.float32)
        multiply_exactly()
        self._queue: deque[torch.cuda.Event] = deque()

    def launch(self, pixels: Pixels) -> PendingLogits:
        if self.device != "cuda" or self.size is not None:
            return super().launch(pixels)
        while len(self._queue) >= _QUEUED:
            self._queue.popleft().synchronize()
        logits = self._forward(pixels)
        answer = torch.empty(logits.shape, pin_memory=True).copy_(logits, non_blocking=True)
        # Blocking, since a core that waits in a loop is missing where photos are read.
        done = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        done.record(torch.cuda.current_stream(self.place))
        self._queue.append(done)

        def wait() -> Logits:
            done.synchronize()
            found: Logits = answer.numpy()
            return found

        return wait

    def _run(self, pixels: Pixels) -> Logits:
        answer: Logits = self._forward(pixels).cpu().numpy()
        return answer

    def _forward(self, pixels: Pixels) -> Tensor:
        """N x outputs float32 logits, on the network's device."""
        inputs = torch.from_numpy(pixels)
        if self.device == "cuda":
            inputs = inputs.pin_memory().to(self.place, non_blocking=True)
        reduced = self.precision != torch.float32
        with (
            torch.inference_mode(),
            torch.autocast(self.device, self.precision, enabled=reduced),
        ):
            values = normalized(inputs, self.preprocessing).to(self.takes)
            logits = self.network(values.contiguous() if self.is_contiguous else values)
            if not isinstance(logits, Tensor) or self.named:
                logits = self._main_output(logits, len(inputs))
            return logits.float()

    def _main_output(self, answer: object, photos: int) -> Tensor:
        """Of several outputs, the one that its spec names, else that called logits, else the first.

        Raises:
            ModelError: it has no score for each class, or none has.
        """
        parts: Iterable[tuple[object, object]] = ()
        if isinstance(answer, Mapping):
            parts = answer.items()
        elif isinstance(answer, (tuple, list)):
            parts = enumerate(answer, 1)
        found = {str(name): value for name, value in parts if isinstance(value, Tensor)}
        fits = [name for name, value in found.items() if value.shape == (photos, self.outputs)]
        fits = [name for name in fits if self.named in ("", name)]
        if not fits:
            shapes = ", ".join(f"{name}: {list(value.shape)}" for name, value in found.items())
            what = type(answer).__name__ + f" ({shapes})" * bool(shapes)
            named = f", none of them output={self.named}," * bool(self.named)
            raise ModelError(f"answers {what}{named} to a batch of {photos}")
        used = "logits" if "logits" in fits else fits[0]
        self.note = used_output([*found], used)
        return found[used]


def cost_of(model: LoadedModel) -> dict[str, float]:
    """What can be counted of a network; what cannot is left out, and nothing is computed.

    Returns:
        `image_size`: the width of its input in pixels; `parameters`: how many it has; `flops`: of
        one photo, by torch's counter: a multiply-add is 2, which other tables count as 1.
    """
    network, geometry = model.network, model.preprocessing.geometry
    custom = isinstance(geometry, CustomTransform)
    shape = geometry.shape if custom else (3, geometry.crop, geometry.crop)
    found: dict[str, float] = {"image_size": shape[-1]} if shape[0] == 3 else {}
    parameters = sum(weight.numel() for weight in network.parameters())
    if model.onnx and model.onnx.suffix == ".onnx":
        parameters = weights_in(model.onnx)
    # The weights of a quantized layer are no parameters, and the counter does not know its kernel.
    quantized = any("quantized" in type(part).__module__ for part in network.modules())
    if not parameters or quantized:
        return found
    found["parameters"] = parameters
    batch, is_script = model.batch or 1, isinstance(network, torch.jit.ScriptModule)
    if not is_script and (flops := _flops(network, (batch, *shape))):
        found["flops"] = flops // batch
    return found


def _flops(net: nn.Module, shape: tuple[int, ...]) -> int:
    """The FLOPs of one forward pass, on tensors without values; 0 where they cannot be counted."""
    state = {name: v.to("meta") for name, v in (*net.named_parameters(), *net.named_buffers())}
    fused = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # as one operation it would not be counted
    try:
        with torch.device("meta"), torch.no_grad(), FlopCounterMode(display=False) as counter:
            pixels = torch.empty(shape, dtype=next(net.parameters()).dtype)
            functional_call(net, state, (pixels,))
        return int(counter.get_total_flops())
    except Exception:  # noqa: BLE001 - a network that looks at values raises what it likes
        return 0
    finally:
        torch.backends.mha.set_fastpath_enabled(fused)
