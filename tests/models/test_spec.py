"""Model specs, taken apart or refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.core.errors import BadInput
from genset.core.validation import Invalid
from genset.models.spec import ModelSpec, errors_of, parse_spec

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


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "a spec is torchvision:NAME, timm:NAME, file:CHECKPOINT"),
        ("tensorflow:resnet50", "a spec is torchvision:NAME, timm:NAME, file:CHECKPOINT"),
        ("file:a.pth", "say what it is with ?arch=torchvision:NAME"),
        ("file:a.pth?arch=resnet18", "say what it is with ?arch=torchvision:NAME"),
        ("file:a.pth?arch=torchvision:", "say what it is with ?arch=torchvision:NAME"),
        ("torchvision:resnet18?arch=a:b", "arch is an option of file:CHECKPOINT"),
        (f"{FILE}&crpo=224", "no option crpo; there are arch, ema, prefix, name, classes"),
        (f"{FILE}&crop=0", "crop cannot be '0'"),
        (f"{FILE}&resize=256.5", "resize cannot be '256.5'"),
        (f"{FILE}&mean=0.5,0.5", "mean cannot be '0.5,0.5'"),
        (f"{FILE}&mean=nan", "mean cannot be 'nan'"),
        (f"{FILE}&std=0", "std cannot be '0'"),
        (f"{FILE}&interpolation=lanczos", "interpolation is bilinear or bicubic"),
    ],
)
def test_a_bad_spec_is_refused_naming_it_and_the_part_that_is_wrong(text: str, named: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_spec(text)
    assert str(refused.value).startswith(f"model {text!r}: ")
    assert named in str(refused.value)


@given(
    st.text()
    | st.builds("file:{}?arch=torchvision:x&{}".format, st.text(), st.text())
    | st.builds(
        "torchvision:x?{}={}".format,
        st.sampled_from(["resize", "crop", "mean", "std", "interpolation", "name"]),
        st.text(),
    )
)
def test_any_text_is_a_spec_or_refused(text: str) -> None:
    with suppress(BadInput):
        assert parse_spec(text).text == text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("resnet50", "torchvision:resnet50 or timm:resnet50"),
        ("resnet5O", "torchvision:resnet50 or timm:resnet50"),
        ("resnet50.a1_in1k", "timm:resnet50.a1_in1k"),
        ("mine.pth", "file:mine.pth?arch=..."),
        ("runs/mine.ckpt?crop=224", "file:runs/mine.ckpt?crop=224&arch=..."),
        ("mine.pth?arch=timm:resnet50", "file:mine.pth?arch=timm:resnet50"),
        ("answers.npy", "predictions:answers.npy"),
        ("net.onnx", "onnx:net.onnx"),
        ("openvino:net.onnx", "onnx:net.onnx"),
    ],
)
def test_a_spec_without_a_kind_is_answered_with_what_to_write(text: str, meant: str) -> None:
    with pytest.raises(BadInput) as error:
        parse_spec(text)
    assert str(error.value) == f"model {text!r}: did you mean {meant}?"


def test_an_error_that_is_made_of_several_parts_names_its_model_too() -> None:
    with pytest.raises(BadInput, match=r"model 'm': a\.json: size must be 3"), errors_of("m"):
        raise Invalid("a.json", ("size",), " must be 3")
