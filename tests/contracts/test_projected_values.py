"""What leaves an app through its facade is frozen and made of plain values: no row at any depth."""

import inspect
from dataclasses import fields, is_dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, get_type_hints

import pytest
from django.db.models import Manager, Model, QuerySet

from apps.fleet import facade as fleet_doors
from apps.fleet import values as fleet_values
from apps.incidents import facade as incident_doors
from apps.incidents.projection import values
from apps.telemetry import facade as telemetry_doors
from apps.telemetry import values as telemetry_values
from tests.contracts.kinds_in_hints import kinds_in

ROWS = (Model, QuerySet, Manager)
OWN = {"incident_row"}  # for the doors beside it alone: an import contract keeps others from it
DOORS = [
    import_module(f"{package.__name__}.{module.name}")
    for package in (fleet_doors, incident_doors, telemetry_doors)
    for module in iter_modules(package.__path__)
    if module.name not in OWN
]
VALUES = [
    kind
    for module in (values, fleet_values, telemetry_values, *DOORS)
    for kind in vars(module).values()
    if inspect.isclass(kind) and is_dataclass(kind) and kind.__module__ == module.__name__
]
FUNCTIONS = [
    function
    for module in DOORS
    for name, function in vars(module).items()
    if inspect.isfunction(function)
    and function.__module__ == module.__name__
    and not name.startswith("_")
]


def rows_in(hint: Any) -> list[str]:
    """Return the names of the classes of rows that a hint lets through."""
    return sorted({kind.__name__ for kind in kinds_in(hint) if issubclass(kind, ROWS)})


@pytest.mark.parametrize("kind", VALUES, ids=[kind.__name__ for kind in VALUES])
def test_a_projected_value_is_frozen_and_holds_no_row(kind: type[Any]) -> None:
    assert kind.__dataclass_params__.frozen
    hints = get_type_hints(kind)
    assert {field.name: rows_in(hints[field.name]) for field in fields(kind)} == {
        field.name: [] for field in fields(kind)
    }


def test_what_others_ask_answers_with_values() -> None:
    assert FUNCTIONS
    assert {
        f"{one.__module__}.{one.__name__}": rows
        for one in FUNCTIONS
        if (rows := rows_in(get_type_hints(one)["return"]))
    } == {}


def test_a_row_inside_of_a_value_would_be_seen() -> None:
    from apps.incidents.models import Incident  # noqa: PLC0415  the row that may not leave

    assert rows_in(tuple[Incident, ...] | None) == ["Incident"]
    assert {"IncidentView", "TimelineMoment", "AttemptView", "SourceView"} <= {
        kind.__name__ for kind in VALUES
    }
    assert {"open_incident", "resolve", "open_session", "open_source"} <= {
        one.__name__ for one in FUNCTIONS
    }
