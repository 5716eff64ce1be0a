"""Nothing of others is read past the ledger: who may ask for it without, by name."""

import ast
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SHARED: Final = "apps/incidents/projection/shared/"
# Function → the modules that may name it beside its own.
ALLOWED: Final = {
    "shared_access": {
        f"{SHARED}recorded_access.py",
        # Around incidents of the layer; handed out by the phases that come of it.
        f"{SHARED}shared_storage.py",
        # Counts what others show, and leaves it where it is.
        "apps/incidents/bundles/own_contents.py",
    },
    "shared_storage": {f"{SHARED}recorded_access.py"},
    "shared_warnings": {f"{SHARED}recorded_access.py"},
    "grants_to": {
        f"{SHARED}shared_access.py",
        f"{SHARED}shared_fleet.py",
        f"{SHARED}shared_progress.py",
        f"{SHARED}shared_storage.py",
        f"{SHARED}shared_warnings.py",
        # In the viewer's own scope: nobody else looks.
        "apps/incidents/projection/view_as/party_view.py",
    },
}


def importers(name: str) -> set[str]:
    found = set()
    for path in sorted(ROOT.glob("apps/**/*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and any(each.name == name for each in node.names):
                module = f"apps.incidents.projection.shared.{name}"
                # The module of that name holds values as well; it is the function that counts.
                if name == "grants_to" or node.module == module:
                    found.add(path.relative_to(ROOT).as_posix())
    return found


def test_what_is_shared_is_asked_for_where_it_is_written_down() -> None:
    for name, allowed in ALLOWED.items():
        assert importers(name) == allowed, name
