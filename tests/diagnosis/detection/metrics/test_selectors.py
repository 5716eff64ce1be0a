"""Selectors of PromQL: what is written is read again, and more than one is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.detection.metrics.selectors import (
    BadSelector,
    Matcher,
    named,
    parse_selector,
    write_selector,
)

PLAIN = st.text().filter(lambda text: not text.startswith("~"))


@given(value=PLAIN, name=st.sampled_from(["a", "b_c"]))
def test_what_is_written_is_read_again(value: str, name: str) -> None:
    found = parse_selector(write_selector(metric="up", match={name: value}))
    assert found.metric == "up"
    assert found.chosen({0: {name: value}, 1: {name: value + "x"}}) == [0]


def test_values_are_escaped_and_patterns_marked() -> None:
    hostile = '"} or vector(1) or m{a="'
    assert write_selector(metric="m", match={"a": hostile}) == r'm{a="\"} or vector(1) or m{a=\""}'
    assert write_selector(metric="m", match={"b": "~x|y"}) == 'm{b=~"x|y"}'
    assert write_selector(metric="m") == "m"


def test_all_matchers_quotes_and_escapes_are_read() -> None:
    found = parse_selector(r"""up { a = "x\"\n", b!='y\'', c=~`z\d`, d!~"\\w+" ,}""")
    assert found.matchers == (
        named("up"),
        Matcher(label="a", operator="=", value='x"\n'),
        Matcher(label="b", operator="!=", value="y'"),
        Matcher(label="c", operator="=~", value=r"z\d"),
        Matcher(label="d", operator="!~", value=r"\w+"),
    )


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ('up{host="gpu001"}', [0]),
        ('up{host!="gpu001"}', [1, 2]),
        ('up{host=~"gpu00[12]"}', [0, 1]),
        ('up{host!~"gpu00[12]"}', [2]),
        ('up{host=~"gpu001|gpu002"}', [0, 1]),
        ('up{host!~"gpu001|gpu002"}', [2]),
        ('up{host=~"gpu"}', []),  # the whole value, not a part of it
        ('up{host=""}', [2]),
        ('up{host=~"gpu.*",gpu="1"}', [1]),
        ("up", [0, 1, 2]),
    ],
)
def test_each_matcher_chooses_and_an_absent_label_is_empty(query: str, rows: list[int]) -> None:
    labels = {0: {"host": "gpu001"}, 1: {"host": "gpu002", "gpu": "1"}, 2: {"job": "node"}}
    assert parse_selector(query).chosen(labels) == rows


def test_metrics_are_chosen_by_name_or_pattern() -> None:
    names = ["up", "up_time", "down"]
    assert parse_selector("up").wanted(names) == ["up"]
    assert parse_selector('{__name__=~"up.*"}').wanted(names) == ["up", "up_time"]
    assert parse_selector('{__name__=~"up|down"}').wanted(names) == ["up", "down"]
    assert parse_selector('{__name__="up"}').metric == "up"
    assert parse_selector('{__name__=~"up"}').metric is None


@pytest.mark.parametrize(
    ("query", "at"),
    [
        ("up{", 3),
        ("rate(up[5m])", 4),
        ("up + 1", 3),
        ('up{a="b" c="d"}', 9),
        ('up{a:b="c"}', 3),
        ("up{a=b}", 5),
        ('up{a=="b"}', 4),
        ("up{&}", 3),
        ("", 0),
        ("{}", 0),
        ('up{a=~"("}', 0),
    ],
)
def test_more_than_a_selector_is_refused_at_its_place(query: str, at: int) -> None:
    with pytest.raises(BadSelector) as caught:
        parse_selector(query)
    assert caught.value.at == at
