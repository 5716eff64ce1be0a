"""What the cells of a table say."""

import math

import numpy as np
import pytest

from apps.offline.series.table_cells import times


@pytest.mark.parametrize(
    ("number", "seconds"),
    [
        (1e11, 1e8),
        (1e14, 1e8),
        (1e17, 1e8),
        (-1e14, -1e8),
        (math.nextafter(1e11, 0.0), math.nextafter(1e11, 0.0)),
        (math.inf, math.nan),
    ],
)
def test_a_time_has_the_unit_of_its_size_among_numbers_and_among_texts(
    number: float, seconds: float
) -> None:
    for other in (0.0, "2026-11-20T00:00:00Z"):
        found = times("t.csv", [number, other], None)[0]
        np.testing.assert_allclose(found, seconds, rtol=1e-12)
