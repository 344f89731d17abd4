"""The formats that releases are exported in, by name; who only names them loads none of them."""

from pathlib import Path

from genset.release.reader import MANIFEST

# MODULE:FUNCTION of each one's writer: see `genset.release.exports.export.Writer`.
FORMATS = {
    "imagefolder": "genset.release.exports.files:imagefolder",
    "webdataset": "genset.release.exports.files:webdataset",
    "parquet": "genset.release.exports.huggingface:write_parquet",
    "huggingface": "genset.release.exports.huggingface:write_hub",
    "manifest": "genset.release.exports.files:manifest",
    "mixed": "genset.release.exports.files:mixed",
    "fiftyone": "genset.release.exports.files:fiftyone",
}


def manifest_of(folder: Path) -> Path | None:
    """The manifest of an export that has its photos in files of another tool; None for others."""
    paths = [folder / docs / MANIFEST for docs in ("docs", "_docs")]
    return next((path for path in paths if path.is_file()), None)
