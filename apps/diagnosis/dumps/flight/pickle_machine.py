"""What plain data needs of a pickle's steps, on a stack of our own."""

from collections.abc import Callable
from typing import Any

# A recorder of 20,000 entries takes less than half of either.
MOST_CONTAINERS = 400_000
MOST_REMEMBERED = 400_000
OF_CONTAINER: dict[Any, int] = {list: 96, tuple: 64, dict: 240, set: 232, frozenset: 232}
# Larger numbers, used as keys, could be chosen to collide.
LARGEST_KEY = 2**60
TOO_DEAR = "its values take more memory than those of any dump"


class RefusedPickle(ValueError):
    """A pickle that holds more than plain data, or more than is read; the text says what."""


class _Mark:
    """Stands on the stack where a MARK was set."""


MARK = _Mark()


class Machine:
    """The few steps that plain data needs, on a stack of our own."""

    def __init__(self, *, most_memory: int) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.containers = 0
        self.memory_left = most_memory

    def take(self, size: int) -> None:
        """Count what a value takes in memory."""
        self.memory_left -= size
        if self.memory_left < 0:
            raise RefusedPickle(TOO_DEAR)

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


def _mark(machine: Machine, _: Any) -> None:
    machine.stack.append(MARK)


def _empty_list(machine: Machine, _: Any) -> None:
    machine.push_container([])


def _empty_dict(machine: Machine, _: Any) -> None:
    machine.push_container({})


def _empty_set(machine: Machine, _: Any) -> None:
    machine.push_container(set())


def _list(machine: Machine, _: Any) -> None:
    machine.push_container(machine.since_mark())


def _tuple(machine: Machine, _: Any) -> None:
    machine.push_container(tuple(machine.since_mark()))


def _tuple_of(count: int) -> Callable[[Machine, Any], None]:
    def step(machine: Machine, _: Any) -> None:
        found = [machine.pop() for _ in range(count)]
        machine.push_container(tuple(reversed(found)))

    return step


def _frozenset(machine: Machine, _: Any) -> None:
    machine.push_container(frozenset(map(_key, machine.since_mark())))


def _dict(machine: Machine, _: Any) -> None:
    found = machine.since_mark()
    machine.push_container({})
    _put(machine, found)


def _append(machine: Machine, _: Any) -> None:
    value = machine.pop()
    machine.top(list).append(value)


def _appends(machine: Machine, _: Any) -> None:
    found = machine.since_mark()
    machine.top(list).extend(found)


def _additems(machine: Machine, _: Any) -> None:
    found = machine.since_mark()
    machine.top(set).update(map(_key, found))


def _setitem(machine: Machine, _: Any) -> None:
    value, key = machine.pop(), machine.pop()
    _put(machine, [key, value])


def _setitems(machine: Machine, _: Any) -> None:
    _put(machine, machine.since_mark())


def _put(machine: Machine, found: list[Any]) -> None:
    if len(found) % 2:
        raise RefusedPickle("a key has no value")
    machine.top(dict).update(zip(map(_key, found[::2]), found[1::2], strict=True))


def _remember(machine: Machine, argument: Any) -> None:
    if not machine.stack or machine.stack[-1] is MARK:
        raise RefusedPickle("there is nothing to remember")
    if len(machine.memo) >= MOST_REMEMBERED:
        raise RefusedPickle(f"more than {MOST_REMEMBERED} things are remembered")
    machine.memo[len(machine.memo) if argument is None else argument] = machine.stack[-1]


def _recall(machine: Machine, argument: Any) -> None:
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


STEPS: dict[str, Callable[[Machine, Any], None]] = {
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
