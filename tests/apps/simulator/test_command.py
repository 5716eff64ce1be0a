"""`manage.py simulate`: what a person types."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command


def test_one_scenario_is_written_where_asked(tmp_path: Path) -> None:
    said = StringIO()
    call_command(
        "simulate",
        "--write",
        str(tmp_path / "run"),
        "--seed",
        "9",
        "--scenario",
        "ecc94",
        stdout=said,
    )
    assert "ecc94" in said.getvalue()
    told = json.loads((tmp_path / "run" / "truth.json").read_text())
    assert told["cause"] == "gpu-ecc-uncorrectable"


def test_an_unknown_scenario_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no scenario"):
        call_command("simulate", "--write", str(tmp_path), "--scenario", "earthquake")
