"""Pickles of plain data → plain data. Holds no unpickler: what could build an object is refused."""

import pickletools
import struct
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from sys import getsizeof
from typing import Any

# A recorder of 20,000 entries takes two thirds of the steps, and less than half of the rest.
MOST_BYTES = 32 * 2**20
MOST_STEPS = 1_500_000
MOST_CONTAINERS = 400_000
MOST_REMEMBERED = 400_000
MOST_DEPTH = 64
# Shared parts are counted as often as they are referred to, texts by their length.
MOST_VALUES = 8_000_000
LETTERS_A_VALUE = 64
# As objects: what a step makes may take thirty times what it takes in the file.
MOST_MEMORY = 48 * 2**20
MEMORY_A_BYTE = 1
OF_CONTAINER: dict[Any, int] = {list: 96, tuple: 64, dict: 240, set: 232, frozenset: 232}
# Larger numbers, used as keys, could be chosen to collide.
LARGEST_KEY = 2**60
PROTOCOL = b"\x80"


class RefusedPickle(ValueError):
    """A pickle that holds more than plain data, or more than is read; the text says what."""


class _Mark:
    """Stands on the stack where a MARK was set."""


MARK = _Mark()


def plain(*, data: bytes) -> Any:
    """Return the dict, list, text or number that a pickle holds.

    Raises RefusedPickle and nothing else, in bounded time and memory, for any bytes.
    """
    if len(data) > MOST_BYTES:
        raise RefusedPickle(f"{len(data)} bytes are more than the {MOST_BYTES} that are read")
    machine = _Machine(most_memory=MOST_MEMORY + MEMORY_A_BYTE * len(data))
    for name, argument in _steps(data):
        machine.do(name, argument)
    return _measured(machine.only())


