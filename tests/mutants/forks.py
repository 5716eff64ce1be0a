"""Copies of this process: what happens in one ends with it, and what it finds is told here."""

import json
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn, TypeVar

import pytest

Found = TypeVar("Found")


def in_fork(work: Callable[[], Found], *, if_dead: Found) -> Found:
    """Return what a copy of this process finds, through JSON; `if_dead` if it ends before."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _answer(work, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    said = json.loads(text or "{}")
    if "error" in said:
        raise RuntimeError(said["error"])
    found: Found = said.get("found", if_dead)
    return found


def _answer(work: Callable[[], object], writing: int) -> NoReturn:
    try:
        said = {"found": work()}
    except BaseException:  # noqa: BLE001  told to the one who waits
        said = {"error": traceback.format_exc()}
    with os.fdopen(writing, "w", encoding="utf-8") as answer:
        json.dump(said, answer)
    os._exit(0)


def spent() -> float:
    """Return the processor time of this process and of those it waited for."""
    return sum(os.times()[:4])


@dataclass(slots=True)
class TimeLimit:
    """Whether the time of a test was over: also where what it raised came out as something else."""

    is_over: bool = False


@contextmanager
def at_most(seconds: float) -> Iterator[TimeLimit]:
    """Fail a test that takes longer, again and again should it not end by that."""
    limit = TimeLimit()

    def fail(_signal: int, _frame: FrameType | None) -> None:
        limit.is_over = True
        pytest.fail(f"not done within {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield limit
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
