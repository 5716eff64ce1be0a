"""No row of incidents, of what came in, of sessions or agreements reaches who shows or tells.

A page, a resource or an e-mail names no class of such rows, and no function or value of another
app that takes or gives one: what it needs is behind a facade.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from django.apps import apps
from django.db.models import Model

from apps.fleet.models import (
    Attempt,
    ClusterChange,
    NodeExclusion,
    NodeReturn,
    Session,
    SessionParty,
)
from tests.contracts.kinds_in_hints import kinds_in

ROOT = Path(__file__).parents[2]
OUTER = ("api", "notifications", "offline", "web")
# What import contracts keep from knowing any row.
WITHOUT_ROWS = ("diagnosis", "wording")
ROWS: frozenset[type[Model]] = frozenset(
    {
        *(Session, Attempt, SessionParty, NodeExclusion, NodeReturn, ClusterChange),
        *apps.get_app_config("incidents").get_models(),
        *apps.get_app_config("sharing").get_models(),
        *apps.get_app_config("telemetry").get_models(),
    }
)
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for app in OUTER
    for path in sorted((ROOT / "apps" / app).rglob("*.py"))
    if not {"migrations", "__init__.py"} & set(path.parts)
]


def _imported(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield what a module names of others: what it imports, and what it takes of modules."""
    tree = ast.parse(inspect.getsource(module))
    names = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    known = {name: vars(module)[name] for name in names & vars(module).keys()}
    yield from known.items()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = known.get(node.value.id)
            if isinstance(owner, ModuleType) and owner.__name__.startswith("apps."):
                yield f"{node.value.id}.{node.attr}", getattr(owner, node.attr, None)


def _rows_through(value: Any, own: str) -> set[str]:
    """Return the rows that a name lets through: itself, what it takes and what it gives."""
    if inspect.isclass(value) and issubclass(value, Model):
        return {value.__name__} if value in ROWS else set()
    home = getattr(value, "__module__", "") or ""
    is_of_another = home.startswith("apps.") and home.split(".")[1] not in {own, *WITHOUT_ROWS}
    if not is_of_another or not (inspect.isfunction(value) or is_dataclass(value)):
        return set()
    kinds = [kind for hint in get_type_hints(value).values() for kind in kinds_in(hint)]
    return {kind.__name__ for kind in (*kinds, *_written(value)) if kind in ROWS}


def _written(value: Any) -> Iterator[Any]:
    """Yield what the types of a function name, as written: a query's keep no class at run time."""
    if not inspect.isfunction(value):
        return
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(value))).body
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    hints = [each.annotation for each in (*arguments.args, *arguments.kwonlyargs)]
    for hint in filter(None, (*hints, function.returns)):
        names = [node.id for node in ast.walk(hint) if isinstance(node, ast.Name)]
        yield from (value.__globals__.get(name) for name in names)


def rows_named(name: str) -> dict[str, list[str]]:
    """Return name → rows that come through it, of a module of the portal."""
    own = name.split(".")[1]
    module = import_module(name)
    found = {each: sorted(_rows_through(value, own)) for each, value in _imported(module)}
    return {each: rows for each, rows in found.items() if rows}


def test_nothing_that_is_shown_or_told_is_read_from_a_row_of_another_app() -> None:
    assert MODULES
    assert {module: rows for module in MODULES if (rows := rows_named(module))} == {}


def test_a_row_that_came_through_would_be_seen() -> None:
    assert {"Session"} <= set(rows_named("apps.fleet.access")["Session"])
    assert rows_named("apps.telemetry.status.arrivals")["access_sessions"] == ["Session"]
    assert rows_named("apps.telemetry.logs.streams")["session_rows.attempt_of"] == [
        "Attempt",
        "Session",
    ]
