"""Keep a run anew: FAULTLINE_TORCH_PYTHON=/path/to/python python -m tests.live.recovery."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.live.gloo.judge import python_with_torch
from tests.live.recovery.launch import recovered

KEPT = Path(__file__).with_name("recorded.json")

with TemporaryDirectory() as folder:
    KEPT.write_text(recovered(python=python_with_torch(), folder=Path(folder)).as_json())
