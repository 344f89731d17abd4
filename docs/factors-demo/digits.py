"""Writes scikit-learn's 1,797 digits, as PNG files of 8 by 8 pixels, into one digits.npz."""

import io

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits


def png(pixels: np.ndarray) -> bytes:
    """A picture as a file; scikit-learn's pixels are from 0 to 16."""
    file = io.BytesIO()
    Image.fromarray((pixels * 255 / 16).round().astype(np.uint8)).save(file, "PNG")
    return file.getvalue()


digits = load_digits()
# One row of bytes a file. What fills up the shorter ones comes after a PNG's end.
files = [np.frombuffer(png(pixels), dtype=np.uint8) for pixels in digits.images]
longest = max(map(len, files))
rows = np.stack([np.pad(file, (0, longest - len(file))) for file in files])
np.savez("digits.npz", files=rows, truth=digits.target)
