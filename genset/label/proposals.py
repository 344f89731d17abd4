"""Proposals: further classes that may be in a release's photos, and how far people answered them.

Models' answers and the classes that a class is confused with say what a round asks about.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput
from genset.db import (
    Claim,
    Label,
    Photo,
    ProposalRound,
    ProposedBy,
    Question,
    Store,
    Verdict,
    in_batches,
    labels_in_force,
    questions_to_label,
    requests_in_force,
    rulings_in_force,
    stored_taxonomy,
    votes,
)
from genset.db.failures import answering
from genset.db.votes_needed import question_votes_missing
from genset.release.reader import Manifest, ReleasePhoto
from genset.settings import LabelRules

MODEL, CONFUSABLE, LABELER = "model", "confusable", "labeler"
"""Who proposes: the words of `genset.db.ProposedBy.kind`."""

BEST = 5
"""Answers of a model to a photo that are proposed."""


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What one run of a model said of a release's photos.

    Attributes:
        name: the model's, as tables show it.
        run: the key of its run.
        best: by a photo's file in the release (``n02123045/<sha256>.jpg``), wnids, best first.
    """

    name: str
    run: str
    best: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Proposer:
    """Who proposes a class for a photo; the fields are those of `genset.db.ProposedBy`."""

    kind: str
    name: str = ""
    place: int | None = None
    run: str | None = None


def ranked(
    home: str, file: str, models: Sequence[ModelAnswers], taxonomy: Taxonomy | None = None
) -> dict[str, list[Proposer]]:
    """All further classes that are proposed for a photo of the class `home`, with their proposers.

    They are the five best answers of each model, without `home` and what is no class,
    and the classes that `home` may be taken for. First come those that most propose (each model is
    one, and the list of confusable classes is one); among these, those at the best place, then
    those that a model proposes, then by wnid. Without a `taxonomy` the classes are ImageNet's.
    """
    taxonomy = imagenet1k() if taxonomy is None else taxonomy
    proposers: dict[str, list[Proposer]] = {}
    for model in models:
        for place, wnid in enumerate(model.best.get(file, ())[:BEST], start=1):
            if wnid != home and wnid in taxonomy:
                proposers.setdefault(wnid, []).append(Proposer(MODEL, model.name, place, model.run))
    for place, other in enumerate(taxonomy.confusable(home), start=1):
        proposers.setdefault(other.wnid, []).append(Proposer(CONFUSABLE, home, place))

    def order(wnid: str) -> tuple[int, int, bool, str]:
        by = proposers[wnid]
        best = min(proposer.place or 0 for proposer in by)
        return -len(by), best, by[0].kind != MODEL, wnid

    return {wnid: proposers[wnid] for wnid in sorted(proposers, key=order)}


MOST = 8
"""Classes that a screen of one photo asks about, beside one whose answer is known."""


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """Whether `wnid` is in a photo, too, and who proposed that.

    `candidate_id` is None where nothing claims that yet.
    """

    photo_id: int
    wnid: str
    home: str
    candidate_id: int | None
    proposers: Sequence[Proposer]


@dataclass(frozen=True, slots=True)
class Proposed:
    """What ``genset labels propose`` did, or would do.

    Attributes:
        release: its name.
        round: the number of the round; None where nothing was added, or nothing was to be.
        photos: those that are asked about.
        questions: those that are new; of `claimed` another class's search had found the photo: the
            labels that they have count.
        votes: what the new questions take at least, besides the votes that they have.
        known: questions that were there already, asked of another release's photos.
        by: how many of the new questions each model proposes, and the others; several may do so.
        left_out: photos of the release that nobody can be asked about, by reason.
    """

    release: str
    round: int | None
    photos: int
    questions: int
    claimed: int
    votes: int
    known: int
    by: dict[str, int]
    left_out: dict[str, int]


