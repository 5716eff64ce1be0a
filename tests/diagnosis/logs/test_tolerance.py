"""Whatever arrives: parsing never raises, and no time is made up."""

import calendar
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.logs.line_cleaning import LINE_LIMIT
from apps.diagnosis.logs.parse import parse, shown_lines
from apps.diagnosis.model import Origin
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.read import read_source
from tests.diagnosis.signatures.hostile import RUNS, filled

ORIGIN = Origin(source="any")
EXAMPLES = [example for one in load_catalog().values() for example in one.examples]
TORN = st.sampled_from(EXAMPLES).flatmap(
    lambda text: st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(
        lambda ends: text[min(ends) : max(ends)]
    )
)
ANYTHING = st.one_of(
    st.binary(max_size=300).map(lambda raw: raw.decode("utf-8", "replace")),
    TORN,
    st.text(max_size=200),
)


@given(text=ANYTHING)
def test_parsing_a_line_never_raises(text: str) -> None:
    for line in shown_lines(raw=text):
        assert len(parse(text=line, origin=ORIGIN, number=1).text) <= LINE_LIMIT


@given(parts=st.lists(ANYTHING, max_size=8))
@settings(max_examples=150, deadline=None)
def test_reading_a_source_never_raises(parts: list[str]) -> None:
    read_source(origin=ORIGIN, text="\n".join(parts))


@given(text=ANYTHING)
def test_a_time_stands_in_the_line(text: str) -> None:
    line = parse(text=text, origin=ORIGIN, number=1)
    for at in (line.at, line.local_at):
        printed = set(re.findall(r"\d\d", text))
        seconds = f"{at.second:02}" if at else "60"
        epoch = str(calendar.timegm(at.timetuple())) if at else ""
        assert at is None or {seconds, "60"} & printed or epoch in text


def test_a_line_of_a_megabyte_is_cut_and_marked() -> None:
    line = parse(text="x" * (1 << 20), origin=ORIGIN, number=1)
    assert len(line.text) == LINE_LIMIT
    assert line.text.endswith("[cut]")


@pytest.mark.parametrize(
    "unit", [*RUNS, "[rank1]:", "n:1:1 [0] ", "[2026-11-09 ", "<6>", "a-b.c:", "[pod/"]
)
def test_prefixes_are_linear_on_hostile_lines(unit: str) -> None:
    line = filled(unit)
    best = min(_seconds(line) for _ in range(3))
    assert best < 0.02  # of a whole line, all dialects together


def _seconds(line: str) -> float:
    started = time.process_time()
    for shown in shown_lines(raw=line):
        parse(text=shown, origin=ORIGIN, number=1)
    return time.process_time() - started
