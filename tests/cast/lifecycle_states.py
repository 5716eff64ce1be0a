"""The words of the table of states, with whose they are."""

import tomllib
from collections.abc import Iterator

from apps.training.lifecycle.state_table import TABLE


def known_states() -> Iterator[tuple[str, str]]:
    """Yield (scheduler, word) of the whole table."""
    for entry in tomllib.loads(TABLE.read_text())["scheduler"]:
        words = [word for some in entry["lanes"].values() for word in some]
        for word in (*words, *entry["ends"]):
            yield entry["names"][0], word
