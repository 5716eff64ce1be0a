"""Find plug-ins: the one instance of a kind that each module of a folder holds."""

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


class NotExactlyOne(ValueError):
    """Say which module of a plug-in folder holds none or several instances."""


def collect(*, package: ModuleType, kind: type[T]) -> tuple[T, ...]:
    """Return the plug-in of each module of `package`, in the order of the module names.

    Raises NotExactlyOne for a module that defines no instance of `kind`, or more than one.
    """
    names = sorted(found.name for found in pkgutil.iter_modules(package.__path__))
    return tuple(
        _only(module=importlib.import_module(f"{package.__name__}.{name}"), kind=kind)
        for name in names
    )


def _only(*, module: ModuleType, kind: type[T]) -> T:
    found = [value for value in vars(module).values() if isinstance(value, kind)]
    if len(found) != 1:
        raise NotExactlyOne(
            f"{module.__name__} holds {len(found)} instances of {kind.__name__}; a plug-in module "
            "defines exactly one"
        )
    return found[0]
