"""Model specs: the strings that name a model.

::

    torchvision:resnet50                                    torchvision's default weights
    torchvision:resnet50@IMAGENET1K_V1                      ... or those named
    timm:convnext_tiny.fb_in1k                              timm's weights of that tag
    timm:hf-hub:ORGANISATION/NAME                           ... or anybody's on the hub
    file:resnet.pth?arch=torchvision:resnet50               a checkpoint of a torchvision model
    file:vit.safetensors?arch=timm:vit_tiny_patch16_224     ... of one of timm's
    file:lite0.pth?arch=my_models:lite0&mean=0.5&std=0.5    ... or of your own: MODULE:CALLABLE
    export:PATH.pt2                                         what torch.export saved
    export:PATH.xml                                         what OpenVINO saved, with its .bin
    onnx:PATH.onnx                                          an ONNX file
    torchscript:PATH.pt                                     TorchScript, which is code
    hf:FOLDER-OR-NAME                                       a model in Hugging Face's form
    openclip:ViT-B-32?weights=FILE&prompts=openai80         a CLIP model of open_clip's, zero-shot
    predictions:preds.npy?name=mine                         answers that were computed elsewhere

Each has the options `name` (as shown in tables), `trained_until` (the date of the newest photos
that it can have been trained on: `trained`), `reference_top1` (its top-1 accuracy on ImageNet's
validation set in per cent, where it is not published), `tags` (words, as in cnn,distilled, whose
first colours it in figures), `classes` (a file with the wnid of each
output, one a line, where these are not ImageNet's 1,000 in sorted order; after a first line "# not
ImageNet" any names) and `background` (the index of an output that stands for no class). A network
has those of its preprocessing, where it differs from the model's own: `resize` and `crop` (pixels;
a resize to 256x256 gives up the proportions), `fit` (shorter or squash), `interpolation` (bilinear
or bicubic), `mean` and `std` (one number, or three as in 0.485,0.456,0.406); and one of timm's has
`size` (test, or train for the size that it was trained at). A checkpoint has `ema=1` (score the
averaged weights that lie beside the others) and `prefix` (what stands before the names of its
weights, where several of them would fit). Your own CALLABLE is
given `num_classes`, if it takes that, where there are not 1,000. `output` names the one to score of
several outputs: in a file, in a dict, or by its place from 1. `torchvision:`, `timm:` and
`file:` make the network with what `model_kwargs` says: img_size=384,global_pool=avg.

A model that compares photos with texts (`openclip:`, and `hf:` with a folder of CLIP, SigLIP and
their like) has `prompts` (openai80, simple, or a file with a template a line, {} for the name),
`names` (lemmas, definitions, openai, or a file) and `tokenizer` (a folder); `openclip:` has
`weights` (a file).
"""

import ast
import calendar
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from genset.core.errors import BadInput, GensetError, MissingExtra, ModelError
from genset.models.kinds import OF_FILES, PREPROCESSING, ZERO_SHOT, forms, kind_of
from genset.models.training_sets import KNOWN

