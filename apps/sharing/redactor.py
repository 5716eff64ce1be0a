"""What hides in what a holder shows: pseudonyms, and what its reader knows anyway."""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from django.db.models import Q, QuerySet

from apps.diagnosis.model import Device
from apps.fleet.models import Attempt, Mount, Node, Session
from apps.sharing.grant_values import Grant
from apps.sharing.models import PseudonymKey
from apps.sharing.redaction.draft import RedactedText
from apps.sharing.redaction.fields import FactRedactor
from apps.sharing.redaction.kinds import Kind, Treatment
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.profiles.load import Profile, load_profiles
from apps.sharing.redaction.pseudonyms import Pseudonyms
from apps.sharing.redaction.remembered import compiled_names, fact_redactor, with_hosts
from apps.sharing.redaction.text import redact_text
from apps.sharing.terms import Level
from apps.tenancy.credentials import unseal

# What who runs the cluster, or what runs on it, calls by name itself.
OF_THE_CLUSTER: Final = (Kind.HOST, Kind.ADDRESS, Kind.HARDWARE, Kind.GPU, Kind.PCI)
MOST_ATTEMPTS: Final = 50  # that the holder knows, the newest
MOST_SESSIONS: Final = 500  # that the holder knows whose names are looked for, the newest
KEY_BYTES: Final = 32
NO_NAMES: Final = KnownNames()  # one for all: what looks for names is made once
# What gives access is nobody else's at any level.
SECRETS_ALONE: Final = Profile(
    name="full",
    treatments=MappingProxyType(
        {kind: Treatment.CUT if kind is Kind.SECRET else Treatment.KEEP for kind in Kind}
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderNames:
    """What a reader calls by name already; hiding it would only cost the connection."""

    parts: frozenset[str]  # its parts in the cluster
    hosts: frozenset[str]  # of its own sessions, and those that its header names
    knows_all_hosts: bool  # it runs the cluster, or what runs on it


class NameRedactor(ABC):
    """What is shown of a holder's things in a cluster. Needs the holder's scope."""

    def __init__(
        self, *, cluster_id: int, readers: Collection[int], reader: ReaderNames, hit: QuerySet[Any]
    ) -> None:
        """`hit` are ids of the sessions that it is about: their names are hidden, however old.

        Those of `readers` are not: all who read know them.
        """
        self._cluster_id, self._readers, self._reader = cluster_id, readers, reader
        self._hit = hit

    @cached_property
    @abstractmethod
    def pseudonyms(self) -> Pseudonyms:
        """Return what stands for names."""

    @cached_property
    @abstractmethod
    def chosen_profile(self) -> Profile:
        """Return what is done about each kind, before what the reader knows anyway."""

    def way(self, level: Level) -> Hashable:
        """Return what is equal only where every statement and fact is redacted alike."""
        return self._facts(level)

    def statement(self, told: Mapping[str, Any], level: Level) -> dict[str, Any]:
        """Return a statement, as JSON holds it, as it is shown at a level."""
        return self._facts(level).stored_statement(told)

    def fact(self, told: Mapping[str, Any] | None, level: Level) -> dict[str, Any] | None:
        """Return what a line or a measurement says in typed values."""
        return None if told is None else self._facts(level).fact(told)

    def text(self, text: str, level: Level) -> str:
        """Return a line."""
        return with_hosts(self.marked_text(text, level).text, hosts=self._hosts)

    def marked_text(self, text: str, level: Level) -> RedactedText:
        """Return lines, and where in them something stands in the place of what was hidden."""
        return redact_text(text, **self._how(level))

    def host(self, name: str, level: Level) -> str:
        """Return the name of a host, or what stands for it."""
        return self._facts(level).text("host", name)

    def signal(self, name: str, level: Level) -> str:
        """Return what a series is called: `nfs.latency[/mnt/solar]` names a mount."""
        return self._facts(level).text("signal", name)

    def device(self, device: Device, level: Level) -> Device:
        """Return a part of a host, or what stands for it."""
        told = {"host": device.host, "uuid": device.uuid, "pci": device.pci}
        name = self.text(device.name, level) if device.name else device.name
        return replace(device, **(self.fact(told, level) or {}), name=name)

    def _how(self, level: Level) -> Any:
        if level is Level.FULL:
            return {
                "pseudonyms": self.pseudonyms, "known": NO_NAMES, "profile": SECRETS_ALONE,
            }  # fmt: skip
        return {"pseudonyms": self.pseudonyms, "known": self.known, "profile": self._profile}

    def _facts(self, level: Level) -> FactRedactor:
        is_full = level is Level.FULL
        return self._facts_in_full if is_full else self._facts_redacted

    @cached_property
    def _facts_in_full(self) -> FactRedactor:
        return fact_redactor(**self._how(Level.FULL), opened=self._hosts)

    @cached_property
    def _facts_redacted(self) -> FactRedactor:
        return fact_redactor(**self._how(Level.REDACTED), opened=self._hosts)

    @cached_property
    def _hosts(self) -> Mapping[str, str]:
        return {self.pseudonyms.name(Kind.HOST, each): each for each in self._reader.hosts}

    @cached_property
    def _profile(self) -> Profile:
        if not self._reader.knows_all_hosts:
            return self.chosen_profile
        kept = dict.fromkeys(OF_THE_CLUSTER, Treatment.KEEP)
        treatments = MappingProxyType({**self.chosen_profile.treatments, **kept})
        return replace(self.chosen_profile, treatments=treatments)

    @cached_property
    def known(self) -> KnownNames:
        """Return what the holder knows by name in the cluster and the reader need not."""
        nodes = Node.objects.filter(cluster=self._cluster_id).values_list("name", "aliases")
        hosts = dict(nodes)
        mounts = Mount.objects.filter(cluster=self._cluster_id).values_list("path", flat=True)
        # Also of others: a scheduler's log names the sessions of all tenants.
        sessions = Session.objects.filter(cluster=self._cluster_id)
        sessions = sessions.exclude(organization__in=self._readers).order_by("-id")
        newest = Q(pk__in=sessions.values("pk")[:MOST_SESSIONS])
        about = sessions.filter(newest | Q(pk__in=self._hit))
        names = about.values_list("name", "job", "project")
        attempts = Attempt.objects.filter(session__cluster=self._cluster_id).order_by("-id")
        recent = Q(pk__in=attempts.values("pk")[:MOST_ATTEMPTS])
        ran_on = attempts.filter(recent | Q(session__in=self._hit))
        lists = ran_on.values_list("hosts", flat=True)
        known = KnownNames(
            hosts=frozenset(hosts).union(*lists),
            aliases={alias: host for host, aliases in hosts.items() for alias in aliases},
            mounts=frozenset(mounts),
            sessions=frozenset(name for name, _, _ in names if name),
            jobs=frozenset(each for _, *told in names for each in told if each),
        )
        return compiled_names(known)


class Redactor(NameRedactor):
    """The same under one agreement, by its key."""

    def __init__(
        self, *, grant: Grant, cluster_id: int, reader: ReaderNames, hit: QuerySet[Any]
    ) -> None:
        super().__init__(cluster_id=cluster_id, readers={grant.reader_id}, reader=reader, hit=hit)
        self._grant = grant

    @cached_property
    def pseudonyms(self) -> Pseudonyms:
        """Return those of the agreement; where it has none before it is signed, passing ones."""
        keys = PseudonymKey.objects.for_organization(self._grant.holder.id)
        key = keys.filter(agreement=self._grant.agreement_id).first()
        if key is None and self._grant.is_proposed:
            return Pseudonyms(secrets.token_bytes(KEY_BYTES))
        if key is None:
            raise PseudonymKey.DoesNotExist
        return Pseudonyms(bytes.fromhex(unseal(sealed=key.secret)))

    @cached_property
    def chosen_profile(self) -> Profile:
        """Return the one for vendors where the reader is nothing else."""
        parts = self._reader.parts
        is_vendor = bool(parts) and all(part.endswith("_vendor") for part in parts)
        return load_profiles()["support" if is_vendor else "operations"]
