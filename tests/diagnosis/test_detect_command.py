"""`manage.py detect` as a person meets it: a table in, JSON and clear refusals out."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from apps.diagnosis.stats import Floats
from tests.diagnosis.detection.baseline.machine import table, with_burst

NO_PARQUET = "no pyarrow here: Parquet was not tried; the extra `parquet` brings it"
ROOT = Path(__file__).parents[2]
TRAIN = table(days=3, seed=1)
TEST = with_burst(table(days=1, seed=2), start=1000, end=1020, columns=(2, 5, 7))


def _run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("detect", *arguments, stdout=out, stderr=err)
    except SystemExit as left:
        return int(str(left.code)), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def _json(*arguments: str) -> dict[str, Any]:
    code, out, err = _run(*arguments, "--format", "json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def _npz(path: Path, **arrays: Any) -> str:
    np.savez_compressed(path, **arrays)
    return str(path)


def _csv(path: Path, rows: Floats, *, head: str, times: bool = False) -> str:
    stamps = [f"{1_700_000_000 + 60 * at}," if times else "" for at in range(len(rows))]
    lines = [
        stamp + ",".join(f"{cell:.6g}" for cell in row)
        for stamp, row in zip(stamps, rows, strict=True)
    ]
    path.write_text("\n".join([head, *lines]) + "\n")
    return str(path)


def test_an_npz_is_answered_in_the_published_form(tmp_path: Path) -> None:
    found = _json(_npz(tmp_path / "m.npz", train=TRAIN, test=TEST))

    assert list(found) == ["schema", "threshold", "scores", "episodes"]
    assert found["schema"] == "faultline.detection/1"
    assert len(found["scores"]) == len(TEST)
    episode = next(one for one in found["episodes"] if one["start"] <= 1000 < one["end"])
    assert set(episode) == {"start", "end", "score", "metrics"}
    assert set(episode["metrics"][:3]) == {2, 5, 7}
    assert sorted(episode["metrics"]) == list(range(TEST.shape[1]))


def test_episodes_are_the_rows_at_or_above_the_threshold_with_their_highest_score(
    tmp_path: Path,
) -> None:
    found = _json(_npz(tmp_path / "m.npz", train=TRAIN, test=TEST))

    above = {row for row, score in enumerate(found["scores"]) if score >= found["threshold"]}
    covered = {row for one in found["episodes"] for row in range(one["start"], one["end"])}
    assert above
    assert above <= covered
    assert all(
        one["score"] == max(found["scores"][one["start"] : one["end"]]) for one in found["episodes"]
    )


def test_labels_in_an_npz_are_never_read(tmp_path: Path) -> None:
    plain = _json(_npz(tmp_path / "m.npz", train=TRAIN, test=TEST))
    marked = _npz(
        tmp_path / "n.npz",
        train=TRAIN,
        test=TEST,
        label=np.arange(len(TEST)),
        interpretation=np.array([{"an": "object"}], dtype=object),  # would need an unpickler
    )

    assert _json(marked) == plain


def test_a_csv_is_learnt_and_scored_itself_and_the_text_says_so(tmp_path: Path) -> None:
    names = [f"m{at}" for at in range(TEST.shape[1])]
    path = _csv(tmp_path / "t.csv", TEST, head=",".join(["time", *names]), times=True)

    found = _json(path)
    code, text, _ = _run(path)

    assert found["columns"] == names
    assert any(one["start"] <= 1010 < one["end"] for one in found["episodes"])
    assert code == 0
    assert "learnt from the table itself" in text
    assert "m5" in text


def test_parquet_and_csv_of_the_same_table_give_the_same_answer(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason=NO_PARQUET)
    parquet = pytest.importorskip("pyarrow.parquet", reason=NO_PARQUET)
    rows = np.round(TEST, 4)
    names = [f"m{at}" for at in range(rows.shape[1])]
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table(dict(zip(names, rows.T, strict=True))), path)

    assert _json(str(path)) == _json(_csv(tmp_path / "t.csv", rows, head=",".join(names)))


def test_the_usual_is_learnt_from_another_file_where_one_is_named(tmp_path: Path) -> None:
    names = ",".join(f"m{at}" for at in range(TEST.shape[1]))
    train = _csv(tmp_path / "before.csv", TRAIN, head=names)
    path = _csv(tmp_path / "t.csv", TEST, head=names)

    found = _json(path, "--train", train)

    assert any(one["start"] <= 1000 < one["end"] for one in found["episodes"])
    assert "learnt from rows before it" in _run(path, "--train", train)[1]


def test_text_answers_and_gaps_keep_their_column_numbers_and_are_never_blamed_first(
    tmp_path: Path,
) -> None:
    lines = ["host,label,m0,m1"]
    lines += [f"n1,{int(at == 900)},{at % 7},{'' if at % 5 else at % 3}" for at in range(1200)]
    lines[900] = "n1,1,500,400"
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))

    found = _json(str(path))
    text = _run(str(path))[1]

    assert found["columns"] == ["host", "label", "m0", "m1"]
    assert found["episodes"]
    assert all(set(one["metrics"][:2]) == {2, 3} for one in found["episodes"])
    assert "column 1 (label) is an answer" in text
    assert "column 0 (host) holds no numbers" in text


def test_the_columns_of_asked_rows_are_ranked_though_nothing_was_found(tmp_path: Path) -> None:
    found = _json(_npz(tmp_path / "m.npz", train=TRAIN, test=TEST), "--rank", "1000:1020")

    assert [(one["start"], one["end"]) for one in found["ranked"]] == [(1000, 1020)]
    assert set(found["ranked"][0]["metrics"][:3]) == {2, 5, 7}


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"train": TRAIN}, "no array `test`"),
        ({"test": np.zeros((0, 3))}, "the shape (0, 3)"),
        ({"test": np.zeros((4, 3, 2))}, "must be rows x columns"),
        ({"test": np.zeros((5, 3))}, "5 rows are too few"),
        ({"test": TEST, "train": TRAIN[:, :4]}, "`train` has 4 columns"),
        ({"test": TEST, "train": TRAIN[:20]}, "20 rows are too few"),
        ({"test": np.array([["a", "b"]])}, "not numbers"),
        ({"test": np.array([[1, None]], dtype=object)}, "not a readable npz"),
        ({"test": np.full((100, 2), np.nan)}, "no column holds a number"),
    ],
)
def test_an_unusable_npz_is_refused_with_the_reason(
    tmp_path: Path, arrays: dict[str, Any], said: str
) -> None:
    code, out, err = _run(_npz(tmp_path / "m.npz", **arrays))

    assert (code, out) == (2, "")
    assert said in err
    assert "m.npz" in err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"a,b\n", "no rows"),
        (b"a,b\n1,2\n1\n", "row 3 has 1 fields"),
        (b"PK\x03\x04 cut off", "not a readable npz"),
        (b"PAR1 cut off", "damaged"),
        (b"time,metric,value\n1,up,0\n", "one row a sample"),
        (b"time\n1\n2\n", "no column of numbers"),
        (b"\x00\xff\xfe\x00garbage\n\x01", "garbage"),
    ],
)
def test_an_unusable_file_is_refused_with_the_reason(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "garbage"
    path.write_bytes(content)

    code, out, err = _run(str(path))

    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--step", "0"], "--step must be a number above 0"),
        (["--step", "nan"], "--step must be a number above 0"),
        (["--step", "inf"], "--step must be a number above 0"),
        (["--rank", "5"], "START:END"),
        (["--rank", "9:5"], "START:END"),
        (["--rank", "5:5"], "START:END"),
        (["--rank", "0:99999"], "START:END"),
        (["--train", "/nowhere.npz"], "No such file"),
    ],
)
def test_an_unusable_option_is_refused_with_the_reason(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    code, _, err = _run(_npz(tmp_path / "m.npz", train=TRAIN, test=TEST), *arguments)

    assert code == 2
    assert said in err


def test_the_command_needs_no_settings_and_no_database(tmp_path: Path) -> None:
    bare = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PORTAL_", "DJANGO_"))
    }
    done = subprocess.run(  # noqa: S603  our own command
        [
            sys.executable,
            "manage.py",
            "detect",
            _npz(tmp_path / "m.npz", train=TRAIN, test=TEST),
            "--format=json",
        ],
        cwd=ROOT,
        env=bare,
        capture_output=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["schema"] == "faultline.detection/1"


def test_the_text_says_when_in_the_words_of_the_file(tmp_path: Path) -> None:
    head = ",".join(["time", *(f"m{at}" for at in range(TEST.shape[1]))])
    file = _csv(tmp_path / "m.csv", TEST, head=head, times=True)
    at = _json(file)["episodes"][0]
    _, text, _ = _run(file)
    first, last = (1_700_000_000 + 60 * row for row in (at["start"], at["end"] - 1))
    assert f"rows {at['start']} to {at['end'] - 1} ({first} to {last}): score" in text


def test_what_is_called_npz_and_is_none_is_not_read_as_csv(tmp_path: Path) -> None:
    file = tmp_path / "m.npz"
    file.write_text("hello")
    assert _run(str(file)) == (2, "", f"{file}: not a readable npz of numbers\n")
