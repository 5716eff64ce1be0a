"""How much a description may be: what a short text can make its reader hold is bounded."""

from typing import Any

import yaml

from apps.operations.setup.parties import BadParties, SetupError

TEXT_LIMIT = 2**20  # characters; two thousand hosts with three names each take a quarter
DEPTH_LIMIT = 20
VALUES_LIMIT = 100_000  # with aliases written out
WRITTEN_LIMIT = 24_000  # as they stand there; two thousand hosts take a quarter to a half


class BoundedLoader(yaml.SafeLoader):
    """Composes values that are nested a little, as people write them."""

    depth = 0
    value_count = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next value; raise BadParties for one nested too deeply, or one too many."""
        self.value_count += 1
        if self.value_count > WRITTEN_LIMIT:
            line = self.get_mark().line + 1
            words = f"this has more than {WRITTEN_LIMIT} values; set up in parts"
            raise BadParties(SetupError(place="", text=words, line=line))
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            line = self.get_mark().line + 1
            raise BadParties(SetupError(place="", text="this is nested too deeply", line=line))
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


def check_text(text: str) -> None:
    """Raise BadParties for a text that is too long to be a description."""
    if len(text) > TEXT_LIMIT:
        words = f"the file is larger than {TEXT_LIMIT} characters; set up in parts"
        raise BadParties(SetupError(place="", text=words))


def check_aliases(node: yaml.Node) -> None:
    """Raise BadParties where aliases written out would be too much, or have no end."""
    _written_out(node, {})


def _written_out(node: yaml.Node, known: dict[int, int]) -> int:
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) in known:
        if not known[id(node)]:
            raise _bad(node, "this contains itself")
        return known[id(node)]
    known[id(node)] = 0
    inner = [each for pair in node.value for each in (pair if isinstance(pair, tuple) else (pair,))]
    count = 1 + sum(_written_out(each, known) for each in inner)
    if count > VALUES_LIMIT:
        raise _bad(node, f"with its aliases this has more than {VALUES_LIMIT} values")
    known[id(node)] = count
    return count


def _bad(node: yaml.Node, text: str) -> BadParties:
    return BadParties(SetupError(place="", text=text, line=node.start_mark.line + 1))