_DATE = re.compile(r"([12][0-9]{3})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


def parse_trained_until(value: str) -> str:
    """A date as it was given, or that of a known training set: "2021", "2021-12", "2021-12-31".

    >>> parse_trained_until("ImageNet"), parse_trained_until("2021-12")
    ('2010', '2021-12')
    >>> parse_spec("file:a?arch=b:c&trained_until=2021-12").trained_until
    '2021-12'

    Raises:
        BadInput: it is neither.
    """
    until = KNOWN.get(value.strip().lower(), value.strip())
    try:
        last_day(until)
    except ValueError:
        known = ", ".join(KNOWN)
        raise BadInput(
            f"trained_until is a date, such as 2021-12, or one of {known}; not {value[:40]!r}"
        ) from None
    return until


def last_day(until: str) -> date:
    """The last day of a year, a month or a day.

    >>> last_day("2022-02").isoformat()
    '2022-02-28'
    >>> last_day("2021").isoformat(), last_day("2021-12-05").isoformat()
    ('2021-12-31', '2021-12-05')

    Raises:
        ValueError: it is none.
    """
    found = _DATE.fullmatch(until)
    if found is None:
        raise ValueError(f"no date: {until!r}")
    year, month = int(found[1]), int(found[2] or 12)
    if not 1 <= month <= 12:
        raise ValueError(f"no month: {until!r}")
    return date(year, month, int(found[3]) if found[3] else calendar.monthrange(year, month)[1])


INTERPOLATIONS = ("bilinear", "bicubic")
_FITS, _SIZES = ("shorter", "squash"), ("test", "train")
_WORDS = {"interpolation": INTERPOLATIONS, "fit": _FITS, "size": _SIZES, "ema": ("1", "0")}
_NUMBERS = {"resize": range(1, 4097), "crop": range(1, 4097), "background": range(100_000)}


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A spec, taken apart.

    Attributes:
        text: the spec as it was given.
        kind: one of `kinds.KINDS`; "memory" for a network that was handed over in Python.
        target: what follows the kind: an architecture or a path.
        arch: of a file: ``torchvision:NAME``, ``timm:NAME`` or ``MODULE:CALLABLE``; of a folder in
            Hugging Face's form that was loaded, what its configuration says; otherwise "".
        name: how the model is called in tables.
        preprocessing: overrides; any of `kinds.PREPROCESSING`.
        classes: the file that lists what each output stands for; "" for none.
        background: the index of the output that stands for no class, if there is one.
        ema: of a file: whether to take the averaged weights; None where it was not said.
        trained_until: the latest date of a photo that it was trained on; "" where it was not said.
            It changes no answer, and is no part of a run's key.
        reference_top1: its top-1 accuracy on ImageNet's validation set, 0 to 1, as its author says;
            None where it was not said. It changes no answer either.
        tags: words by which it is grouped. They change no answer either.
        prefix: of a file: what stands before the names of the weights; None where it was not said.
        texts: of a model that compares photos with texts: any of prompts, names, tokenizer and
            weights, as they were given.
        model_kwargs: further arguments of what makes the network.
        output: the name of the one to score, of a network with several; "" where it was not said.
    """

    text: str
    kind: str
    target: str
    arch: str
    name: str
    preprocessing: dict[str, object] = field(default_factory=dict, hash=False)
    classes: str = ""
    background: int | None = None
    ema: bool | None = None
    trained_until: str = ""
    reference_top1: float | None = None
    tags: tuple[str, ...] = ()
    prefix: str | None = None
    texts: dict[str, str] = field(default_factory=dict, hash=False)
    model_kwargs: dict[str, object] = field(default_factory=dict, hash=False)
    output: str = ""

    @property
    def is_predictions(self) -> bool:
        """Whether it names answers that were computed elsewhere, and no network."""
        return self.kind == "predictions"

    @property
    def architecture(self) -> str:
        """What the network is, without its weights: part of a run's key."""
        return f"{self.kind}:{self.arch or self.target}"

    @property
    def at_train_size(self) -> bool:
        """Whether a network of timm's is to be scored at the size that it was trained at."""
        return self.preprocessing.get("size") == "train"

    @property
    def is_of_timm(self) -> bool:
        """Whether timm makes the network."""
        return self.architecture.startswith(("timm:", "file:timm:"))


@contextmanager
def errors_of(text: str) -> Iterator[None]:
    """What is raised in the block begins with the model that it is about, by its spec."""
    model = f"model {text!r}"
    try:
        yield
    except MissingExtra:  # says what needs it
        raise
    except GensetError as error:
        if str(error).startswith(model):
            raise
        # Some errors are made of more than a text.
        kind = next(kind for kind in (BadInput, ModelError, GensetError) if isinstance(error, kind))
        raise kind(f"{model}: {error}") from None


def parse_spec(text: str) -> ModelSpec:
    """Take a spec apart.

    Raises:
        BadInput: naming the part that is wrong.
    """
    with errors_of(text):
        return _parsed(text)


def _parsed(text: str) -> ModelSpec:
    kind, colon, rest = text.partition(":")
    target, _, query = rest.partition("?")
    known = kind_of(kind) if colon else None
    if not known or not target:
        if not known and (meant := _meant(text)):
            raise BadInput(f"did you mean {' or '.join(meant)}?")
        *first, last = forms()
        raise BadInput(f"a spec is {', '.join(first)} or {last}")
    # A plus is a plus, as in c++/list.txt: specs are no web forms.
    options = dict(parse_qsl(query.replace("+", "%2B"), keep_blank_values=True))
    _only_known(kind, known.options, options)
    arch = options.get("arch", "")
    module, _, callable_name = arch.partition(":")
    if kind == "file" and not (module and callable_name):
        raise BadInput(
            "say what it is with ?arch=torchvision:NAME, timm:NAME or "
            "MODULE:CALLABLE, which makes your network"
        )
    if "size" in options and kind != "hf" and "timm" not in (kind, module):
        raise BadInput("size is for timm's models, which have one for training and one for tests")
    until = options.get("trained_until")
    texts = {name: options[name] for name in ("weights", *ZERO_SHOT) if name in options}
    if kind == "openclip" and not texts.get("weights"):
        raise BadInput("say where its weights lie with ?weights=FILE")
    return ModelSpec(
        text=text,
        kind=kind,
        target=target,
        arch=arch,
        name=options.get("name", "") or _shown(kind, target),
        preprocessing=_preprocessing(options),
        classes=options.get("classes", ""),
        background=_value("background", options["background"]) if "background" in options else None,
        ema=_value("ema", options["ema"]) == "1" if "ema" in options else None,
        trained_until="" if until is None else parse_trained_until(until),
        reference_top1=_accuracy(options.get("reference_top1")),
        tags=tuple(filter(None, map(str.strip, options.get("tags", "").split(",")))),
        prefix=options.get("prefix"),
        output=options.get("output", ""),
        texts=texts,
        model_kwargs=_arguments(options["model_kwargs"]) if "model_kwargs" in options else {},
    )


_KIND_OF_SUFFIX = {
    **dict.fromkeys((".pth", ".pt", ".ckpt", ".bin", ".safetensors", ".tar", ".npz"), "file"),
    **dict.fromkeys((".npy", ".csv", ".parquet"), "predictions"),
    ".onnx": "onnx",
    **dict.fromkeys((".pt2", ".xml"), "export"),
}


def _meant(text: str) -> list[str]:
    """The specs that a text without a kind may stand for: a file's, or a known architecture's."""
    strange, _, rest = text.partition(":")  # a kind that there is not, as in openvino:net.xml
    if strange.isalpha() and Path(rest.partition("?")[0]).suffix.lower() in _KIND_OF_SUFFIX:
        text = rest
    target, question, _ = text.partition("?")
    if kind := _KIND_OF_SUFFIX.get(Path(target).suffix.lower()):
        needs_arch = kind == "file" and "arch=" not in text
        return [
            f"{kind}:{text}{'&' if question else '?'}arch=..." if needs_arch else f"{kind}:{text}"
        ]
    if ":" in target:
        return []
    known = _architectures()
    name = target.partition(".")[0].lower()  # timm:NAME.WEIGHTS
    if exact := [kind for kind, names in known.items() if name in names]:
        return [f"{kind}:{text}" for kind in exact if kind == "timm" or name == target]
    near = get_close_matches(name, {name for names in known.values() for name in names}, 1, 0.75)
    return [f"{kind}:{found}" for found in near for kind, names in known.items() if found in names]


def _architectures() -> dict[str, Collection[str]]:
    """The names that torchvision and timm know, where they are installed."""
    known: dict[str, Collection[str]] = {}
    if find_spec("torchvision"):
        from torchvision.models import list_models

        known["torchvision"] = list_models()
    if find_spec("timm"):
        import timm

        known["timm"] = timm.list_models()
    return known


def _only_known(kind: str, known: tuple[str, ...], options: dict[str, str]) -> None:
    for name in options:
        if name in OF_FILES and kind != "file":
            raise BadInput(f"{name} is an option of file:CHECKPOINT")
        if name not in known:
            raise BadInput(f"no option {name}; there are {', '.join(known)}")


def _shown(kind: str, target: str) -> str:
    if kind in ("torchvision", "timm", "openclip"):
        return target.removeprefix("hf-hub:")
    if kind == "hf":
        return Path(target).resolve().name if target in (".", "..") else Path(target).name
    return Path(target).stem


def _accuracy(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        found = float(value)
    except ValueError:
        found = -1.0
    if not 0 < found < 100:
        raise BadInput(f"reference_top1 is an accuracy in per cent, as 76.1, not {value!r}")
    if found < 1:
        raise BadInput(
            f"reference_top1 is in per cent; {value} looks like a share: write {100 * found:g}"
        )
    return found / 100


# The spec has options of its own for these, or they would read another file.
_NO_ARGUMENTS = ("num_classes", "in_chans", "pretrained", "weights", "checkpoint", "features")


def _arguments(text: str) -> dict[str, object]:
    """Arguments of a function, each value as in Python; a value that is none is a word."""
    found: dict[str, object] = {}
    for part in re.split(r",(?=\s*\w+=)", text):
        name, _, value = part.strip().partition("=")
        if not (name.isidentifier() and value) or len(text) > 200:
            raise BadInput(f"model_kwargs is NAME=VALUE,NAME=VALUE, not {text[:80]!r}")
        if name.startswith(_NO_ARGUMENTS):
            raise BadInput(f"model_kwargs cannot have {name}")
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found


def parse_preprocessing(query: str) -> dict[str, object]:
    """The part of a spec that changes the preprocessing, by itself: ``mean=0.5&resize=256``.

    Raises:
        BadInput: a value is not possible.
    """
    return _preprocessing(dict(parse_qsl(query)))


def _preprocessing(options: dict[str, str]) -> dict[str, object]:
    side, _, other = options.get("resize", "").partition("x")
    if other and other == side:
        options = {"fit": "squash", **options, "resize": side}
    return {name: _value(name, options[name]) for name in PREPROCESSING if name in options}


def _value(name: str, value: str) -> Any:
    try:
        if name in _NUMBERS:
            number = int(value)
            if number not in _NUMBERS[name]:
                raise ValueError(value)
            return number
        if name in ("mean", "std"):
            numbers = [float(part) for part in value.split(",")]
            usable = all(isfinite(number) and (name == "mean" or number > 0) for number in numbers)
            if len(numbers) not in (1, 3) or not usable:
                raise ValueError(value)
            return numbers * 3 if len(numbers) == 1 else numbers
    except ValueError:
        raise BadInput(f"{name} cannot be {value!r}") from None
    if value not in _WORDS[name]:
        raise BadInput(f"{name} is {' or '.join(_WORDS[name])}, not {value!r}")
    return {"squash": "both"}.get(value, value)
