"""TOML → Cause. Knowledge about causes; an error names the file and the entry."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from apps.diagnosis.model import Layer, Phase, Statement, statement

# Tables beside the causes.
NO_CAUSES = frozenset({"calibration.toml", "subjects.toml", "decisions.toml"})
ADVICE = frozenset({"restart", "restart-without", "fix-first", "wait", "unknown"})
PLACE = re.compile(r"\{(\w{1,20})\}")  # in a text: what the line says there
SYMPTOM_KEYS = frozenset(
    {
        "sign",
        "weight",
        "text",
        "where",
        "contains",
        "lacks",
        "signal",
        "layer",
        "lag_seconds",
        "near",
        "generic",
        "family",
    }
)


class BadCause(ValueError):
    """An entry of the causes that can't be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseSymptom:
    """What speaks for a cause (positive weight) or against it, in log-odds."""

    sign: str
    weight: float
    text: str
    where: Mapping[str, tuple[str, ...]]  # field of the event → accepted values
    contains: str = ""  # part of the line, lower case
    lacks: tuple[str, ...] = ()  # no part of the line, lower case
    signal: str = ""  # part of the metric signal's name
    layer: str = ""  # layer of the anomaly
    lag_seconds: float = 0.0  # how long after the cause this is printed at the latest
    near: str = ""  # counts only when this sign stands on the same host
    is_generic: bool = False
    family: str = ""  # symptoms of one family tell the same fact, whoever tells it


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionWhere:
    """What is to be done instead of the usual where a line that speaks for a cause says so."""

    sign: str
    where: Mapping[str, tuple[str, ...]]  # field of the line → values
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """A source that would settle the question."""

    source: str
    held_by: str
    would: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One slug of the reference table with what is known about it."""

    slug: str
    layer: Layer
    means: str
    owners: tuple[str, ...]
    action: str
    restart: str
    culprit: str  # kind of the Device to blame
    prior: float
    prior_by_phase: Mapping[Phase, float]
    symptoms: tuple[CauseSymptom, ...]
    settles: tuple[Settling, ...]
    actions: tuple[ActionWhere, ...] = ()  # the first that fits goes before `action`
    # family of what speaks most for it → what holds instead of `restart`
    restart_by: Mapping[str, str] = field(default_factory=dict)

    def symptom_fact(self, *, symptom: CauseSymptom, fields: Mapping[str, str]) -> Statement:
        """Return what was observed: which symptom, and what a line says in its places."""
        alike = [one for one in self.symptoms if one.sign == symptom.sign]
        told = tuple((name, fields[name]) for name in PLACE.findall(symptom.text) if name in fields)
        return statement(
            "symptom",
            cause=self.slug,
            sign=symptom.sign,
            number=alike.index(symptom),
            fields=told,
        )

    @property
    def usual_action(self) -> Statement:
        """Return what is to be done where no line says anything else."""
        return statement("cause-action", cause=self.slug, number=0)

    def action_by(self, *, told: Iterable[tuple[str, Mapping[str, str]]]) -> Statement:
        """Return what is to be done by what lines say: the signature and the fields of each."""
        lines = list(told)
        for number, one in enumerate(self.actions, start=1):
            for sign, fields in lines:
                is_meant = all(fields.get(name) in values for name, values in one.where.items())
                if sign == one.sign and is_meant:
                    return statement("cause-action", cause=self.slug, number=number)
        return self.usual_action

    def would(self, *, source: str) -> Statement:
        """Return what seeing a source that would settle it decides."""
        return statement("settles", cause=self.slug, source=source)

    def prior_in(self, phase: Phase) -> float:
        """Return the log-odds of this cause in a phase before anything was seen."""
        return self.prior_by_phase.get(phase, self.prior)


@cache
def load_causes() -> Mapping[str, Cause]:
    """Return all causes by slug, as shipped in this package."""
    causes: dict[str, Cause] = {}
    folder = files("apps.diagnosis.causes")
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".toml") and entry.name not in NO_CAUSES:
            for cause in _read(entry):
                if cause.slug in causes:
                    raise BadCause(f"{entry.name}: {cause.slug} is defined twice")
                causes[cause.slug] = cause
    return causes


@cache
def load_subjects() -> Mapping[str, re.Pattern[str]]:
    """Return what lines may speak of, for each cause that such words stand for."""
    text = files("apps.diagnosis.causes").joinpath("subjects.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return {slug: re.compile(raw["pattern"], re.IGNORECASE) for slug, raw in table.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What stated probabilities are held to."""

    most_certain: float  # no statement is surer
    open_share: float  # how often an `unknown` is right to stay open


@cache
def load_calibration() -> Calibration:
    """Return what was measured of stated probabilities."""
    text = files("apps.diagnosis.causes").joinpath("calibration.toml").read_text(encoding="utf-8")
    return Calibration(**tomllib.loads(text))


def _read(entry: Traversable) -> list[Cause]:
    table = tomllib.loads(entry.read_text(encoding="utf-8"))
    return [_cause(entry.name, slug, raw) for slug, raw in table.items()]


def _cause(file: str, slug: str, raw: Mapping[str, Any]) -> Cause:
    try:
        cause = Cause(
            slug=slug,
            layer=Layer(raw["layer"]),
            means=raw["means"],
            owners=tuple(raw["owners"]),
            action=raw["action"],
            restart=raw["restart"],
            culprit=raw["culprit"],
            prior=float(raw["prior"]),
            prior_by_phase={Phase(k): float(v) for k, v in raw.get("prior_by_phase", {}).items()},
            symptoms=tuple(_symptom(one) for one in raw["symptoms"]),
            settles=tuple(Settling(**one) for one in raw["settles"]),
            actions=tuple(_action_where(one) for one in raw.get("actions", ())),
            restart_by=dict(raw.get("restart_by", {})),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadCause(f"{file}: [{slug}]: {error!r}") from error
    for advice in (cause.restart, *cause.restart_by.values()):
        if advice not in ADVICE:
            raise BadCause(f"{file}: [{slug}]: restart = {advice!r} is not one of {sorted(ADVICE)}")
    return cause


def _action_where(raw: Mapping[str, Any]) -> ActionWhere:
    where = {name: tuple(values) for name, values in raw["where"].items()}
    return ActionWhere(sign=raw["sign"], where=where, text=raw["text"])


def _symptom(raw: Mapping[str, Any]) -> CauseSymptom:
    unknown = raw.keys() - SYMPTOM_KEYS
    if unknown:
        raise ValueError(f"unknown keys {sorted(unknown)} in a symptom")
    return CauseSymptom(
        sign=raw["sign"],
        weight=float(raw["weight"]),
        text=raw["text"],
        where={name: tuple(values) for name, values in raw.get("where", {}).items()},
        contains=raw.get("contains", "").lower(),
        lacks=tuple(one.lower() for one in raw.get("lacks", ())),
        signal=raw.get("signal", ""),
        layer=raw.get("layer", ""),
        lag_seconds=float(raw.get("lag_seconds", 0.0)),
        near=raw.get("near", ""),
        is_generic=bool(raw.get("generic", False)),
        family=raw.get("family", ""),
    )
