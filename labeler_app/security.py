"""Who may speak to the routes."""

from itsdangerous import BadData, URLSafeTimedSerializer

from genset.core.errors import BadInput

_A_DAY = 24 * 60 * 60
_LONGEST = 512  # characters of a token; ours have some 50


class Sessions:
    """Signed tokens that say which labeler sends a request, and in which visit of a study.

    They hold for 24 hours.
    """

    def __init__(self, secret: str) -> None:
        self._signer = URLSafeTimedSerializer(secret, salt="genset labeler")

    def sign(self, labeler: int, visit: int | None = None) -> str:
        """A token for the labeler with this id, in the visit with this one."""
        return self._signer.dumps(labeler if visit is None else [labeler, visit])

    def who(self, session: str) -> tuple[int, int | None]:
        """The ids of the labeler whose token this is, and of their visit.

        Raises:
            BadInput: it was not signed here, or is older than a day.
        """
        if len(session) > _LONGEST:
            raise BadInput("sign in again")
        try:
            said = self._signer.loads(session, max_age=_A_DAY)
            labeler, visit = said if isinstance(said, list) else (said, None)
            return int(labeler), None if visit is None else int(visit)
        except (BadData, TypeError, ValueError):
            raise BadInput("sign in again") from None

    def labeler(self, session: str) -> int:
        """The id of the labeler whose token this is; raises as `who` does."""
        return self.who(session)[0]