def _steps(data: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the steps before STOP."""
    stream = BytesIO(data)
    for _ in range(MOST_STEPS):
        try:
            name, read = OPCODES[stream.read(1)]
            argument = None if read is None else read(stream)
        except KeyError as error:
            raise RefusedPickle(f"not a whole pickle: opcode {error}") from error
        except (ValueError, OverflowError, struct.error) as error:
            raise RefusedPickle(f"not a whole pickle: {error}"[:200]) from error
        if name == "STOP":
            return
        yield name, argument
    raise RefusedPickle(f"more than {MOST_STEPS} steps")


class _Machine:
    """The few steps that plain data needs, on a stack of our own."""

    def __init__(self, *, most_memory: int) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.containers = 0
        self.memory_left = most_memory

    def do(self, name: str, argument: Any) -> None:
        """Take one step; refuse, by name, what plain data doesn't need."""
        if name in VALUES:
            self.take(getsizeof(argument))
            self.stack.append(argument)
        elif name in CONSTANTS:
            self.stack.append(CONSTANTS[name])
        elif name in STEPS:
            STEPS[name](self, argument)
        elif name not in IGNORED:
            raise RefusedPickle(f"opcode {name}: a dump holds plain data only")

    def take(self, size: int) -> None:
        """Count what a value takes in memory."""
        self.memory_left -= size
        if self.memory_left < 0:
            raise RefusedPickle("its values take more memory than those of any dump")

    def only(self) -> Any:
        """Return the one value that is left."""
        if len(self.stack) != 1 or self.stack[0] is MARK:
            raise RefusedPickle(f"{len(self.stack)} values are left, not one")
        return self.stack[0]

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is MARK:
            raise RefusedPickle("a value is missing")
        return self.stack.pop()

    def top(self, kind: type) -> Any:
        if not self.stack or type(self.stack[-1]) is not kind:
            raise RefusedPickle(f"there is no {kind.__name__} to add to")
        return self.stack[-1]

    def since_mark(self) -> list[Any]:
        for position in range(len(self.stack) - 1, -1, -1):
            if self.stack[position] is MARK:
                found = self.stack[position + 1 :]
                del self.stack[position:]
                return found
        raise RefusedPickle("a mark is missing")

    def push_container(self, value: Any) -> None:
        self.containers += 1
        if self.containers > MOST_CONTAINERS:
            raise RefusedPickle(f"more than {MOST_CONTAINERS} containers")
        self.take(OF_CONTAINER[type(value)])
        self.stack.append(value)


def _mark(machine: _Machine, _: Any) -> None:
    machine.stack.append(MARK)


def _empty_list(machine: _Machine, _: Any) -> None:
    machine.push_container([])


def _empty_dict(machine: _Machine, _: Any) -> None:
    machine.push_container({})


def _empty_set(machine: _Machine, _: Any) -> None:
    machine.push_container(set())


def _list(machine: _Machine, _: Any) -> None:
    machine.push_container(machine.since_mark())


def _tuple(machine: _Machine, _: Any) -> None:
    machine.push_container(tuple(machine.since_mark()))


def _tuple_of(count: int) -> Callable[[_Machine, Any], None]:
    def step(machine: _Machine, _: Any) -> None:
        found = [machine.pop() for _ in range(count)]
        machine.push_container(tuple(reversed(found)))

    return step


def _frozenset(machine: _Machine, _: Any) -> None:
    machine.push_container(frozenset(map(_key, machine.since_mark())))


def _dict(machine: _Machine, _: Any) -> None:
    found = machine.since_mark()
    machine.push_container({})
    _put(machine, found)


def _append(machine: _Machine, _: Any) -> None:
    value = machine.pop()
    machine.top(list).append(value)


def _appends(machine: _Machine, _: Any) -> None:
    found = machine.since_mark()
    machine.top(list).extend(found)


def _additems(machine: _Machine, _: Any) -> None:
    found = machine.since_mark()
    machine.top(set).update(map(_key, found))


def _setitem(machine: _Machine, _: Any) -> None:
    value, key = machine.pop(), machine.pop()
    _put(machine, [key, value])


def _setitems(machine: _Machine, _: Any) -> None:
    _put(machine, machine.since_mark())


def _put(machine: _Machine, found: list[Any]) -> None:
    if len(found) % 2:
        raise RefusedPickle("a key has no value")
    machine.top(dict).update(zip(map(_key, found[::2]), found[1::2], strict=True))


def _remember(machine: _Machine, argument: Any) -> None:
    if not machine.stack or machine.stack[-1] is MARK:
        raise RefusedPickle("there is nothing to remember")
    if len(machine.memo) >= MOST_REMEMBERED:
        raise RefusedPickle(f"more than {MOST_REMEMBERED} things are remembered")
    machine.memo[len(machine.memo) if argument is None else argument] = machine.stack[-1]


def _recall(machine: _Machine, argument: Any) -> None:
    if argument not in machine.memo:
        raise RefusedPickle("something is recalled that was never said")
    machine.stack.append(machine.memo[argument])


def _key(value: Any) -> Any:
    """Return a value that may be a key: hashing it is cheap, and it can't be made to collide."""
    if isinstance(value, int) and abs(value) < LARGEST_KEY:
        return value
    if value is None or isinstance(value, str | bytes):
        return value
    raise RefusedPickle(f"a {type(value).__name__} as a key")


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
# Code → name, and what reads its argument.
OPCODES: dict[bytes, tuple[str, Callable[[BytesIO], Any] | None]] = {
    each.code.encode("latin-1"): (each.name, each.arg.reader if each.arg else None)
    for each in pickletools.opcodes
}
STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": _mark,
    "EMPTY_LIST": _empty_list,
    "EMPTY_DICT": _empty_dict,
    "EMPTY_SET": _empty_set,
    "EMPTY_TUPLE": _tuple_of(0),
    "LIST": _list,
    "DICT": _dict,
    "TUPLE": _tuple,
    "TUPLE1": _tuple_of(1),
    "TUPLE2": _tuple_of(2),
    "TUPLE3": _tuple_of(3),
    "FROZENSET": _frozenset,
    "APPEND": _append,
    "APPENDS": _appends,
    "ADDITEMS": _additems,
    "SETITEM": _setitem,
    "SETITEMS": _setitems,
    "PUT": _remember,
    "BINPUT": _remember,
    "LONG_BINPUT": _remember,
    "MEMOIZE": _remember,
    "GET": _recall,
    "BINGET": _recall,
    "LONG_BINGET": _recall,
}
