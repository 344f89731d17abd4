"""Which photos are of the share whose classes were drawn at random: the one rule."""

from collections.abc import Iterable


def has_random_classes(questions: Iterable[tuple[bool, bool]]) -> bool | None:
    """Whether a photo's classes were drawn at random; None for one without questions.

    It is where any of its proposed questions was drawn so: what labelers added says nothing, unless
    there is nothing else.

    Args:
        questions: of one photo: whether each is marked as of a photo with classes at random, and
            whether it was proposed, so not by a labeler alone.
    """
    marks = list(questions)
    proposed = [at_random for at_random, is_proposed in marks if is_proposed]
    return any(proposed or (at_random for at_random, _ in marks)) if marks else None
