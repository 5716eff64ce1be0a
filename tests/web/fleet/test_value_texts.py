"""Values of one column are written alike."""

import pytest

from apps.diagnosis.detection.metrics.load import catalog
from apps.web.fleet.fleet_words import value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0 %"), (0.01, "1.0 %"), (0.98, "98.0 %"), (1.0, "100.0 %"), (None, "no data")],
)
def test_shares_have_one_form(value: float | None, text: str) -> None:
    busy = catalog().signals["gpu.utilisation"]
    assert value_text(value, busy) == text
