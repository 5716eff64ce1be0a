"""Terms to begin with, by the parts of both sides: one TOML file a preset."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from apps.sharing.terms import SharingRule, read_terms

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementSide:
    """One side of an agreement: what it is to the cluster, and the layers it answers for."""

    slug: str
    parts: frozenset[str]
    layers: frozenset[str]


def preset_names() -> tuple[str, ...]:
    """Return the presets there are, the one that is offered first in front."""
    return tuple(sorted(_presets(), key=lambda name: _presets()[name]["position"]))


def preset_terms(
    *, name: str, sides: tuple[AgreementSide, AgreementSide]
) -> dict[str, tuple[SharingRule, ...]]:
    """Return what each side gives by a preset. Raises KeyError for one that is not there."""
    preset = _presets()[name]
    first, second = sides
    return {
        giver.slug: _given(preset, giver=giver, reader=reader)
        for giver, reader in ((first, second), (second, first))
    }


def _given(
    preset: Mapping[str, Any], *, giver: AgreementSide, reader: AgreementSide
) -> tuple[SharingRule, ...]:
    """Return the rules of every pair of parts; of two for the same the one that shows more."""
    found: dict[tuple[str, str], SharingRule] = {}
    for block in preset["gives"]:
        if not (giver.parts & {*block["from"]} and reader.parts & {*block["to"]}):
            continue
        for told in block["rules"]:
            for rule in _named(told, giver=giver, reader=reader):
                key = (rule.data, rule.where)
                if key not in found or found[key].level.rank < rule.level.rank:
                    found[key] = rule
    return tuple(found.values())


def _named(
    told: Mapping[str, Any], *, giver: AgreementSide, reader: AgreementSide
) -> Iterable[SharingRule]:
    family, _, part = told["data"].partition(":")
    layers = {"reader": reader.layers, "giver": giver.layers}.get(part)
    classes = [told["data"]] if layers is None else [f"{family}:{each}" for each in sorted(layers)]
    rules = [dict(told) | {"data": each} for each in classes]
    return read_terms({"it": rules}, sides=["it"])["it"]


@cache
def _presets() -> Mapping[str, Mapping[str, Any]]:
    return {path.stem: tomllib.loads(path.read_text()) for path in FOLDER.glob("*.toml")}
