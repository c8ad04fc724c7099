"""The vectors of a corpus as one matrix: the cosine of every passage in one product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veracity.retrieval.search.passages import Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veracity.embed import Vectors


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Unit vectors, and the id of each row."""

    ids: Sequence[str]
    matrix: Vectors

    def nearest(self, vector: Vectors, depth: int) -> list[Scored]:
        """The passages most like a vector, the best first; of equal ones the one that stands first."""
        if not len(self.ids) or self.matrix.shape[1] != len(vector):
            return []
        return best(self.ids, self.matrix @ vector, depth)


def best(ids: Sequence[str], scores: NDArray[np.float32], depth: int) -> list[Scored]:
    """The highest scores with their ids, the best first; of equal ones the smaller id."""
    import numpy as np

    most = min(depth, len(ids))
    if most <= 0:
        return []
    # Everything from the last score that can be among them, so that equal ones at the border are ordered, too.
    border = np.partition(scores, len(ids) - most)[len(ids) - most]
    candidates = sorted((-float(scores[at]), ids[at]) for at in np.flatnonzero(scores >= border).tolist())
    return [(identifier, -score) for score, identifier in candidates[:most]]
