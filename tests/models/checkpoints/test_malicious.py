"""Files that would run something where they are unpickled: none of them does."""

import gzip
import importlib
import io
import json
import os
import pickle
import runpy
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from genset.core.errors import ModelError
from tests.score.colours import colours
from tests.score.scoring import load_model


class Calls:
    """Pickled as the call of a function."""

    def __init__(self, function: Callable[..., object], *given: object) -> None:
        self.function, self.given = function, given

    def __reduce__(self) -> tuple[Any, ...]:
        return self.function, self.given


def dumped(payload: object) -> bytes:
    return pickle.dumps(payload, protocol=2)


def touching(proof: Path) -> Calls:
    return Calls(os.system, f"touch {proof}")


def by_script(proof: Path) -> bytes:
    script = proof.with_name("script.py")
    script.write_text(f"open({str(proof)!r}, 'w').close()\n")
    return dumped(Calls(runpy.run_path, str(script)))


def by_import(proof: Path) -> bytes:
    """A class by a stranger's name, whose module runs where it is imported."""
    name = f"stranger_{proof.parent.name.replace('-', '_')}"
    proof.with_name(f"{name}.py").write_text(
        f"open({str(proof)!r}, 'w').close()\nclass Options: pass\n"
    )
    return b"\x80\x02c" + name.encode() + b"\nOptions\n."


def by_nested_load(proof: Path) -> bytes:
    """torch's own loader, asked to load without care what lies in another file."""
    inner = proof.with_name("inner.pth")
    torch.save(touching(proof), inner)
    return dumped(Calls(partial(torch.load, inner, weights_only=False)))


def by_default_of_a_dict(proof: Path) -> bytes:
    """Names that are allowed, called with one that is not."""
    inner = dumped(touching(proof))[2:-1]
    return b"\x80\x02ccollections\ndefaultdict\n" + inner + b"0cbuiltins\ndict\n\x85R."


PAYLOADS: dict[str, Callable[[Path], bytes]] = {
    "eval": lambda proof: dumped(Calls(eval, f"open({str(proof)!r}, 'w')")),
    "exec": lambda proof: dumped(Calls(exec, f"open({str(proof)!r}, 'w').close()")),
    "open": lambda proof: dumped(Calls(open, str(proof), "w")),
    "system": lambda proof: dumped(touching(proof)),
    "process": lambda proof: dumped(Calls(subprocess.check_call, ["touch", str(proof)])),
    # With names that are allowed as data, but for `getattr`.
    "method of a path": lambda proof: dumped(Calls(Path.touch, proof)),
    "late protocol": lambda proof: pickle.dumps(touching(proof), protocol=4),
    "object of numpy": lambda proof: dumped(np.array([touching(proof)], dtype=object)),
    "script": by_script,
    "import": by_import,
    "nested load": by_nested_load,
    "default of a dict": by_default_of_a_dict,
}


def under_state_dict(payload: bytes) -> bytes:
    inner = payload[2:-1] if payload[1] == 2 else payload[:-1]
    return in_zip({"data.pkl": b"\x80\x02}X\x0a\x00\x00\x00state_dict" + inner + b"s."})


def in_zip(files: dict[str, bytes]) -> bytes:
    """torch.save's format: a zip archive with a pickle in it."""
    saved, written = io.BytesIO(), io.BytesIO()
    torch.save({"a": torch.zeros(1)}, saved)
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(written, "w") as target:
        root = source.namelist()[0].split("/")[0]
        for name in source.namelist():
            if name != f"{root}/data.pkl":
                target.writestr(name, source.read(name))
        for name, content in files.items():
            target.writestr(f"{root}/{name}", content)
    return written.getvalue()


def before_1_6(payload: bytes) -> bytes:
    saved = io.BytesIO()
    torch.save({}, saved, _use_new_zipfile_serialization=False)
    saved.seek(0)
    for _ in range(3):
        pickle.load(saved)
    return saved.getvalue()[: saved.tell()] + payload + dumped([])


