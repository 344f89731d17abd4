"""What a file is that is given for a checkpoint and is none: its first bytes say."""

import tarfile
import zipfile
from pathlib import Path

SAVE = "save it with torch.save(model.state_dict(), PATH)"
AGAIN = "copy or download it again"

# What is wrong, and its mend, by how a file begins.
_BEGINNINGS = {
    b"version https://git-lfs": (
        "it is Git LFS's pointer to the file",
        "fetch the file itself with git lfs pull",
    ),
    b"\x1f\x8b": ("it is packed with gzip", "unpack it with gunzip"),
    b"BZh": ("it is packed with bzip2", "unpack it with bunzip2"),
    b"\xfd7zXZ": ("it is packed with xz", "unpack it with unxz"),
    b"\x28\xb5\x2f\xfd": ("it is packed with zstd", "unpack it with unzstd"),
    b"\x93NUMPY": ("it is an array of numpy", SAVE),
    b"\x89HDF": ("it is HDF5, as Keras writes it", "convert it to PyTorch first"),
}
_WEB = (b"<!doctype", b"<html", b"<head", b"<?xml")

# torch.export's archives hold one of these, in a folder or not.
_OF_EXPORT = {"archive_format", "serialized_exported_program.json"}

# A tar archive of PyTorch before 0.4 holds these.
_BEFORE_0_4 = {"storages", "tensors", "pickle"}


def what_else(path: Path) -> tuple[str, str] | None:
    """What is wrong with a file, and its mend; None where it may well be torch.save's.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(512)
    if not head:
        return "it is empty", AGAIN
    for beginning, said in _BEGINNINGS.items():
        if head.startswith(beginning):
            return said
    if head.lstrip().lower().startswith(_WEB):
        return "it is a web page", "download the file itself"
    if head.startswith(b"PK"):
        return _zip(path)
    if tarfile.is_tarfile(path):
        return _tar(path)
    return None


def _zip(path: Path) -> tuple[str, str] | None:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return "it is cut off or damaged", AGAIN
    names = [entry.filename for entry in entries]
    inner = {name.partition("/")[2] for name in names}
    if "constants.pkl" in inner:
        return "it is TorchScript", "name it torchscript:PATH"
    if "data.pkl" not in inner:
        if any(name.endswith(".npy") for name in names):
            return "it is an archive of numpy", SAVE
        if inner & _OF_EXPORT or _OF_EXPORT & set(names):
            return "it is a whole program", "name it export:PATH"
        return "it is a zip archive of other files", "unpack it"
    if sum(entry.file_size for entry in entries) > path.stat().st_size:
        # torch.save packs nothing, and a few bytes can be packed that fill the memory.
        return "its content is compressed, which torch.save never does", SAVE
    return None


def _tar(path: Path) -> tuple[str, str]:
    try:
        with tarfile.open(path, "r:") as archive:
            first = {member.name for member, _ in zip(archive, range(8), strict=False)}
    except (tarfile.TarError, OSError, ValueError):
        first = set()
    if first & _BEFORE_0_4:
        return (
            "it is in PyTorch's format of before 0.4, which cannot be read without running it",
            "if you trust it, save its weights again in a PyTorch that loads it",
        )
    return "it is a tar archive", "unpack it"