def propose(
    store: Store,
    release: Manifest,
    models: Sequence[ModelAnswers],
    rules: LabelRules,
    most: int = MOST,
    seed: int = 0,
    *,
    keep: bool = True,
) -> Proposed:
    """Ask about further classes in a release's photos: the `most` that are best proposed for each.

    All of it is stored, or nothing; without `keep` nothing is. A release has one round; what is
    asked about its photos for another release is not asked again.

    Args:
        store: of the workspace that the release was made in.
        release: whose photos are asked about.
        models: whose answers are proposed.
        rules: how many labelers each question goes to.
        most: the most classes that are proposed for a photo, 1 to 8.
        seed: of the order in which a photo's classes are asked, from 0.
        keep: False to see what would be asked.

    Raises:
        BadInput: `most` or `seed` is out of its range, or the release has its round.
    """
    if not 1 <= most <= MOST:
        raise BadInput(f"a photo has 1 to {MOST} proposals, not {most}")
    if not 0 <= seed < 2**31:
        raise BadInput(f"a seed is from 0 to {2**31 - 1}, not {seed}")
    with store.begin_alone() as session:
        _check_is_first(session, release)
        photos, excluded = _stored_photos(session, release.photos)
        known = _known_questions(session, photos.values())
        questions = _new_questions(session, release, photos, known, models, most)
        missing = _votes_missing(session, questions, rules)
        number = None
        if keep and questions:
            number = _store_round(session, release, seed, most)
            _store_questions(store, session, questions, number)
    by = Counter(
        proposer.name if proposer.kind == MODEL else proposer.kind
        for question in questions
        for proposer in question.proposers
    )
    return Proposed(
        release=release.name,
        round=number,
        photos=len(photos),
        questions=len(questions),
        claimed=sum(question.candidate_id is not None for question in questions),
        votes=missing,
        known=len(known),
        by=dict(by.most_common()),
        left_out=dict(sorted(excluded.items())),
    )


def _check_is_first(session: Session, release: Manifest) -> None:
    made_at = session.scalar(
        select(ProposalRound.made_at).where(ProposalRound.content_hash == release.content_hash)
    )
    if made_at is not None:
        raise BadInput(
            f"labelers were asked about {release.name} on {made_at:%Y-%m-%d}: a release has one "
            "round of questions"
        )


def _stored_photos(
    session: Session, photos: Sequence[ReleasePhoto]
) -> tuple[dict[str, int], Counter[str]]:
    """The `Photo.id` of each by its file; and how many are left out, by reason."""
    stored: dict[tuple[str, str], tuple[int, str | None, str | None]] = {}
    for source, some in groupby(sorted(photos, key=_source), key=_source):
        columns = Photo.source_id, Photo.id, Photo.sha256, Photo.rejected
        for ids in in_batches([photo.source_id for photo in some]):
            here = Photo.source == source, Photo.source_id.in_(ids)
            rows = session.execute(select(*columns).where(*here))
            stored |= {(source, row.source_id): (row.id, row.sha256, row.rejected) for row in rows}
    found: dict[str, int] = {}
    excluded: Counter[str] = Counter()
    for photo in photos:
        photo_id, sha256, rejected = stored.get((photo.source, photo.source_id), (None,) * 3)
        if photo_id is None:
            excluded["not in this workspace"] += 1
        elif rejected is not None or sha256 != photo.sha256:
            excluded["removed"] += 1
        else:
            found[photo.file] = photo_id
    return found, excluded


def _source(photo: ReleasePhoto) -> str:
    return photo.source


def _known_questions(session: Session, photos: Iterable[int]) -> set[int]:
    """The claims on these photos that are questions already."""
    questions = select(Question.candidate_id).join(Claim, Claim.id == Question.candidate_id)
    return {
        claim
        for some in in_batches(sorted(photos))
        for claim in session.scalars(questions.where(Claim.photo_id.in_(some)))
    }


def _new_questions(
    session: Session,
    release: Manifest,
    photos: dict[str, int],
    known: set[int],
    models: Sequence[ModelAnswers],
    most: int,
) -> list[NewQuestion]:
    """In the order of the release's photos."""
    taxonomy = stored_taxonomy(session)
    claims = _claims(session, photos.values())
    questions = []
    for photo in release.photos:
        if photo.file not in photos:
            continue
        photo_id = photos[photo.file]
        by_class = ranked(photo.wnid, photo.file, models, taxonomy)
        for wnid in list(by_class)[:most]:
            claim = claims.get((photo_id, wnid))
            if claim not in known:
                question = NewQuestion(photo_id, wnid, photo.wnid, claim, by_class[wnid])
                questions.append(question)
    return questions


