"""Words of failure that nothing else knows are asked what they speak of, but not what is mended."""

import pytest

from apps.diagnosis.model import Event
from apps.diagnosis.reasoning.findings.process_findings.last_words import spoken
from tests.diagnosis.events import after, event


def _about(text: str) -> list[str]:
    told: Event = event("yet-unknown-failure", at=after(0), text=text)
    found = spoken([told], lambda one: (one.line.at, after(0) - after(0)))
    return [one.fields["about"] for one in found]


@pytest.mark.parametrize("kind", ["Uncorrected", "non-corrected"])
def test_an_error_of_the_bus_that_was_not_put_right_is_what_it_speaks_of(kind: str) -> None:
    assert _about(f"pcieport 3: AER: {kind} error received") == ["pcie-error"]


@pytest.mark.parametrize(
    "words", ["Corrected error received: 0000:2a:00.0", "corrected memory errors detected: 4"]
)
def test_an_error_that_the_part_put_right_itself_speaks_of_nothing(words: str) -> None:
    assert _about(f"pcieport 3: AER: {words}") == []
