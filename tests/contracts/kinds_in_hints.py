"""The classes that a type speaks of, at any depth."""

import inspect
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any, get_args, get_type_hints


def kinds_in(hint: Any) -> Iterator[Any]:
    """Yield every class that a hint speaks of, through containers and the fields of dataclasses."""
    met: set[Any] = set()
    waiting = [hint]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):  # what a Callable takes
            waiting.extend(each)
            continue
        if each in met:
            continue
        met.add(each)
        inner = get_args(each)
        waiting.extend(one for one in inner if not isinstance(one, str))
        if inner or not inspect.isclass(each):
            continue
        yield each
        if is_dataclass(each):
            waiting.extend(get_type_hints(each).values())
