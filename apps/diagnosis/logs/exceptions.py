"""Exceptions that a record carries in fields of their own → the lines that a program would print.

Loggers name the fields as they like: `exception.stacktrace` (OpenTelemetry), `exc_info` (Python's
JSON formatters), `stacktrace` (zap), `err` with `stack` (pino), `exception` (structlog), `error`.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

# Names without case and separators: `error.stack_trace`, `errorStackTrace` and `error-stack`.
STACKS: Final = (
    *("exceptionstacktrace", "exceptionstack", "exceptiontraceback", "exctraceback"),
    *("errorstacktrace", "errorstack", "errstacktrace", "errstack", "errortraceback"),
    *("excinfo", "exctext", "stacktrace", "traceback", "errorverbose", "stack", "exception"),
)
TYPES: Final = (
    *("exceptiontype", "exceptionclass", "exceptionname", "exceptionexctype", "excinfotype"),
    *("exctype", "errortype", "errorclass", "errorname", "errorkind", "errtype", "errname"),
)
MESSAGES: Final = (
    *("exceptionmessage", "exceptionvalue", "exceptionexcvalue", "excinfomessage", "excvalue"),
    *("errormessage", "errormsg", "errmessage", "errmsg", "exception", "error", "err"),
)
# A field of these holds fields: the former say what went wrong, the latter are looked into.
TELLING: Final = frozenset({"exception", "excinfo", "exc", "error", "err"})
HOLDING: Final = frozenset({"attributes", "fields", "extra", "extras", "context", "record"})
FIRST_LETTERS: Final = frozenset("eEsStTaAfFcCrR")  # of all of them
NAME_LENGTH: Final = 64  # longer ones are not remembered
SAYS_NOTHING: Final = frozenset({"", "true", "false", "none", "null", "nonetype: none"})
MOST_FRAMES: Final = 64
MOST_ERRORS: Final = 16  # of a chain
CAUSED: Final = "The above exception was the direct cause of the following exception:"
OPENER: Final = "Traceback (most recent call last):"
_DEPTH: Final = 2


def may_tell(*, name: str) -> bool:
    """Say whether a field of this name may speak of an exception."""
    return name[:1] in FIRST_LETTERS and (
        _is_known(name) if len(name) < NAME_LENGTH else _plain(name) in _KNOWN
    )


def printed(*, fields: Mapping[str, Any], beside: str = "") -> str:
    """Return what a program would have printed of an exception, without what stands `beside`.

    Empty where the fields tell of none.
    """
    told = dict(_flat(fields, "", _DEPTH))
    if not told:
        return ""
    stack, message = _first(told, STACKS), _first(told, MESSAGES)
    head = ": ".join(filter(None, (_first(told, TYPES), message if message != stack else "")))
    if stack and message.split("\n", 1)[0] not in stack:
        stack = f"{head}\n{stack}"
    found = stack or head
    return "" if found.strip() in beside else found


def with_exception(*, line: str, fields: Mapping[str, Any]) -> str:
    """Return a line and, below it, the exception that fields beside it carry."""
    found = printed(fields=fields, beside=line)
    return "\n".join(filter(None, (line.removesuffix("\n"), found))) if found else line


def has_stack(*, fields: Mapping[str, Any]) -> bool:
    """Say whether fields hold more of an exception than its name and message."""
    told = dict(_flat(fields, "", _DEPTH))
    return any("\n" in told.get(name, "") for name in STACKS)


def _flat(fields: Mapping[str, Any], before: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the telling fields by their plain names, those inside of others behind these."""
    for name, value in fields.items():
        if not before and not may_tell(name=name):
            continue
        plain = before + _plain(name)
        if isinstance(value, str):
            if value.strip().lower() not in SAYS_NOTHING:
                yield plain, value
        elif isinstance(value, Mapping) and depth:
            yield from _flat(value, plain if plain in TELLING else "", depth - 1)
        elif isinstance(value, list) and plain in TELLING:
            yield plain, _of_list(value)


def _first(told: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((told[name] for name in names if told.get(name)), "")


@lru_cache(maxsize=1024)
def _is_known(name: str) -> bool:
    """Say the same of a name that a program may have: records repeat a few of them."""
    return _plain(name) in _KNOWN


def _plain(name: str) -> str:
    return name.lower().replace(".", "").replace("_", "").replace("-", "")


def _of_list(chained: list[Any]) -> str:
    """Return a chain of exceptions as Python prints it: what came first stands first."""
    errors = [each for each in chained[:MOST_ERRORS] if isinstance(each, Mapping)]
    parts = [_of_error(each) for each in reversed(errors) if each.get("exc_type")]
    if parts:
        return f"\n\n{CAUSED}\n\n".join(parts)
    return "\n".join(each for each in chained[:MOST_FRAMES] if isinstance(each, str))


def _of_error(error: Mapping[str, Any]) -> str:
    frames = error.get("frames")
    lines = [
        f'  File "{each.get("filename")}", line {each.get("lineno")}, in {each.get("name")}'
        for each in (frames[-MOST_FRAMES:] if isinstance(frames, list) else ())
        if isinstance(each, Mapping)
    ]
    final = f"{error['exc_type']}: {error.get('exc_value') or ''}".removesuffix(": ")
    return "\n".join((OPENER, *lines, final))


_KNOWN: Final = frozenset({*STACKS, *TYPES, *MESSAGES, *TELLING, *HOLDING})
