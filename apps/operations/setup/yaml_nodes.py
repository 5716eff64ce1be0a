"""YAML that remembers its lines: values are asked for one by one, and faults are collected."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import yaml

from apps.diagnosis.spelling import nearest
from apps.operations.setup.bounds import BoundedLoader, check_aliases, check_text
from apps.operations.setup.parties import BadParties, SetupError

PLAIN = "tag:yaml.org,2002:"
TEXTS = {f"{PLAIN}{kind}" for kind in ("str", "int", "float", "timestamp")}
SHOWN = 60
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Spot:
    """A value in the file and where it stands."""

    node: yaml.Node
    place: str

    def below(self, node: yaml.Node, name: str | int) -> "Spot":
        """Return a value inside this one."""
        inner = f"[{name}]" if isinstance(name, int) else f".{name}" if self.place else name
        return Spot(node, self.place + inner)


class YamlReader:
    """Reads values of a YAML text; what is wrong is noted in `faults` and read as nothing."""

    def __init__(self, text: str) -> None:
        """Take a text; raise BadParties for one that no YAML can be."""
        self.faults: list[SetupError] = []
        check_text(text)
        try:
            self._loader = BoundedLoader(text)
        except yaml.reader.ReaderError as error:
            sign = f"character {error.character:#x} at place {error.position}"
            raise BadParties(SetupError(place="", text=f"this is no text: {sign}")) from None

    def whole(self) -> Spot:
        """Return the document; raise BadParties for what is no YAML."""
        try:
            node = self._loader.get_single_node()
        except yaml.MarkedYAMLError as error:
            raise BadParties(_broken(error)) from None
        except yaml.YAMLError as error:
            raise BadParties(SetupError(place="", text=f"this is no YAML: {error}")) from None
        if node is None:
            raise BadParties(SetupError(place="", text="the file says nothing"))
        check_aliases(node)
        return Spot(node, "")

    def fault(self, spot: Spot, text: str) -> None:
        """Note what is wrong with a value."""
        line = spot.node.start_mark.line + 1
        self.faults.append(SetupError(place=spot.place, text=text, line=line))

    def mapping(
        self, spot: Spot, *, known: Iterable[str], needed: Iterable[str] = ()
    ) -> dict[str, Spot]:
        """Return the values of these names; others, doubles and missing ones are faults."""
        found = self.pairs(spot)
        known, needed = list(known), list(needed)
        for name in [name for name in found if name not in known]:
            self.fault(found.pop(name), f"unknown name {one_of(name, known)}")
        for name in [name for name in needed if name not in found]:
            self.fault(spot, f"`{name}` is missing")
        return found

    def pairs(self, spot: Spot) -> dict[str, Spot]:
        """Return the values by name, whatever the names are."""
        if not isinstance(spot.node, yaml.MappingNode):
            self.fault(spot, f"this must be names with values (name: value), not {_kind(spot)}")
            return {}
        seen: dict[str, Spot] = {}
        for key, value in spot.node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.fault(Spot(key, spot.place), "a name must be one word")
                return {}
            inner = spot.below(value, str(key.value))
            if key.value in seen and key.tag != f"{PLAIN}merge":
                self.fault(Spot(key, inner.place), "it stands here twice")
            seen[str(key.value)] = inner
        self._loader.flatten_mapping(spot.node)
        return {str(key.value): spot.below(value, str(key.value)) for key, value in spot.node.value}

    def items(self, spot: Spot | None) -> list[Spot]:
        """Return the values of a list; nothing where there is none."""
        if spot is None:
            return []
        if not isinstance(spot.node, yaml.SequenceNode):
            self.fault(spot, f"this must be a list ([one, two]), not {_kind(spot)}")
            return []
        return [spot.below(node, place) for place, node in enumerate(spot.node.value)]

    def text(self, spot: Spot | None, *, most: int = 500) -> str:
        """Return one line of text as it is written, empty where there is none."""
        if spot is None:
            return ""
        if not isinstance(spot.node, yaml.ScalarNode):
            self.fault(spot, f"this must be one text, not {_kind(spot)}")
            return ""
        value = str(spot.node.value).strip()
        if not value:
            self.fault(spot, "this is empty")
        elif spot.node.tag not in TEXTS:
            self.fault(spot, f"{value} is no text to YAML; write it in quotes")
        elif len(value) > most or not value.isprintable():
            self.fault(spot, f"this must be one line of at most {most} characters")
        else:
            return value
        return ""

    def number(self, spot: Spot | None, *, least: int, most: int) -> int | None:
        """Return a whole number, None where there is none."""
        if spot is None:
            return None
        text = spot.node.value if isinstance(spot.node, yaml.ScalarNode) else ""
        is_number = str(text).isascii() and str(text).isdigit() and len(text) <= len(str(most))
        if not is_number or not least <= int(text) <= most:
            self.fault(spot, f"this must be a whole number from {least} to {most}")
            return None
        return int(text)

    def flag(self, spot: Spot | None) -> bool | None:
        """Return yes or no; None where nothing is said."""
        if spot is None:
            return None
        if spot.node.tag != "tag:yaml.org,2002:bool":
            self.fault(spot, "say true or false")
            return None
        return str(spot.node.value).lower() in {"true", "yes", "on"}

    def choice(self, spot: Spot, *, what: str, among: Sequence[str]) -> str:
        """Return one of some words."""
        value = self.text(spot)
        if value and value not in among:
            self.fault(spot, f"unknown {what} {one_of(value, among)}")
            return ""
        return value

    def checked(self, spot: Spot, check: Callable[[], Value]) -> Value | None:
        """Return what a check of the portal returns; its refusal is a fault."""
        try:
            return check()
        except ValueError as error:
            self.fault(spot, str(error)[:300])
            return None


def one_of(value: str, among: Sequence[str]) -> str:
    """Return `'operater'; one of operator, tenant …; did you mean 'operator'?`."""
    close = nearest(word=value, known=among)
    meant = f"; did you mean '{close}'?" if close else ""
    return f"'{value[:SHOWN]}'; one of {', '.join(among)}{meant}"


def _kind(spot: Spot) -> str:
    names = {"MappingNode": "names with values", "SequenceNode": "a list"}
    return names.get(type(spot.node).__name__, "one value")


def _broken(error: yaml.MarkedYAMLError) -> SetupError:
    mark = error.problem_mark or error.context_mark
    began = error.context_mark
    since = f" ({error.context}, begun in line {began.line + 1})" if began and error.context else ""
    hint = "; YAML takes no tabs: indent with spaces" if "\\t" in (error.problem or "") else ""
    return SetupError(
        place="",
        text=f"the YAML is broken or not whole here: {error.problem}{since}{hint}",
        line=mark.line + 1 if mark else None,
    )
