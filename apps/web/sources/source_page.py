"""The page of one source."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.web.sources.page import MetricsTold


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """Whether a metrics source answers, in words."""

    state: str  # waiting fresh stale off
    text: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFields:
    """The form of a metrics source, as it is filled in. The secret never comes back."""

    name: str = ""
    url: str = ""
    auth: str = "none"
    cluster: str = ""
    verify_tls: bool = True
    ca_pem: str = ""
    allowed_networks: str = ""  # one per line
    label_map: str = ""  # one label=meaning per line
    zone: str = ""
    is_enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage:
    """A metrics source: how it answers, and the form that an admin changes it with."""

    title: str
    fields: SourceFields
    clusters: tuple[tuple[str, str], ...]  # slug, name
    can_manage: bool
    admins: str
    public_id: str = ""  # empty for one that is to be added
    cluster: str = ""
    state: SourceState | None = None
    has_secret: bool = False
    problems: Mapping[str, str] = field(default_factory=dict)
    told: MetricsTold | None = None  # None: it was never read
    is_pushed: bool = False  # it is sent what it has; its address is where that goes on to
    remarks: tuple[str, ...] = ()
