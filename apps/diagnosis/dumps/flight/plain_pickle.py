"""Pickles of plain data → plain data. Holds no unpickler: what could build an object is refused."""

import pickletools
import struct
from collections.abc import Callable, Iterable
from io import BytesIO
from sys import getsizeof
from typing import Any, NamedTuple

from apps.diagnosis.dumps.flight.pickle_machine import STEPS, TOO_DEAR, Machine, RefusedPickle

# A recorder of 20,000 entries takes two thirds of the steps, and less than half of the rest.
MOST_BYTES = 32 * 2**20
MOST_STEPS = 1_500_000
MOST_LONG = 300_000  # of 20,000 entries each has a few times and sizes
MOST_DEPTH = 64
# Shared parts are counted as often as they are referred to, texts by their length.
MOST_VALUES = 8_000_000
LETTERS_A_VALUE = 64
# As objects: what a step makes may take thirty times what it takes in the file.
MOST_MEMORY = 40 * 2**20
MEMORY_A_BYTE = 1
PROTOCOL = b"\x80"


def plain(*, data: bytes) -> Any:
    """Return the dict, list, text or number that a pickle holds.

    Raises RefusedPickle and nothing else, in bounded time and memory, for any bytes.
    """
    if len(data) > MOST_BYTES:
        raise RefusedPickle(f"{len(data)} bytes are more than the {MOST_BYTES} that are read")
    machine = Machine(most_memory=MOST_MEMORY + MEMORY_A_BYTE * len(data))
    try:
        _run(machine, data)
    except RefusedPickle:
        raise
    except (ValueError, IndexError, OverflowError, struct.error) as error:
        raise RefusedPickle(f"not a whole pickle: {error}"[:200]) from error
    return _measured(machine.only())


def _run(machine: Machine, data: bytes) -> None:  # noqa: C901, PLR0912  a call for each step costs as much as the step
    """Take the steps before STOP: one loop, a dump has a million of them."""
    stream, at, stack, long_count = BytesIO(data), 0, machine.stack, 0
    for _ in range(MOST_STEPS):
        opcode = OPCODES[data[at]]
        at += 1
        argument = None
        if opcode.quick is not None:
            (argument,) = opcode.quick(data, at)
            at += opcode.size
        elif opcode.read is not None:
            stream.seek(at)
            argument, at = opcode.read(stream), stream.tell()
        elif opcode.name == "LONG1":
            argument, at = _long(data, at)
            long_count += 1
            if long_count > MOST_LONG:
                raise RefusedPickle(f"more than {MOST_LONG} numbers of more than 32 bits")
        if opcode.step is not None:
            opcode.step(machine, argument)
        elif opcode.is_value:
            machine.memory_left -= getsizeof(argument)
            if machine.memory_left < 0:
                raise RefusedPickle(TOO_DEAR)
            stack.append(argument)
        elif opcode.name == "STOP":
            return
        elif opcode.name not in IGNORED:
            raise RefusedPickle(f"opcode {opcode.name}: a dump holds plain data only")
    raise RefusedPickle(f"more than {MOST_STEPS} steps")


def _long(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of some bytes behind their count, and where it ends."""
    end = at + 1 + data[at]
    if end > len(data):
        raise ValueError("a number breaks off")
    return int.from_bytes(data[at + 1 : end], "little", signed=True), end


def _measured(root: Any) -> Any:
    """Return `root`, which is neither deep, nor endless, nor huge once shared parts are told
    apart.
    """
    if _size(root, {}, 0) > MOST_VALUES:
        raise RefusedPickle(TOO_MUCH)
    return root


def _size(value: Any, known: dict[int, int], depth: int) -> int:
    """Return how many values a container holds; each is looked at once, however often it is
    referred to.
    """
    if depth > MOST_DEPTH:
        raise RefusedPickle(TOO_MUCH)
    known[id(value)] = 0  # until it is counted: whoever meets it now is inside of it
    count = 1 + len(value) if isinstance(value, CONTAINERS) else 1
    for part in _parts(value):
        if isinstance(part, str | bytes):
            count += len(part) // LETTERS_A_VALUE
        elif isinstance(part, CONTAINERS):
            size = known.get(id(part))
            if size == 0:
                raise RefusedPickle(TOO_MUCH)
            count += _size(part, known, depth + 1) if size is None else size
        if count > MOST_VALUES:
            raise RefusedPickle(TOO_MUCH)
    known[id(value)] = count
    return count


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, CONTAINERS) else ()


TOO_MUCH = "deeper or larger than any dump, or it contains itself"
CONTAINERS = (dict, list, tuple)  # sets hold nothing that holds something
CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
VALUES = frozenset(
    {
        *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
        *("STRING", "BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
        *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
    }
)
IGNORED = frozenset({"PROTO", "FRAME"})
# What is read in place: nearly all numbers, and references.
QUICK = {
    "BININT1": struct.Struct("<B"),
    "BININT2": struct.Struct("<H"),
    "BININT": struct.Struct("<i"),
    "BINFLOAT": struct.Struct(">d"),
    "BINPUT": struct.Struct("<B"),
    "BINGET": struct.Struct("<B"),
    "LONG_BINPUT": struct.Struct("<I"),
    "LONG_BINGET": struct.Struct("<I"),
}


class Opcode(NamedTuple):
    """What one step is called, how its argument is read, and what it does."""

    name: str
    quick: Callable[[bytes, int], tuple[Any, ...]] | None
    size: int
    read: Callable[[BytesIO], Any] | None
    step: Callable[[Machine, Any], None] | None
    is_value: bool


def _constant(value: Any) -> Callable[[Machine, Any], None]:
    return lambda machine, _: machine.stack.append(value)


def _opcode(name: str, read: Callable[[BytesIO], Any] | None) -> Opcode:
    quick = QUICK.get(name)
    return Opcode(
        name=name,
        quick=quick.unpack_from if quick else None,
        size=quick.size if quick else 0,
        read=None if name == "LONG1" else read,
        step=_constant(CONSTANTS[name]) if name in CONSTANTS else STEPS.get(name),
        is_value=name in VALUES,
    )


KNOWN = {
    each.code: _opcode(each.name, each.arg.reader if each.arg else None)
    for each in pickletools.opcodes
}
# By the byte that stands for it; a byte that stands for none is refused.
OPCODES = [KNOWN.get(chr(code), _opcode(f"{code}", None)) for code in range(256)]
