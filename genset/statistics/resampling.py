"""How classes are resampled: two numbers, which are at hand before NumPy is loaded."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from genset.statistics.draws import Floats

DRAWS = 10_000
SEED = 0

Sampling = Literal["sample", "fixed"]
"""What a set's classes are: a sample of classes, or all that there are."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How classes are resampled. A result names both numbers, so that it can be reproduced.

    The same numbers give the same draws of the same classes, so shares of several models that are
    drawn one after the other stay paired.

    Attributes:
        draws: how often classes are drawn.
        seed: of the random number generator.
    """

    draws: int = DRAWS
    seed: int = SEED

    def ratios(
        self, classes: "NDArray[np.int64]", over: "ArrayLike", under: "ArrayLike"
    ) -> "Floats":
        """Redraw the ratio of two sums over photos.

        Args:
            classes: the class of each photo, shape (N,), int64, from 0 to C - 1. A number without
                photos is a class too.
            over: what the numerator sums, shape (N, K), bool, int or float. For an accuracy:
                whether each photo is right.
            under: what the denominator sums, of the same shape. For an accuracy: 1 for each photo
                that counts.

        Returns:
            The ratios, shape (draws, K), float64. NaN where a denominator is 0.
        """
        from genset.statistics.draws import class_sums

        return self.ratios_of_sums(class_sums(classes, over), class_sums(classes, under))

    def ratios_of_sums(self, above: "Floats", below: "Floats") -> "Floats":
        """The same, from sums by class: with many columns these need less memory than photos.

        Args:
            above: the numerator's sum in each class, shape (C, K), float64.
            below: the denominator's, of the same shape.

        Returns:
            The ratios, shape (draws, K), float64. NaN where a denominator is 0.
        """
        import numpy as np

        columns = above.shape[1]
        if bool((below == below[:, :1]).all()):
            below = below[:, :1]  # the same photos count for all columns, as they mostly do
        drawn = self.sums(np.hstack([above, below]))
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios: Floats = drawn[:columns] / drawn[columns:]
        return ratios.T

    def sums(self, of_classes: "Floats") -> "Floats":
        """Redraw sums over photos. All who ask share the draws, which are made once.

        Args:
            of_classes: the sums in each class, shape (C, K), float64.

        Returns:
            The sums in each draw, shape (K, draws), float64.
        """
        from genset.statistics.draws import redrawn_sums

        return redrawn_sums(self.seed, self.draws, of_classes)


STANDARD = Resampling()
