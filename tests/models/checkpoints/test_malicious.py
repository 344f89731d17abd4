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


def by_builtin(proof: Path) -> bytes:
    return dumped(Calls(eval, f"open({str(proof)!r}, 'w')"))


def by_system(proof: Path) -> bytes:
    return dumped(Calls(os.system, f"touch {proof}"))


def by_exec(proof: Path) -> bytes:
    return dumped(Calls(exec, f"open({str(proof)!r}, 'w').close()"))


def by_process(proof: Path) -> bytes:
    return dumped(Calls(subprocess.check_call, ["touch", str(proof)]))


def by_method_of_a_path(proof: Path) -> bytes:
    """With names that are allowed as data, but for `getattr`."""
    return dumped(Calls(Path.touch, proof))


def by_open(proof: Path) -> bytes:
    return dumped(Calls(open, str(proof), "w"))


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
    """torch's own loader, asked to load without care what lies in bytes."""
    inner = io.BytesIO()
    torch.save(Calls(os.system, f"touch {proof}"), inner)
    proof.with_name("inner.pth").write_bytes(inner.getvalue())
    return dumped(Calls(partial(torch.load, proof.with_name("inner.pth"), weights_only=False)))


def by_late_protocol(proof: Path) -> bytes:
    return pickle.dumps(Calls(os.system, f"touch {proof}"), protocol=4)


def by_object_of_numpy(proof: Path) -> bytes:
    """An array of objects, one of which is called to be made."""
    return dumped(np.array([Calls(os.system, f"touch {proof}")], dtype=object))


def by_default_of_a_dict(proof: Path) -> bytes:
    """Names that are allowed, called with one that is not."""
    inner = dumped(Calls(os.system, f"touch {proof}"))[2:-1]
    return b"\x80\x02ccollections\ndefaultdict\n" + inner + b"0cbuiltins\ndict\n\x85R."


PAYLOADS = [
    by_builtin,
    by_system,
    by_exec,
    by_process,
    by_method_of_a_path,
    by_open,
    by_script,
    by_import,
    by_nested_load,
    by_late_protocol,
    by_object_of_numpy,
    by_default_of_a_dict,
]


def dumped(payload: object) -> bytes:
    return pickle.dumps(payload, protocol=2)


def in_zip(payload: bytes) -> bytes:
    """torch.save's format: a zip archive with the pickle in it."""
    return rewritten({"data.pkl": payload})


def under_state_dict(payload: bytes) -> bytes:
    inner = payload[2:-1] if payload[1] == 2 else payload[:-1]
    return rewritten({"data.pkl": b"\x80\x02}X\x0a\x00\x00\x00state_dict" + inner + b"s."})


def as_torchscript(payload: bytes) -> bytes:
    return rewritten({"data.pkl": payload, "constants.pkl": payload, "code/x.py": b""})


def rewritten(files: dict[str, bytes]) -> bytes:
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


def before_1_6_first(payload: bytes) -> bytes:
    """In place of the number by which torch knows its own files."""
    return payload + dumped(1001) + dumped({}) + dumped({}) + dumped([])


def in_tar(payload: bytes) -> bytes:
    """torch's format of before 0.4."""
    return tarred(
        {"sys_info": dumped({}), **dict.fromkeys(("storages", "tensors", "pickle"), payload)}
    )


def saved_in_tar(payload: bytes) -> bytes:
    return tarred({"model.pth": in_zip(payload)})


def tarred(files: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return written.getvalue()


def saved_in_zip(payload: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("model.pth", in_zip(payload))
    return written.getvalue()


def in_npy(payload: bytes) -> bytes:
    """An array of objects is a pickle behind a header."""
    written = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        written, {"descr": "|O", "fortran_order": False, "shape": (1,)}
    )
    return written.getvalue() + payload


def in_npz(payload: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("weight.npy", in_npy(payload))
    return written.getvalue()


CONTAINERS: list[Callable[[bytes], bytes]] = [
    bytes,
    in_zip,
    under_state_dict,
    as_torchscript,
    before_1_6,
    before_1_6_first,
    in_tar,
    saved_in_tar,
    saved_in_zip,
    in_npy,
    in_npz,
    gzip.compress,
]


@pytest.fixture
def proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is there where something was run. Modules of strangers could be imported."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "it-ran"


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_in_a_checkpoint_is_run(payload: Callable[[Path], bytes], proof: Path) -> None:
    spec = colours(proof.parent, name="real.pth").replace("real.pth", "saved.pth")
    saved = proof.with_name("saved.pth")
    dangerous = payload(proof)
    before = set(sys.modules)
    for container in CONTAINERS:
        saved.write_bytes(container(dangerous))
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
    (folder / "pytorch_model.bin").write_bytes(in_zip(by_system(proof)))
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
