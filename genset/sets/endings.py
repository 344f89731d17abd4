"""Which files of a set are photos: by their endings; a file without one by its first bytes."""

# What fine-tuning takes, too.
SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".ppm", ".tif", ".tiff"}

_ENDINGS = SUFFIXES | {".gif", ".avif", ".heic", ".heif", ".hif", ".jfif", ".jpe", ".pgm", ".pbm"}

HEAD = 32
"""How many bytes of a file say what it is."""

_MAGIC = (
    b"\xff\xd8\xff",
    b"\x89PNG\r\n\x1a\n",
    b"GIF87a",
    b"GIF89a",
    b"II*\0",
    b"MM\0*",
)
_PNM = {b"P%d" % kind for kind in range(1, 7)}
_BITMAP_HEADERS = {12, 40, 52, 56, 64, 108, 124}  # the sizes of BMP's second header
_BRANDS = (b"heic", b"heix", b"hevc", b"hevx", b"mif1", b"msf1", b"avif", b"avis")


def is_photo_name(name: str) -> bool:
    """Whether a file is a photo by its ending."""
    stem, dot, ending = name.rpartition(".")
    return bool(stem) and (dot + ending).lower() in _ENDINGS


def has_no_ending(name: str) -> bool:
    """Whether only its content can say whether a file is a photo; hidden files are none."""
    return "." not in name


def looks_like_photo(head: bytes) -> bool:
    """Whether a file that begins with these `HEAD` bytes is a photo."""
    return (
        head.startswith(_MAGIC)
        or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")
        or (head[:2] in _PNM and head[2:3].isspace())
        or (head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BITMAP_HEADERS)
        or (head[4:8] == b"ftyp" and any(brand in head[8:] for brand in _BRANDS))
    )
