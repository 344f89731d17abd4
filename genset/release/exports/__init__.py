"""The formats that releases are exported in, by name; who only names them loads none of them."""

# MODULE:FUNCTION of each one's writer: see `genset.release.exports.export.Writer`.
FORMATS = {
    "imagefolder": "genset.release.exports.folders:imagefolder",
    "webdataset": "genset.release.exports.webdataset:write",
    "parquet": "genset.release.exports.huggingface:write_parquet",
    "huggingface": "genset.release.exports.huggingface:write_hub",
    "manifest": "genset.release.exports.folders:manifest",
    "mixed": "genset.release.exports.folders:mixed",
    "fiftyone": "genset.release.exports.fiftyone:write",
}
