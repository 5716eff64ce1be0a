"""What the simulator is told and what it remembers: var/demo.json, var/simulator/state.json."""

import json
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """Where the portal is, when it began, and each party's token."""

    base_url: str
    epoch: float
    ready_at: float
    tokens: dict[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What was sent already. Belongs to one epoch and seed; another one starts anew."""

    epoch: float
    seed: int
    live_at: float | None = None
    has_inventory: bool = False
    back_filled: tuple[str, ...] = ()  # attempt keys, and `kernel` and `late`
    shipped_until: float = 0.0


def read_demo(path: Path) -> Demo | None:
    """Return the demo's file, or nothing while it isn't there or isn't whole."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    epoch = datetime.fromisoformat(value["epoch"]).timestamp()
    ready = value.get("ready_at")
    return Demo(
        base_url=value["base_url"].rstrip("/"),
        epoch=epoch,
        ready_at=datetime.fromisoformat(ready).timestamp() if ready else epoch,
        tokens={each["slug"]: each["token"] for each in value["organizations"]},
    )


def read_state(path: Path, *, epoch: float, seed: int) -> State:
    """Return what is remembered of this epoch and seed, else a fresh state."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        state = State(**value | {"back_filled": tuple(value["back_filled"])})
    except (FileNotFoundError, json.JSONDecodeError, KeyError, TypeError):
        return State(epoch=epoch, seed=seed)
    is_same = state.epoch == epoch and state.seed == seed
    return state if is_same else State(epoch=epoch, seed=seed)


def write_state(path: Path, state: State) -> None:
    """Remember a state; a reader sees all of it or the former one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(state)), encoding="utf-8")
    partial.replace(path)


def with_live(state: State, live_at: float) -> State:
    """Return the state with the instant of the live fault decided, once and for all."""
    return state if state.live_at is not None else replace(state, live_at=live_at)
