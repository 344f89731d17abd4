"""Model specs, taken apart or refused."""

import pytest

from genset.core.errors import BadInput
from genset.models.spec import ModelSpec, parse_spec

FILE = "file:a.pth?arch=torchvision:resnet18"


def test_a_spec_is_taken_apart() -> None:
    text = "torchvision:resnet50@IMAGENET1K_V1"
    named = "resnet50@IMAGENET1K_V1"
    assert parse_spec(text) == ModelSpec(text, "torchvision", named, "", named, {})
    path = "some where/fast.v2.pth"
    spec = parse_spec(f"file:{path}?arch=my.models:lite0")
    found = spec.kind, spec.target, spec.arch, spec.name
    assert found == ("file", path, "my.models:lite0", "fast.v2")
    how = "resize=256&crop=224&interpolation=bicubic&mean=0.5&std=0.1,0.2,0.3"
    spec = parse_spec(f"{FILE}&name=fast%20one+&{how}")
    assert spec.name == "fast one+"
    assert spec.preprocessing == {
        "resize": 256,
        "crop": 224,
        "interpolation": "bicubic",
        "mean": [0.5, 0.5, 0.5],
        "std": [0.1, 0.2, 0.3],
    }


def test_a_bad_spec_is_refused_naming_it() -> None:
    """The rest of what is said is in tests/answers/recorded/evaluate.txt."""
    for text in (
        "",
        "my-network",
        "file:a.pth",
        f"{FILE}&crop=",
        f"{FILE}&std=inf",
        "file:a?arch=:",
    ):
        with pytest.raises(BadInput) as refused:
            parse_spec(text)
        assert str(refused.value).startswith(f"model {text!r}: ")
