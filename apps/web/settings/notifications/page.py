"""What the tab of notifications shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FormChoice:
    """One thing to choose."""

    value: str
    name: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceFields:
    """What a form about being told shows, for a person or the webhook."""

    kinds: tuple[FormChoice, ...]
    minimum: tuple[FormChoice, ...]
    clusters: tuple[FormChoice, ...]  # empty where there is nothing to choose


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterForm:
    """What a person is told of by e-mail."""

    told: ChoiceFields
    rhythm: tuple[FormChoice, ...]
    at_night: tuple[FormChoice, ...]
    zone: str
    quiet_from: str
    quiet_until: str
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookForm:
    """The webhook's address and what is sent there."""

    told: ChoiceFields
    url: str = ""
    networks: str = ""
    is_enabled: bool = True
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookState:
    """How the webhook stands."""

    state: str  # fresh stale waiting off
    text: str
    detail: str = ""
    paused_because: str = ""
    both_until: str = ""  # until when the former secret signs, too


@dataclass(frozen=True, slots=True, kw_only=True)
class TryRow:
    """One try of a delivery."""

    at: datetime
    text: str
    next_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """One line of the log."""

    public_id: str
    what: str
    about: str  # the incident's id, or nothing
    to: str
    state: str
    state_text: str
    at: datetime
    next_at: datetime | None
    tries: tuple[TryRow, ...]
    can_be_sent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationsPage:
    """The whole tab; what only admins see is empty for others."""

    address: str
    is_confirmed: bool
    is_mail_set_up: bool
    letters: LetterForm
    can_manage: bool
    hook: HookForm | None = None
    hook_state: HookState | None = None  # None: there is no webhook yet
    made_secret: str = ""
    log: tuple[DeliveryRow, ...] = ()
    failed: str = ""
