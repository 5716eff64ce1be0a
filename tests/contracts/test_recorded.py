"""Nothing of others is read past the ledger: who may ask for it without, by name."""

import ast
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.sweep

ROOT: Final = Path(__file__).parents[2]
SHARED: Final = "apps/incidents/projection/shared/"
# Function → the modules that may name it beside its own.
ALLOWED: Final = {
    "shared_access": {
        f"{SHARED}recorded_access.py",
        f"{SHARED}shared_changes.py",
        # Counts what others show, and leaves it where it is.
        "apps/incidents/bundles/own_contents.py",
    },
    # Around incidents of the layer; handed out by the phases that come of it.
    "shared_accesses": {f"{SHARED}shared_storage.py"},
    "shared_storage": {f"{SHARED}recorded_access.py"},
    "shared_warnings": {f"{SHARED}recorded_access.py"},
    "shared_changes": {f"{SHARED}recorded_access.py"},
    "grants_to": {
        f"{SHARED}shared_access.py",
        f"{SHARED}shared_changes.py",
        # Says that something is shown, and shows none of it.
        f"{SHARED}measured_elsewhere.py",
        f"{SHARED}shared_fleet.py",
        f"{SHARED}shared_progress.py",
        f"{SHARED}shared_warnings.py",
        # In the viewer's own scope: nobody else looks.
        "apps/incidents/projection/view_as/party_view.py",
    },
    "grants_of": {f"{SHARED}shared_access.py", f"{SHARED}shared_storage.py"},
    "read_agreements": {f"{SHARED}shared_storage.py"},
}
# Where they are, other than in a module of the same name.
HOMES: Final = {
    "shared_accesses": "apps.incidents.projection.shared.shared_access",
    "grants_to": "apps.sharing.grants",
    "grants_of": "apps.sharing.grants",
    "read_agreements": "apps.sharing.grants",
}


def importers(name: str) -> set[str]:
    # The module of that name holds values as well; it is the function that counts.
    home = HOMES.get(name, f"apps.incidents.projection.shared.{name}")
    return {
        path.relative_to(ROOT).as_posix()
        for path in sorted(ROOT.glob("apps/**/*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == home
        if any(each.name == name for each in node.names)
    }


def test_what_is_shared_is_asked_for_where_it_is_written_down() -> None:
    for name, allowed in ALLOWED.items():
        assert importers(name) == allowed, name
