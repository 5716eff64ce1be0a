"""What was measured on whole batches stays to be read where their texts aren't."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.score.gauge import card
from tests.score.gauge.__main__ import main
from tests.score.gauge.kept import (
    FIRST_LOOK,
    LAST,
    Kept,
    read_kept,
    rows_beside,
    with_measured,
    write_kept,
)
from tests.score.gauge.labels import (
    BATCHES,
    HELD,
    LEARN,
    REREAD,
    digest,
    read_labels,
    read_rereading,
)

ONE = Kept(batch="second", look=LAST, part=HELD, measure="layer", hits=3, n=4, day="2026-11-29")


def test_every_batch_has_a_last_measurement_of_both_parts() -> None:
    """Else its rows were lost where its texts aren't; no share has more hits than cases.

    The newest batch alone may be labelled and not measured yet.
    """
    kept = read_kept()
    parts = {
        (one.batch, one.part) for one in kept if one.look == LAST and one.part in (LEARN, HELD)
    }
    every = {(batch, part) for batch in BATCHES for part in (LEARN, HELD)}
    newest = list(BATCHES)[-1]
    assert parts in (every, {(batch, part) for batch, part in every if batch != newest})
    assert all(0 <= one.hits <= one.n for one in kept)


def test_a_kept_share_counts_what_the_labels_count() -> None:
    """Its cases are those of the batch: all of a part, or those that an expert could tell."""
    labels, again = read_labels(), read_rereading()
    for one in read_kept():
        part = one.part.removesuffix(card.SECOND_READER)
        mine = [lbl for lbl in labels if (lbl.batch, lbl.part) == (one.batch, part)]
        second = again if part != one.part else {}
        said = [{**lbl.case, **second.get(lbl.id, {})} for lbl in mine]
        told = [case for case in said if case["diagnosable_from_logs"]]
        known = [case for case in told if case["layer"] != "unknown"]
        if one.measure == "likely and wrong":
            assert one.n == len(mine)
        elif one.measure in {"layer", "cause", "cause in top 3"}:
            assert one.n == len(known)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "measured.csv"
    write_kept(kept=[ONE], path=path)
    assert read_kept(path=path) == [ONE]
    assert read_kept(path=tmp_path / "none.csv") == []


def test_the_first_look_stays_and_the_last_is_replaced() -> None:
    """What the engine said before anybody worked beside the texts can't be improved later."""
    first = with_measured(kept=[], measured=[ONE])
    assert {(one.look, one.hits) for one in first} == {(FIRST_LOOK, 3), (LAST, 3)}
    later = with_measured(kept=first, measured=[replace(ONE, hits=4)])
    assert {(one.look, one.hits) for one in later} == {(FIRST_LOOK, 3), (LAST, 4)}


def test_a_batch_that_is_absent_has_the_rows_of_its_day() -> None:
    """One that is here has those of the first look beside what is measured now."""
    kept = with_measured(kept=[], measured=[ONE])
    (absent,) = rows_beside(whole=[], kept=kept)
    assert absent.name == "gauge, second batch, held: layer (last measured whole, 2026-11-29)"
    assert (absent.hits, absent.n) == (3, 4)
    (here,) = rows_beside(whole=["second"], kept=kept)
    assert here.name == "gauge, second batch, held: layer (as first seen, 2026-11-29)"


def test_the_command_keeps_whole_batches_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two batches one lacks a text: its totals would be those of some other batch."""
    logs: card.Logs = [{"stream": None, "host": None, "rank": None, "text": "a line"}]
    labels = read_labels()
    whole = next(one for one in labels if one.part == LEARN)
    lacking = next(one for one in labels if one.batch != whole.batch)
    mine = [replace(whole, sha256=digest(logs=logs)), lacking]
    line = json.dumps({"id": whole.id, "logs": logs})
    (tmp_path / f"{LEARN}.jsonl").write_text(line, encoding="utf-8")
    path = tmp_path / "measured.csv"
    monkeypatch.setenv(card.FOLDER, str(tmp_path))
    monkeypatch.setattr("tests.score.gauge.__main__.read_labels", lambda: mine)
    monkeypatch.setattr("tests.score.gauge.kept.KEPT", path)
    monkeypatch.setattr("sys.argv", ["gauge", "--keep", "2026-11-30"])
    assert main() == 0
    capsys.readouterr()
    with path.open(encoding="utf-8", newline="") as rows:
        assert {row["batch"] for row in csv.DictReader(rows)} == {whole.batch}


def test_a_second_reader_reads_rows_that_are_there() -> None:
    """Else a row of theirs would count for nothing; both know the same causes."""
    labels = {label.id: label for label in read_labels() if label.batch in REREAD}
    again = read_rereading()
    assert again
    assert again.keys() <= labels.keys()
    known = {label.case["cause"] for label in read_labels()}
    assert {case["cause"] for case in again.values()} <= known
