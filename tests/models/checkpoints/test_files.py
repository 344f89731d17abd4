"""Files that are given for a checkpoint and are none, each named in one line with its mend."""

import gzip
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from genset.core.errors import ModelError
from genset.models.checkpoints.read import why_unread
from genset.models.load import hash_of_weights
from tests.models.checkpoints.test_malicious import dumped, tarred, under_state_dict, zipped
from tests.score.colours import Colours, colours
from tests.score.scoring import load_model

SAVE = r"save it with torch\.save\(model\.state_dict\(\), PATH\)"
CODE = rf"it holds \S+\.Colours, which is neither weights nor .*; {SAVE}"
YEARS = ("sys_info", "pickle", "tensors", "storages")


def exported(path: Path) -> None:
    program = torch.export.export(Colours().eval(), (torch.zeros(1, 3, 8, 8),))
    torch.export.save(program, path.with_suffix(".pt2"))
    path.with_suffix(".pt2").rename(path)


def packed(path: Path) -> None:
    torch.save(Colours().state_dict(), path)
    path.write_bytes(gzip.compress(path.read_bytes()))


def arrays(path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, **{name: value.numpy() for name, value in Colours().state_dict().items()})


def of_text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text)


def of_bytes(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "before 1.6"])
def test_a_file_says_that_it_is_cut_wherever_that_is(zipped: bool, tmp_path: Path) -> None:
    saved, part = tmp_path / "saved.pth", tmp_path / "part.pth"
    torch.save(Colours().state_dict(), saved, _use_new_zipfile_serialization=zipped)
    content = saved.read_bytes()
    shortest = 2 if zipped else 264  # before: the names of torch's functions, which may be cut
    for length in (*range(shortest, 800), *range(800, len(content), 97), len(content) - 1):
        part.write_bytes(content[:length])
        assert "(it is cut off or damaged); copy or download it again" in why_unread(part), length
    assert why_unread(saved) == ""


def test_what_torch_refuses_is_named_whatever_stands_behind_it(tmp_path: Path) -> None:
    """A stranger's steps without end, behind the one that torch stopped at, are not followed."""
    path = tmp_path / "saved.pth"
    magic = pickle.dumps(torch.serialization.MAGIC_NUMBER, protocol=2)
    path.write_bytes(magic + b"\x80\x02cos\nsystem\n" + b"N0" * 1_000_000)
    assert "(it holds os.system, which is neither weights nor plain data)" in why_unread(path)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda path: torch.save(Colours(), path), CODE),
        (lambda path: torch.save(Colours(), path, _use_new_zipfile_serialization=False), CODE),
        (lambda path: torch.save({"epoch": 1, "model": Colours()}, path), CODE),
        (
            lambda path: torch.jit.trace(Colours().eval(), torch.zeros(1, 3, 8, 8)).save(path),
            r"it is TorchScript\); name it torchscript:PATH",
        ),
        (exported, r"it is a whole program\); name it export:PATH"),
        (
            lambda path: torch.save(Colours().state_dict(), path, pickle_protocol=4),
            rf"saved with pickle_protocol=4 or later; the default is 2\); {SAVE}",
        ),
        (of_bytes(tarred(dict.fromkeys(YEARS, dumped({})))), r"it is a tar archive\); unpack it"),
        (packed, r"it is packed with gzip\); unpack it with gunzip"),
        (arrays, rf"it is an archive of numpy\); {SAVE}"),
        (of_bytes(dumped({"weight": [1.0]})), rf"it was not written by torch\.save\); {SAVE}"),
        (
            of_text(
                "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 102530333\n"
            ),
            r"it is Git LFS's pointer to the file\); fetch the file itself with git lfs pull",
        ),
        (
            of_text('<?xml version="1.0"?>\n<net name="Model0" version="11"><layers/></net>'),
            r"it is a network of OpenVINO's\); name it export:PATH\.xml",
        ),
        (
            of_bytes(zipped("model.weights.h5", b"{}")),
            r"it is Keras's\); convert it to PyTorch or ONNX first",
        ),
        (Path.touch, r"it is empty\); copy or download it again"),
        (
            of_text("\n<!DOCTYPE html><html><title>Sign in</title></html>"),
            r"it is a web page\); download the file itself",
        ),
    ],
)
def test_what_is_no_checkpoint_is_named_with_its_mend(
    write: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    spec = colours(tmp_path, name="saved.pth")
    (tmp_path / "saved.pth").unlink()
    write(tmp_path / "saved.pth")
    with pytest.raises(ModelError) as refused:
        load_model(spec)
    file = f"model {spec!r}: {tmp_path / 'saved.pth'} is no file of weights alone ("
    assert str(refused.value).startswith(file)
    assert str(refused.value).isprintable()
    assert re.search(f"{said}$", str(refused.value))


# Names of data as other versions of Python, numpy and Lightning write them, each made of nothing.
ELSEWHERE = [
    b"cpathlib._local\nPosixPath\nX\x01\x00\x00\x00a\x85R",
    b"cpathlib\nWindowsPath\nX\x01\x00\x00\x00a\x85R",
    b"cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nX\x02\x00\x00\x00f8\x85R\x85R",
    b"cpytorch_lightning.utilities.parsing\nAttributeDict\n)\x81X\x01\x00\x00\x00aK\x01s",
    b"cyacs.config\nCfgNode\n)\x81X\x01\x00\x00\x00aK\x01s}X\x01\x00\x00\x00bK\x01sb",
]


def test_data_that_other_versions_wrote_is_passed_over(tmp_path: Path) -> None:
    spec = colours(tmp_path, name="saved.pth")
    for data in ELSEWHERE:
        (tmp_path / "saved.pth").write_bytes(under_state_dict(b"\x80\x02" + data + b"."))
        with pytest.raises(ModelError, match=r"saved\.pth holds no state_dict$"):
            load_model(spec)


def test_a_name_without_an_ending_and_a_wrong_one_are_read_alike(tmp_path: Path) -> None:
    network: nn.Module = Colours()
    for name in ("model.bin", "model.pth.tar", "model", "model.ckpt", "model.pth"):
        spec = colours(tmp_path, name=name)
        if name == "model.pth":
            save_file(network.state_dict(), tmp_path / name)
        assert load_model(spec).weights_hash == hash_of_weights(network.state_dict())
