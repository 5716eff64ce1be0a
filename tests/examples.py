"""How much of what can be tried without end is tried: a quarter in the suite, all in `make chaos`.

A test names how many examples of a property are worth trying; each run of the suite draws others.
"""

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

import hypothesis
import pytest

PERCENT = int(os.environ.get("PORTAL_TEST_EXAMPLES_PERCENT", "25"))
# Where a test names so few, each is dear, and they are few enough.
FEW = 5
Case = TypeVar("Case")


def take_a_share(items: Iterable[pytest.Item]) -> None:
    """Let each property of these tests be tried with its share of the examples that it names."""
    tests = {getattr(item, "function", None) for item in items}
    for test in filter(hypothesis.is_hypothesis_test, tests):
        named = test._hypothesis_internal_use_settings  # type: ignore[union-attr]  # the place of settings()
        share = max(min(named.max_examples, FEW), named.max_examples * PERCENT // 100)
        test._hypothesis_internal_use_settings = hypothesis.settings(named, max_examples=share)  # type: ignore[union-attr]


def some_of(cases: Iterable[Case]) -> Sequence[Case]:
    """Return this run's share of many combinations, evenly out of all of them."""
    return list(cases)[:: max(1, 100 // PERCENT)]
