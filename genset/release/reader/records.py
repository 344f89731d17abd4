"""What a manifest says of each photo."""

import re
from dataclasses import asdict, dataclass
from typing import Any

from genset.classes import Taxonomy
from genset.release.reader.typed import typed

# On which ground a photo counts as unseen (`ReleasePhoto.unseen`).
GROUNDS = ("taken", "posted", "none")


@dataclass(frozen=True, slots=True)
class ReleasePhoto:
    """One photo's record in a manifest.

    `file` is relative to the release's folder, and times are ISO 8601. `labels` has the number of
    labelers by verdict. `selection_frequency` is the share who said correct, 0 to 1, or None
    without votes that count (a reviewer accepted the photo).

    `license_id` is the licence's SPDX id. `unseen` is the ground on which the photo counts as
    unseen: it was "taken" since the manifest's day `unseen_since`, so was nowhere before it; it was
    "posted" at its source since, and may have been elsewhere before; or "none" of both is known.

    `confidence` is that of the aggregated label "correct" by which the photo was taken, 0 to 1;
    None where votes were counted, or a ruling decided.

    The rest is None but where photos have several right answers: `labels_correct` are the wnids
    of all classes that are right answers, the photo's own first; `labels_unclear` those of
    which the votes do not tell, or of which nobody was asked yet; `labels_wrong` those that are
    not in it. Each is sorted but for the photo's own class, and a class is in one of them at
    most: of those in none, nobody was asked. `label_votes` has the number of labelers by
    verdict for each of these classes, `label_rulings` the verdict of a reviewer where there is
    one, and `label_proposers` who proposed to ask about a class: models by their names,
    "confusable" (it is confused with the photo's own), "random", "labeler" (one named it), and
    "search" where one found the photo for it, too, or "added" where somebody added it to the
    class. The photo's own class is not there.
    """

    file: str
    wnid: str
    sha256: str
    byte_size: int
    width: int
    height: int
    source: str
    source_id: str
    page_url: str
    image_url: str
    owner: str
    owner_name: str
    title: str
    license: str
    license_url: str
    posted_at: str
    taken_at: str | None
    keyword: str
    rank: int
    labels: dict[str, int]
    selection_frequency: float | None
    license_id: str
    unseen: str
    confidence: float | None = None
    labels_correct: tuple[str, ...] | None = None
    labels_unclear: tuple[str, ...] | None = None
    labels_wrong: tuple[str, ...] | None = None
    label_votes: dict[str, dict[str, int]] | None = None
    label_rulings: dict[str, str] | None = None
    label_proposers: dict[str, list[str]] | None = None

    def as_json(self) -> dict[str, Any]:
        """The record as a manifest has it: without what is None of `confidence` and answers."""
        record = asdict(self)
        lists = {name: list(record[name]) for name in LISTS if record[name] is not None}
        return {
            name: value
            for name, value in (record | lists).items()
            if value is not None or name not in OPTIONAL
        }


LISTS = ("labels_correct", "labels_unclear", "labels_wrong")
ANSWERS = (*LISTS, "label_votes", "label_rulings", "label_proposers")
OPTIONAL = ("confidence", *ANSWERS)


def read_photo(record: dict[str, Any], taxonomy: Taxonomy, several: bool) -> ReleasePhoto:
    """A photo's record in a manifest with these classes, and with `several` right answers or one.

    Raises:
        ValueError, TypeError: it is none.
    """
    lists = {name: tuple(record[name]) for name in LISTS if name in record}
    photo = typed(ReleasePhoto, {**record, **lists})
    if several:
        _check_answers(photo, taxonomy)
    elif not record.keys().isdisjoint(ANSWERS):
        raise ValueError(f"a manifest without multilabel has no {' and no '.join(ANSWERS)}")
    if photo.unseen not in GROUNDS:
        raise ValueError(f"a photo is unseen by what is {', '.join(GROUNDS)}: {photo.unseen!r}")
    if photo.confidence is not None and not 0 <= photo.confidence <= 1:
        raise ValueError(f"a confidence is from 0 to 1: {photo.confidence!r}")
    # A manifest may come from an untrusted source. Its paths must not leave its folder.
    folder, _, name = photo.file.partition("/")
    named = re.fullmatch(r"[0-9a-f]{64}\.[a-z]+", name)
    if named is None or folder != photo.wnid or not _is_class(folder, taxonomy):
        raise ValueError(f"{photo.file!r} is no file of a photo of {photo.wnid!r}")
    return photo


def _is_class(wnid: Any, taxonomy: Taxonomy) -> bool:
    """Whether it is one of a release's own classes; of ImageNet's, whether it could be."""
    if not isinstance(wnid, str):
        return False
    if taxonomy.is_imagenet:
        return re.fullmatch("n[0-9]{8}", wnid) is not None
    return wnid in taxonomy


def _check_answers(photo: ReleasePhoto, taxonomy: Taxonomy) -> None:
    """Check that each class that was asked about is one, in one list, with its votes."""
    lists = [getattr(photo, name) for name in LISTS]
    votes, rulings, proposers = photo.label_votes, photo.label_rulings, photo.label_proposers
    if None in lists or votes is None or rulings is None or proposers is None:
        raise ValueError(f"{photo.file!r} has not all of {', '.join(ANSWERS)}")
    every = [wnid for wnids in lists for wnid in wnids]
    if not all(_is_class(wnid, taxonomy) for wnid in every):
        raise ValueError(f"{photo.file!r} has an answer that is no wnid")
    if lists[0][:1] != (photo.wnid,) or len(every) != len(set(every)):
        raise ValueError(f"{photo.file!r}: the photo's own class comes first, and each class once")
    if set(votes) != set(every) or not set(rulings) | set(proposers) <= set(every):
        raise ValueError(f"{photo.file!r} has votes on other classes than its lists name")
    counts = [item for said in votes.values() for item in said.items()]
    if not all(isinstance(word, str) and type(n) is int and n > 0 for word, n in counts):
        raise ValueError(f"{photo.file!r} has votes that are no numbers of labelers")
    if not all(isinstance(word, str) for word in rulings.values()):
        raise ValueError(f"{photo.file!r} has a ruling that is no verdict")
    if not all(isinstance(name, str) for names in proposers.values() for name in names):
        raise ValueError(f"{photo.file!r} has a proposer without a name")
