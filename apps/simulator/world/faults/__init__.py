"""The folder is the registry: one module per fault, with exactly one `SimulatedFault` instance."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from apps.simulator.world.story import FaultOutcome, FaultScene


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedFault:
    """What breaks when, and what it leaves behind."""

    name: str
    strike: Callable[[FaultScene], FaultOutcome]


class FaultModuleWrong(Exception):
    """A module of the folder does not hold exactly one fault."""


def collect() -> dict[str, SimulatedFault]:
    """Return all faults of the folder by name."""
    found: dict[str, SimulatedFault] = {}
    for module_info in iter_modules(__path__):
        module = import_module(f"{__name__}.{module_info.name}")
        faults = [value for value in vars(module).values() if isinstance(value, SimulatedFault)]
        if len(faults) != 1:
            raise FaultModuleWrong(f"{module.__name__} holds {len(faults)} faults, expected one")
        found[faults[0].name] = faults[0]
    return found
