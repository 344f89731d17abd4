"""Commands start PyTorch without what they do not need, and nothing else is changed."""

import subprocess
import sys

import pytest

CODE = """
import sys
from genset.models.spec import parse_spec
from genset.score.startup import start_pytorch
start_pytorch([parse_spec("timm:resnet18")])
assert "timm" in sys.modules
print("torch._dynamo" in sys.modules, "sympy" in sys.modules)

import torch, torchvision, timm
boxes = torch.tensor([[0, 0.0, 0.0, 4.0, 4.0]])
print(torchvision.ops.roi_align(torch.ones(1, 1, 8, 8), boxes, 2).tolist())
print(torch._dynamo.__file__.endswith("__init__.py"), sys.modules["torch._dynamo"].__name__)
doubled = torch.compile(lambda x: 2 * x, backend="eager")
print(doubled(torch.ones(1)).item())
"""


@pytest.mark.soak
def test_a_command_does_not_import_the_compiler_but_all_of_it_is_there() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "False False",
        "[[[[1.0, 1.0], [1.0, 1.0]]]]",
        "True torch._dynamo",
        "2.0",
    ]
