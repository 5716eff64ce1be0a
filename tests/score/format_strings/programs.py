"""The programs whose format strings are looked at, as `programs.toml` lists them."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

TABLE = Path(__file__).parent / "programs.toml"


@dataclass(frozen=True, kw_only=True)
class CallForm:
    """A call that prints: its name, where its text stands, and how the line looks."""

    name: str  # alternatives by |
    line: str
    style: str  # printf, braces, parts, stream, python
    text: int = 0  # the argument with the format string
    only: str = ""  # one of these words, by |, stands before the text
    word: str = ""  # that most stands for its own `%s`, beside the usual ones
    frame: str = ""  # of an exception: the Python file that its traceback ends in


@dataclass(frozen=True, kw_only=True)
class SourceProgram:
    """A program: its files below a folder of sources, and the calls that tell of errors."""

    key: str
    title: str
    files: Sequence[str]
    without: Sequence[str]
    calls: Sequence[CallForm]

    def paths(self, *, folder: Path) -> Iterator[Path]:
        """Yield its files below `folder`, each once, in order."""
        found = {path for pattern in self.files for path in folder.glob(pattern)}
        for path in sorted(found):
            if not any(fnmatch(f"/{path.relative_to(folder)}", one) for one in self.without):
                yield path


def programs() -> dict[str, SourceProgram]:
    """Return the programs of the table by their keys."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    return {
        key: SourceProgram(
            key=key,
            title=entry["title"],
            files=entry["files"],
            without=entry.get("without", ()),
            calls=[CallForm(**call) for call in entry["calls"]],
        )
        for key, entry in table.items()
    }
