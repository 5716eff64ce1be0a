"""The gauge of fresh cases: nobody chooses a part, no other text counts, no held case is listed."""

import csv
import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from tests.score.gauge import card
from tests.score.gauge.__main__ import main
from tests.score.gauge.labels import (
    BATCHES,
    HELD,
    LEARN,
    BadLabel,
    GaugeLabel,
    digest,
    part_of,
    read_labels,
)

LOGS: card.Logs = [
    {"stream": "session", "host": None, "rank": 0, "text": "OSError: [Errno 28] No space left"}
]
IDS = {LEARN: "case-0", HELD: "case-3"}


def test_every_label_lies_in_the_part_of_its_id_and_twice_nowhere() -> None:
    """Each batch has both parts, and neither address nor id is said twice."""
    labels = read_labels()
    assert {(one.batch, one.part) for one in labels} == set(product(BATCHES, (LEARN, HELD)))
    assert len({one.id for one in labels}) == len({one.source for one in labels}) == len(labels)


def test_a_label_moved_to_the_other_part_is_refused(tmp_path: Path) -> None:
    """A case that went badly can't be moved to where it is seen, nor one that went well."""
    with BATCHES["first"].open(encoding="utf-8", newline="") as rows:
        row = next(csv.DictReader(rows))
    row["split"] = LEARN if row["split"] == HELD else HELD
    path = tmp_path / "labels.csv"
    path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n", encoding="utf-8")
    with pytest.raises(BadLabel):
        read_labels(files={"first": path})


@pytest.mark.parametrize("batch", BATCHES)
def test_labels_hold_no_text_of_a_case(batch: str) -> None:
    """Nothing but the columns of labels, each one word or an address."""
    for line in BATCHES[batch].read_text(encoding="utf-8").splitlines():
        assert " " not in line
        assert line.count(",") == 11


def test_a_text_that_was_changed_is_not_counted(tmp_path: Path) -> None:
    """It is absent, as one that isn't there is; no share is made of nothing."""
    found = card.gauged(folder=_texts(tmp_path, [{**LOGS[0], "text": "x"}]), labels=_labels())
    rows = {row.name: (row.hits, row.n) for row in card.totals(found=found)}
    assert rows == {"gauge: texts here and as labelled": (0, 2), "gauge: absent: 2 texts": (2, 2)}


def test_each_batch_has_rows_of_its_own_beside_the_whole(tmp_path: Path) -> None:
    """Labels that are younger than the engine are told from those that it was built beside."""
    (first, second) = _labels()
    second = replace(second, case={**second.case, "batch": "second"}, batch="second")
    found = card.gauged(folder=_texts(tmp_path, LOGS), labels=[first, second])
    layers = {row.name: row.n for row in card.totals(found=found) if row.name.endswith(": layer")}
    assert layers == {
        "gauge, learn: layer": 1,
        "gauge, first batch, learn: layer": 1,
        "gauge, held: layer": 1,
        "gauge, second batch, held: layer": 1,
    }


def test_one_part_alone_is_read(tmp_path: Path) -> None:
    """Who works on the diagnosis has no text of the part held back."""
    (_texts(tmp_path, LOGS) / f"{HELD}.jsonl").unlink()
    found = card.gauged(folder=tmp_path, labels=_labels())
    assert {name: len(answers) for name, answers in found.by_part.items()} == {LEARN: 1, HELD: 0}


def test_the_order_of_keys_does_not_change_a_digest() -> None:
    """A file written by another program is the same text."""
    assert digest(logs=[dict(reversed(LOGS[0].items()))]) == digest(logs=LOGS)


def test_no_case_held_back_is_listed(tmp_path: Path) -> None:
    """Both cases are misses: one has a line, the other counts in its totals only."""
    found = card.gauged(folder=_texts(tmp_path, LOGS), labels=_labels())
    (line,) = card.misses(found=found)
    assert line.startswith(IDS[LEARN])
    names = [row.name for row in card.by_layer(found=found)]
    assert names
    assert not any(HELD in name for name in names)


def test_the_command_lists_no_case_held_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even where single cases are asked for."""
    _texts(tmp_path, LOGS)
    monkeypatch.setenv(card.FOLDER, str(tmp_path))
    monkeypatch.setattr("tests.score.gauge.__main__.read_labels", _labels)
    monkeypatch.setattr("sys.argv", ["gauge", "--cases"])
    assert main() == 0
    said = capsys.readouterr().out
    assert IDS[LEARN] in said
    assert "gauge, first batch, held: layer" in said
    assert IDS[HELD] not in said


def test_without_the_texts_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command names the place; the score has a row of what is absent."""
    monkeypatch.setenv(card.FOLDER, str(tmp_path))
    monkeypatch.setattr("sys.argv", ["gauge"])
    assert main() == 2
    assert str(tmp_path) in capsys.readouterr().err
    rows, _lines = card.part()
    n = len(read_labels())
    assert (rows[1].name, rows[1].hits) == (f"gauge: absent: {n} texts", n)
    assert all("(last measured whole, 20" in row.name for row in rows[2:])


def _labels() -> list[GaugeLabel]:
    grades = {"confidence": "high", "log_grade": "raw-short", "label_basis": "statement"}
    truth = {"layer": "gpu", "cause": "gpu-nvlink", "diagnosable_from_logs": True, **grades}
    truth["batch"] = "first"
    sha256 = digest(logs=LOGS)
    return [
        GaugeLabel(id=one, source=one, case={"id": one, **truth}, sha256=sha256, batch="first")
        for one in IDS.values()
    ]


def _texts(folder: Path, logs: card.Logs) -> Path:
    for name, one in IDS.items():
        line = json.dumps({"id": one, "logs": logs})
        (folder / f"{name}.jsonl").write_text(line, encoding="utf-8")
    return folder


def test_ids_of_this_test_fall_into_both_parts() -> None:
    """What the tests above stand on."""
    assert {name: part_of(case_id=one) for name, one in IDS.items()} == {LEARN: LEARN, HELD: HELD}
