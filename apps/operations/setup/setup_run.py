"""One run of a set-up: what it changed so far, what is shown once, and what it could not."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from apps.operations.setup.parties import OrganizationDescription, SetupError
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

COMMAND = "command"  # who did it, on the record


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupChange:
    """One line of the difference; without secrets."""

    sign: str  # + made, ~ changed, = kept although the description says otherwise
    text: str

    def __str__(self) -> str:
        return f"{self.sign} {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What is shown once: the text of a token, or the code of a link."""

    organization: str  # slug
    kind: str  # token, link
    name: str
    clear_text: str = field(repr=False)


@dataclass(slots=True, kw_only=True)
class SetupRun:
    """What a run gathers."""

    now: datetime
    is_simulated: bool = False
    gives_links: bool = True
    changes: list[SetupChange] = field(default_factory=list)
    secrets: list[Secret] = field(default_factory=list, repr=False)
    faults: list[SetupError] = field(default_factory=list)

    def made(self, text: str) -> None:
        """Tell of something new."""
        self.changes.append(SetupChange(sign="+", text=text))

    def changed(self, text: str) -> None:
        """Tell of something that is different now."""
        self.changes.append(SetupChange(sign="~", text=text))

    def kept(self, text: str) -> None:
        """Tell of something that stays, although the description says otherwise."""
        self.changes.append(SetupChange(sign="=", text=text))

    def show_once(self, organization: Organization, kind: str, name: str, clear_text: str) -> None:
        """Keep what the person at the terminal has to take now."""
        self.secrets.append(
            Secret(organization=organization.slug, kind=kind, name=name, clear_text=clear_text)
        )

    def refuse(self, party: OrganizationDescription, name: str, text: str) -> None:
        """Note why nothing can be made; the run goes on, to find the other reasons."""
        self.faults.append(SetupError(place=f"{party.place or party.slug}.{name}", text=text))

    def note(self, organization: Organization, action: str, subject: str) -> None:
        """Append what was done to the organization's record."""
        with organization_scope(organization.pk):
            act = AuditAction(action=action, subject=subject, actor=COMMAND)
            record(organization_id=organization.pk, act=act, now=self.now)


def listed(words: Sequence[str]) -> str:
    """Return words with commas."""
    return ", ".join(words) or "nothing"
