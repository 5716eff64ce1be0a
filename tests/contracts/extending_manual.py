"""docs/extending.md as tests read it: its text, and the examples that say where they go."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MANUAL = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(?:toml|python)\n# ([^\s,]+)([^\n]*)\n(.*?)```", re.DOTALL)


def examples() -> dict[str, str]:
    """Return the text of each example by the file that it makes."""
    return {path: text for path, said, text in BLOCK.findall(MANUAL) if not said}


def example(file: str) -> str:
    """Return the example of a file, or of what is added to one."""
    found: dict[str, str] = {path: text for path, _, text in BLOCK.findall(MANUAL)}
    assert file in found, f"the manual shows no {file}"
    return found[file]
