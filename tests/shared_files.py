"""Where the reference and the recorded data are, which are not part of this repository."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(),
    reason=f"no {SHARED.name} folder beside the repository: put it there to compare with it",
)