def _votes_missing(session: Session, questions: Sequence[NewQuestion], rules: LabelRules) -> int:
    ids = [question.candidate_id for question in questions if question.candidate_id is not None]
    total = (len(questions) - len(ids)) * rules.votes
    if not ids:
        return total
    counts, rulings = votes(session, rules.panel), rulings_in_force(session)
    return total + sum(
        question_votes_missing(rules, counts.get(claim, {}), ruled=claim in rulings)
        for claim in ids
    )


def _store_round(session: Session, release: Manifest, seed: int, most: int) -> int:
    row = ProposalRound(
        release=release.name, content_hash=release.content_hash, seed=seed, most=most
    )
    session.add(row)
    session.flush()
    return row.id


def _store_questions(
    store: Store, session: Session, questions: Sequence[NewQuestion], number: int
) -> None:
    claims = [
        {"wnid": question.wnid, "photo_id": question.photo_id, "keyword": "", "rank": 0}
        for question in questions
        if question.candidate_id is None
    ]
    if claims:
        # A scrape on another machine may just have found the photo for the class.
        session.connection().execute(store.insert(Claim).on_conflict_do_nothing(), claims)
    ids = _claims(session, {question.photo_id for question in questions})
    by_claim = {ids[question.photo_id, question.wnid]: question for question in questions}
    session.execute(
        insert(Question),
        [
            {"candidate_id": claim, "round_id": number, "home": question.home}
            for claim, question in by_claim.items()
        ],
    )
    session.execute(
        insert(ProposedBy),
        [
            {"candidate_id": claim, **asdict(proposer)}
            for claim, question in by_claim.items()
            for proposer in question.proposers
        ],
    )


def _claims(session: Session, photos: Iterable[int]) -> dict[tuple[int, str], int]:
    """The ids of all claims on these photos, by photo and class."""
    found: dict[tuple[int, str], int] = {}
    for some in in_batches(sorted(photos)):
        claims = select(Claim.photo_id, Claim.wnid, Claim.id).where(Claim.photo_id.in_(some))
        found |= {(photo, wnid): number for photo, wnid, number in session.execute(claims)}
    return found


@dataclass(frozen=True, slots=True)
class ProposalStats:
    """How far the questions about further classes are answered.

    `answered` of them have all their votes, or were ruled on and not sent to review since; so a
    release counts them, too. All together lack `votes_missing` at least: one that was ruled on
    still gets the votes that all get.
    """

    questions: int
    answered: int
    votes_missing: int


def asks_further_classes(store: Store) -> bool:
    """Whether a round of questions was made.

    Raises:
        GensetError: the store does not answer.
    """
    with answering(), store.session() as session:
        return session.scalar(select(ProposalRound.id).limit(1)) is not None


def proposal_stats(session: Session, rules: LabelRules, panel: str | None = None) -> ProposalStats:
    """Count all that labelers are asked, with the votes of one panel or (None) of all."""
    questions = session.scalars(questions_to_label()).all()
    if not questions:
        return ProposalStats(0, 0, 0)
    votes: dict[int, Counter[Verdict]] = defaultdict(Counter)
    force = labels_in_force(panel).with_only_columns(Label.candidate_id, Label.verdict)
    of_questions = Label.candidate_id.in_(select(Question.candidate_id))
    for question, verdict in session.execute(force.where(of_questions)):
        votes[question][verdict] += 1
    rulings, requests = rulings_in_force(session), requests_in_force(session)
    answered = votes_missing = 0
    for question in questions:
        requested = requests[question].labelers if question in requests else 0
        is_ruled = question in rulings
        missing = question_votes_missing(
            rules, votes[question], ruled=is_ruled, requested=requested
        )
        votes_missing += missing
        answered += not missing or (is_ruled and not requested)
    return ProposalStats(len(questions), answered, votes_missing)
