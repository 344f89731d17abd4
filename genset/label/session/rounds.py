"""Whether labelers are asked which further classes a photo shows."""

from sqlalchemy import select

from genset.db import ProposalRound, Store
from genset.label.answering import answering


def asks_further_classes(store: Store) -> bool:
    """Whether a round of questions was made that is not withdrawn.

    Raises:
        GensetError: the store does not answer.
    """
    asked = select(ProposalRound.id).where(ProposalRound.withdrawn_at.is_(None))
    with answering(), store.session() as session:
        return session.scalar(asked.limit(1)) is not None
