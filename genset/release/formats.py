"""The formats that releases are exported in, by name; who only names them loads none of them."""

# MODULE:FUNCTION of each one's writer: see `genset.release.export.Writer`.
FORMATS = {
    "imagefolder": "genset.release.export.folders:imagefolder",
    "webdataset": "genset.release.export.webdataset:write",
    "parquet": "genset.release.export.parquet:write",
    "huggingface": "genset.release.export.hub:write",
    "manifest": "genset.release.export.folders:manifest",
    "mixed": "genset.release.export.folders:mixed",
    "fiftyone": "genset.release.export.fiftyone:write",
}
