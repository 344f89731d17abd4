"""Hashes of photos: which ones are near, and the file of them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.core.errors import BadInput
from genset.core.hashes import BITS, HEAD, Hashes, hash_lines, near, read_hashes

numbers = st.lists(st.integers(0, 2**64 - 1), max_size=20)


def one_by_one(queries: Hashes, known: Hashes) -> list[tuple[int, int, int]]:
    """What `near` is to find: each with each."""
    distance = np.bitwise_count(queries[:, None] ^ known[None])
    return [(int(i), int(j), int(distance[i, j])) for i, j in np.argwhere(distance <= BITS)]


@settings(max_examples=20)
@given(numbers, numbers)
def test_near_finds_exactly_what_is_near(queries: list[int], known: list[int]) -> None:
    known += [query ^ 0b1011 for query in queries[:5]]
    asked, there = np.array(queries, np.uint64), np.array(known, np.uint64)
    assert near(asked, there) == one_by_one(asked, there)


def test_copies_are_found_wherever_their_bits_differ() -> None:
    random = np.random.default_rng(0)
    originals = random.integers(0, 2**64, 700, dtype=np.uint64)
    copies = originals.copy()
    for place in range(len(copies)):
        # 7 to 9 bits, spread over the parts in all ways: 8 is the last that is near.
        bits = random.choice(64, 7 + place % 3, replace=False)
        copies[place] ^= np.bitwise_or.reduce(np.uint64(1) << bits.astype(np.uint64))
    # Each part alone: any one or two bits of it, and all other parts at the limit that is left.
    for part, rest in ((0, 0x0003_0003_0003_0000), (3, 0x0000_0007_0003_0003)):
        for one in range(16):
            for other in range(one + 1):
                flips = (1 << one | 1 << other) << 16 * part ^ rest
                copies = np.append(copies, originals[one] ^ np.uint64(flips))
    assert near(originals, copies) == one_by_one(originals, copies)


def test_near_finds_all_of_many_that_are_alike() -> None:
    """More pairs than are compared at once: of many photos, and of one photo alone."""
    random = np.random.default_rng(0)
    alike = random.integers(0, 2**64, 600, dtype=np.uint64) << np.uint64(16)
    alike[1::2] = alike[::2] ^ np.uint64(1 << 40)
    assert near(alike, alike) == one_by_one(alike, alike)
    many = random.integers(0, 2**64, 300_000, dtype=np.uint64) << np.uint64(16)
    assert near(many[-2:], many) == one_by_one(many[-2:], many)


PHOTOS = [(255, "n1/a b.jpg"), (2**64 - 1, "ü.png"), (7, "n2/odd\x85name.jpg")]


def test_a_file_says_its_photos_and_one_that_was_cut_anywhere_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cut.hashes"
    whole = "".join(hash_lines(PHOTOS)).encode()
    file.write_bytes(whole)
    found = read_hashes(file)
    assert (found.name, found.photos) == ("cut.hashes", tuple(name for _, name in PHOTOS))
    assert found.hashes.tolist() == [number for number, _ in PHOTOS]
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(BadInput, match=r"cut\.hashes is (no file of hashes|not whole): .*make"):
            read_hashes(file)
    file.unlink()
    with pytest.raises(BadInput, match=r"cut\.hashes: No such file"):
        read_hashes(file)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("something else\n", "is no file of hashes"),
        (f"{HEAD}00 a\n", "is not whole: it lists 0 photos, and has no end .*copy it again"),
        (f"{HEAD}00 a\n00 b\n# photos: 3\n", '2 photos, but its last line is "# photos: 3"'),
        (f"{HEAD}00 a\nxyz photo.jpg\n# photos: 2\n", "line 3: no fingerprint: 'xyz photo.jpg'"),
        (f"{HEAD}-1 a\n# photos: 1\n", "line 2: no fingerprint: '-1 a'"),
        (f"{HEAD}1{'0' * 16} a\n# photos: 1\n", "line 2: no fingerprint"),
        (f"{HEAD}{'x' * 50}\n# photos: 1\n", f"line 2: no fingerprint: '{'x' * 40}'$"),
    ],
)
def test_what_is_no_file_of_hashes_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "bad.hashes").write_text(text)
    with pytest.raises(BadInput, match=rf"bad\.hashes.*{says}"):
        read_hashes(tmp_path / "bad.hashes")