def tarred(files: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return written.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(name, content)
    return written.getvalue()


def in_npy(payload: bytes) -> bytes:
    """An array of objects is a pickle behind a header."""
    written = io.BytesIO()
    header = {"descr": "|O", "fortran_order": False, "shape": (1,)}
    np.lib.format.write_array_header_1_0(written, header)
    return written.getvalue() + payload


CONTAINERS: dict[str, Callable[[bytes], bytes]] = {
    "pickle": bytes,
    "zip": lambda payload: in_zip({"data.pkl": payload}),
    "under state_dict": under_state_dict,
    "TorchScript": lambda payload: in_zip(
        {"data.pkl": payload, "constants.pkl": payload, "code/x.py": b""}
    ),
    "before 1.6": before_1_6,
    # In place of the number by which torch knows its own files.
    "before 1.6, first": lambda payload: payload + b"".join(map(dumped, (1001, {}, {}, []))),
    "tar of before 0.4": lambda payload: tarred(
        {"sys_info": dumped({}), **dict.fromkeys(("storages", "tensors", "pickle"), payload)}
    ),
    "in a tar": lambda payload: tarred({"model.pth": in_zip({"data.pkl": payload})}),
    "in a zip": lambda payload: zipped("model.pth", in_zip({"data.pkl": payload})),
    "npy": in_npy,
    "npz": lambda payload: zipped("weight.npy", in_npy(payload)),
    "gzip": gzip.compress,
}


@pytest.fixture
def proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is there where something was run. Modules of strangers could be imported."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "it-ran"


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_in_a_checkpoint_is_run(payload: str, proof: Path) -> None:
    spec = colours(proof.parent, name="saved.pth")
    dangerous = PAYLOADS[payload](proof)
    before = set(sys.modules)
    for container, contain in CONTAINERS.items():
        proof.with_name("saved.pth").write_bytes(contain(dangerous))
        with pytest.raises(ModelError) as refused:
            load_model(spec)
        said = str(refused.value)
        assert "is no file of weights alone" in said, container
        assert said.isprintable() and len(said) < 500, container
        assert "weights_only" not in said and "add_safe_globals" not in said, said
        assert not proof.exists(), container
    assert not [name for name in set(sys.modules) - before if name.startswith("stranger")]
    importlib.invalidate_caches()
    pickle.loads(dangerous)
    assert proof.exists()  # it would have


def test_a_folder_or_an_index_is_read_as_carefully(proof: Path) -> None:
    folder = proof.with_name("folder")
    folder.mkdir()
    spec = colours(proof.parent, name="real.pth").replace("real.pth", "folder")
    (folder / "pytorch_model.bin").write_bytes(in_zip({"data.pkl": PAYLOADS["system"](proof)}))
    with pytest.raises(ModelError, match=r"pytorch_model.bin is no file of weights alone"):
        load_model(spec)
    (folder / "pytorch_model.bin").rename(folder / "shard.bin")
    index = {"weight_map": {"scores.weight": "shard.bin"}}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match=r"shard.bin is no file of weights alone"):
        load_model(spec)
    assert not proof.exists()


def test_the_name_that_is_refused_is_said_and_steers_no_terminal(tmp_path: Path) -> None:
    spec = colours(tmp_path, name="saved.pth")
    (tmp_path / "saved.pth").write_bytes(under_state_dict(b"\x80\x02cevil\x1b[31m.kit\nRun\n)R."))
    with pytest.raises(ModelError) as refused:
        load_model(spec)
    assert str(refused.value).endswith(
        "saved.pth is no file of weights alone (it holds evil[31m.kit.Run, which is neither "
        "weights nor plain data); save it with torch.save(model.state_dict(), PATH)"
    )


def test_a_few_bytes_that_would_fill_the_memory_are_not_unpacked(tmp_path: Path) -> None:
    spec = colours(tmp_path, name="saved.pth")
    with zipfile.ZipFile(tmp_path / "saved.pth", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02" + b"(" * (64 << 20))
    assert (tmp_path / "saved.pth").stat().st_size < 1 << 20
    with pytest.raises(ModelError, match="its content is compressed"):
        load_model(spec)
