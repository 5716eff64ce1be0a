"""Dialects that are rows of a table: what they hold is true, and a wrong one is refused by name."""

from pathlib import Path

import pytest

from apps.diagnosis.logs.dialects.table import BadDialect, DialectBlock, load_folder
from apps.diagnosis.model import Stream

ROWS = load_folder()
GOOD = "[mine]\nstarts = '<'\npattern = '<(?P<rank>\\d{1,4})> '\nexamples = ['<3> a line']\n"


@pytest.mark.parametrize("row", ROWS, ids=[row.dialect.name for row in ROWS])
def test_each_example_begins_with_what_its_row_peels(row: DialectBlock) -> None:
    assert row.examples
    for example in row.examples:
        peel = row.dialect.peel(example)
        assert peel is not None, example
        assert len(peel.rest) < len(example), example
        assert not row.dialect.starts or example[0] in row.dialect.starts


def test_a_row_says_who_speaks_and_when(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        "[mine]\nstarts = '<'\nstream = 'session'\n"
        "pattern = ['<(?P<rank>\\d{1,4}) %zoned%> ',"
        " '<(?P<host>\\w{1,9}) (?P<epoch>\\d{9,10})> ']\n"
        "examples = ['<3 2026-11-09T03:12:44+01:00> a line', '<n7 1762657964> a line']\n"
    )
    (row,) = load_folder(folder=tmp_path)
    by_rank, by_host = (row.dialect.peel(example) for example in row.examples)
    assert by_rank is not None
    assert (by_rank.rank, by_rank.host, by_rank.rest, by_rank.stream) == (
        3,
        None,
        "a line",
        Stream.SESSION,
    )
    assert by_rank.stamp is not None
    assert (by_rank.stamp.hour, by_rank.stamp.offset_seconds) == (3, 3600)
    assert by_host is not None
    assert (by_host.rank, by_host.host) == (None, "n7")
    assert by_host.stamp is not None
    assert row.dialect.peel("<neither> a line") is None


@pytest.mark.parametrize(
    ("block", "told"),
    [
        (GOOD.replace("starts", "strats"), "no field 'strats'; did you mean `starts`?"),
        (GOOD.replace("<rank>", "<rnak>"), "no group 'rnak'; did you mean `rank`?"),
        (GOOD.replace("pattern = '", "pattern = '%isoo%"), "no part %isoo%"),
        (GOOD.replace("examples", "# examples"), "needs examples"),
        (GOOD.replace("(?P<rank>", "(?P<rank>("), "mine"),
        (GOOD + "stream = 'kernal'\n", "kernal"),
    ],
)
def test_a_wrong_row_is_refused_with_its_file_and_name(
    tmp_path: Path, block: str, told: str
) -> None:
    (tmp_path / "mine.toml").write_text(block)
    with pytest.raises(BadDialect, match=r"^mine\.toml: mine: ") as refused:
        load_folder(folder=tmp_path)
    assert told in str(refused.value)


def test_one_name_stands_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_text(GOOD)
    with pytest.raises(BadDialect, match="twice or in two files"):
        load_folder(folder=tmp_path)
