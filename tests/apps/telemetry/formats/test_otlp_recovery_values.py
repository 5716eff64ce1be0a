"""Attributes that are JSON themselves are read up to a size."""

import pytest

from apps.telemetry.formats.otlp.otlp_recovery import event_of


@pytest.mark.parametrize(
    ("text", "kind"), [("[1,2]", list), ("[" + "[]," * 40_000 + "[]]", str)], ids=["short", "long"]
)
def test_a_list_as_text_is_read_and_one_that_takes_much_to_read_stays_a_text(
    text: str, kind: type
) -> None:
    told = event_of(
        event_name="faultline.workers_restarted",
        scope="",
        attributes={"ranks": text},
        nanoseconds=0,
    )
    assert told is not None
    assert isinstance(told["ranks"], kind)
