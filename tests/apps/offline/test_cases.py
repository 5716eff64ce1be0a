"""Cases of a file: what each may hold, and the line that is named where it does not."""

import json
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.input_values import MOST_RANKS
from apps.diagnosis.model import Stream
from apps.offline.cases import case_readings, read_cases
from apps.telemetry.files.unusable_input import UnusableInput


def _read(tmp_path: Path, *cases: Any) -> list[dict[str, Any]]:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join([*map(json.dumps, cases), ""]))
    return list(read_cases(path=path))


@pytest.mark.parametrize("rank", [0, 7, MOST_RANKS, None])
def test_a_log_has_a_text_and_says_whose_it_is_where_that_is_known(
    tmp_path: Path, rank: int | None
) -> None:
    log = {"stream": "session", "host": "n1", "rank": rank, "text": "step 1", "tz": None}
    (case,) = _read(tmp_path, {"logs": [log, {"text": None, "stream": "diary", "tz": ""}]})
    own, other = case_readings(case=case)
    assert (own.origin.source, own.origin.stream) == ("log0", Stream.SESSION)
    assert (own.origin.host, own.origin.rank) == ("n1", rank)
    assert (other.origin.source, other.origin.stream) == ("log1", None)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ([], "not an object"),
        ({}, "`logs` is missing"),
        ({"log": []}, "there is no key `log` here"),
        ({"logs": {}}, "`logs` must be a list"),
        ({"logs": ["x"]}, "logs[0]: not an object"),
        ({"logs": [{}, {"rnak": 1}]}, "logs[1]: there is no key `rnak` here"),
        ({"logs": [{"rank": -1}]}, "`rank` must be a whole number"),
        ({"logs": [{"rank": MOST_RANKS + 1}]}, "`rank` must be a whole number"),
        ({"logs": [{"rank": True}]}, "`rank` must be a whole number"),
        ({"logs": [{"rank": "1"}]}, "`rank` must be a whole number"),
        ({"logs": [{"host": 1}]}, "`host` must be a text"),
        ({"logs": [{"tz": "Mars/Phobos"}]}, "`tz`: "),
        ({"logs": [{"stream": "kernle"}]}, "there is no kind of stream `kernle`"),
    ],
)
def test_what_is_no_case_is_refused_by_its_line(tmp_path: Path, case: Any, reason: str) -> None:
    with pytest.raises(UnusableInput) as refused:
        _read(tmp_path, {"logs": []}, case)
    assert "cases.jsonl:2: " in str(refused.value)
    assert reason in str(refused.value)


def test_a_file_that_is_none_or_no_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="no such file"):
        list(read_cases(path=tmp_path))
    (tmp_path / "a").write_text("\n\n{")
    with pytest.raises(UnusableInput, match="a:3: not JSON"):
        list(read_cases(path=tmp_path / "a"))
