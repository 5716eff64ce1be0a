"""The page of a backtest: what it shows, and that no word of a log or a list becomes markup."""

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from apps.diagnosis.detection.backtest import BacktestReport
from apps.offline.backtest_report import as_html
from tests.apps.offline.backtest_reports import HOSTILE, empty, full

VOID = {"meta"}


class Read(HTMLParser):
    """What a browser makes of a page: elements, the texts in them, and those that stay open."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []  # in which element
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an element that has an end."""
        self.elements.append(tag)
        self.attributes.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take one that has none."""
        self.elements.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """End the innermost, which is this."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Take a text."""
        if data.strip():
            self.texts.append((self.open[-1], " ".join(data.split())))

    def inside(self, element: str) -> list[str]:
        """Return the texts of elements of a name."""
        return [text for name, text in self.texts if name == element]


def _hostile_words(report: BacktestReport) -> Iterator[str]:
    """Yield what stands in the page, as often as it has to stand there as a text."""
    title = f"Backtest of {report.source}"
    yield from (title, title, report.notes[0], report.families[0].family)
    yield from (report.baselines[2].name,)


@pytest.mark.parametrize("report", [full(), empty()], ids=["full", "empty"])
def test_every_element_ends_and_none_runs_or_asks(report: BacktestReport) -> None:
    page = as_html(report=report)
    read = Read(page)

    assert page.startswith("<!DOCTYPE html><html lang=")
    assert page.endswith("</html>\n")
    assert read.open == []
    assert {"script", "link", "img", "iframe", "object"}.isdisjoint(read.elements)
    assert "url(" not in page


def test_what_others_wrote_is_text_wherever_it_stands() -> None:
    report = full()
    read = Read(as_html(report=report))
    texts = [text for _, text in read.texts]

    for words in _hostile_words(report):
        assert any(words in text for text in texts), words
    assert len([text for text in texts if HOSTILE in text]) > 12
    assert {"title", "h1", "p", "td", "text"} <= {
        name for name, text in read.texts if HOSTILE in text
    }


def test_each_figure_stands_with_its_n_and_its_interval() -> None:
    read = Read(as_html(report=full()))

    assert read.inside("b") == ["2 of 3", "1 of 3", "45 min", "0.25", "2 of 3"]
    below = read.inside("p")
    assert "67%, 95 % interval 9% to 99%" in below
    assert "1 in 4.0 d, 95 % interval 0.01 to 1.39" in below
    assert read.inside("td")[18:22] == ["24 h", "1", "0.25", "0.01 to 1.39"]


def test_a_failure_that_nothing_told_of_is_missed_in_the_chart_and_in_the_table() -> None:
    read = Read(as_html(report=full()))

    assert read.inside("text").count("missed") == 1
    assert read.inside("td").count("missed") == 1
    assert "no metrics that day" in read.inside("td")


def test_rules_that_do_equally_well_share_a_name_in_the_chart() -> None:
    assert "any Xid, reboots" in Read(as_html(report=full())).inside("text")


def test_what_there_is_nothing_of_is_left_out() -> None:
    shown = Read(as_html(report=empty())).inside("h2")
    everything = Read(as_html(report=full())).inside("h2")

    assert shown[5:] == ["The range", "False alarm episodes"]
    assert set(everything) - set(shown) == {
        "When each failure was told of",
        "Other thresholds, and trivial rules",
        "Metric families in the detections",
        "The false alarms",
    }


def test_many_false_alarms_are_shut_and_few_stand_open() -> None:
    report = full()
    first = report.false_alarms[0]
    many = replace(first, alarms=first.alarms * 13)

    few, shut = (
        Read(as_html(report=replace(report, false_alarms=(each,)))) for each in (first, many)
    )

    assert few.attributes.count(("details", {"open": None})) == 1
    assert shut.attributes.count(("details", {"open": None})) == 0
    assert "13 episodes" in shut.inside("summary")
    assert "1 episode" in few.inside("summary")
