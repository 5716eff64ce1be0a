"""The files of a folder that was named, without what its links lead to elsewhere.

A folder may come from a stranger: a link in it must not show what only its reader may read.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

# Here the machine itself links, to where containers write.
OF_MACHINE: Final = Path("/var/log")
OPTION: Final = "--follow-links"


def files_in(*, root: Path, follows_links: bool) -> Iterator[Path]:
    """Yield the files below a folder in one order; links out of it if they are to be followed."""
    for folder, names, files in os.walk(root):
        names.sort()
        for path in (Path(folder) / name for name in sorted(files)):
            if path.is_file() and (follows_links or is_inside(path=path, root=root)):
                yield path


def is_inside(*, path: Path, root: Path) -> bool:
    """Say whether a file of a folder is one, or links to one in it; the machine's own links are."""
    if not path.is_symlink():
        return True
    base = root.resolve()
    return base.is_relative_to(OF_MACHINE) or path.resolve().is_relative_to(base)


def links_out(*, paths: Sequence[str]) -> str | None:
    """Return how many files are left out because links lead out of a folder, None for none."""
    folders = [path for path in map(Path, paths) if path.is_dir()]
    count = sum(
        not is_inside(path=path, root=root)
        for root in folders
        for path in files_in(root=root, follows_links=True)
    )
    what = "1 link that leads" if count == 1 else f"{count} links that lead"
    return f"not read: {what} out of the folder; {OPTION} reads them" if count else None
