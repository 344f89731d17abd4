"""PyTorch, eager: on the GPU if there is one."""

import torch
from torch import Tensor

from genset.core.errors import ModelError
from genset.models.load import LoadedModel
from genset.models.preprocessing import Pixels
from genset.score.engines.engine import Engine, EngineOptions, Logits, normalized

_PRECISIONS = {"float32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


class TorchEngine(Engine):
    """PyTorch's own network, on the device that its model names."""

    def __init__(self, model: LoadedModel, options: EngineOptions | None = None) -> None:
        options = options or EngineOptions()
        named = model.device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.place = torch.device(named)
        super().__init__(model.preprocessing, model.batch, self.place.type)
        self.precision = _PRECISIONS[options.precision]
        self.network = model.network
        if not model.device:
            self.network = self.network.to(self.place).to(memory_format=torch.channels_last)
        # What a caller hands over may be of half precision; all that is loaded is float32.
        numbers = (
            parameter.dtype
            for parameter in self.network.parameters()
            if parameter.is_floating_point()
        )
        self.takes = next(numbers, torch.float32)
        # The GPU would round factors to 10 bits, which float32 does not promise.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    def _run(self, pixels: Pixels) -> Logits:
        inputs = torch.from_numpy(pixels)
        if self.device == "cuda":
            inputs = inputs.pin_memory().to(self.place, non_blocking=True)
        reduced = self.precision != torch.float32
        with torch.inference_mode(), torch.autocast(self.device, self.precision, enabled=reduced):
            logits = self.network(normalized(inputs, self.preprocessing).to(self.takes))
        if not isinstance(logits, Tensor):
            raise ModelError(f"answers {type(logits).__name__} to a batch of {len(pixels)}")
        answer: Logits = logits.float().cpu().numpy()
        return answer
