"""Cases named as logs are refused with the option that reads them; a pipe of cases is read."""

import io
import json
import os
import threading
from pathlib import Path

import pytest
from django.core.management import call_command

XID = "[ 9.1] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n"
CASE = json.dumps({"id": "a", "logs": [{"stream": "kernel", "host": "n1", "text": XID}]}) + "\n"


def _refused(*arguments: str) -> str:
    err = io.StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("diagnose", *arguments, stdout=io.StringIO(), stderr=err)
    assert left.value.code == 2
    return err.getvalue()


@pytest.mark.parametrize("is_folder", [True, False])
def test_cases_named_as_a_log_are_refused_with_the_option_that_reads_them(
    tmp_path: Path, *, is_folder: bool
) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(CASE)
    (tmp_path / "README.md").write_text("What these are.\n")
    said = _refused(str(tmp_path if is_folder else cases))
    assert said.startswith(f"{cases}: it holds cases")
    assert f"`--cases {cases}`" in said.replace("\n", " ")


def test_a_log_of_json_lines_is_no_file_of_cases(tmp_path: Path) -> None:
    log = tmp_path / "train.jsonl"
    log.write_text(json.dumps({"id": 7, "logs": ["a"], "message": XID}) + "\n" + XID)
    out = io.StringIO()
    call_command("diagnose", "--kernel", str(log), stdout=out, stderr=io.StringIO())
    assert "fell off the bus" in out.getvalue()


def test_cases_that_come_through_a_pipe_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(CASE,), daemon=True)
    writer.start()
    out = io.StringIO()
    call_command("diagnose", "--cases", str(pipe), stdout=out, stderr=io.StringIO())
    writer.join(timeout=10)
    assert json.loads(out.getvalue())["verdict"]["cause"] == "gpu-off-bus"
