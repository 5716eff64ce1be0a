"""The parts that the evidence of a hypothesis names, of the kind that its cause names."""

import re
from collections.abc import Sequence
from dataclasses import replace

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.model import Device, Evidence, Hypothesis, Mark, Stream, Topology
from apps.diagnosis.reasoning.verdict.culprits.evidence_parts import fields_of, part_of, rank_of
from apps.diagnosis.reasoning.verdict.culprits.same_parts import (
    keep_narrowest,
    merge_parts,
    place_parts,
    with_known_names,
)
from apps.diagnosis.signatures.marks import marked

MOST = 8
# A disk inside the host, whatever the file system on it is called.
LOCAL_DISK = marked(Mark.LOCAL_DISK)
# Where distributions and vendors put the disks and the memory of the host itself.
INSIDE = re.compile(
    r"/(?:local|tmp|var|nvme|ssd|raid|disk\d|dev/shm|mnt/(?:local|nvme|ssd|raid|resource))"
    r"[\w-]{0,40}(?:/|$)",
    re.ASCII,
)
# The host's own on some clusters, shared on others.
EITHER = re.compile(r"/scratch(?:/|$)", re.ASCII)
FULL = "disk-full"
# Parts of no single host.
SHARED = frozenset({"server", "mount", "program"})
# What a process sees of the host it runs on.
SEEN_BY_PROCESSES = frozenset({"node", "gpu"})


def culprits(
    *,
    cause: Cause,
    hypothesis: Hypothesis,
    hosts: Sequence[str],
    topology: Topology,
    left_on: str | None = None,
    is_shared: bool = False,
) -> tuple[Device, ...]:
    """Return the parts to blame: the kind the cause names, on the hosts of its evidence.

    `left_on` is the only host where a process left with an error of its own, all others having
    been ended: an error that says neither host nor rank is of that process. `is_shared`: most ranks
    failed alike, so that none of them is to blame.
    """
    if is_shared and cause.culprit == "rank":
        return ()
    if left_on and not hosts and cause.culprit in SEEN_BY_PROCESSES and _is_anonymous(hypothesis):
        return (Device(kind="node", host=left_on),)
    found: list[Device] = []
    kind, own_disks = cause.culprit, _own_disks(hypothesis)
    for evidence in hypothesis.supporting:
        if evidence.host and evidence.host not in hosts:
            continue
        is_own = kind in {"server", "mount"} and evidence.host in own_disks
        device = part_of("node" if is_own else kind, evidence, topology)
        if device is not None:
            host = _host_of_path(cause, device, evidence, hosts or [left_on] * bool(left_on))
            found.append(with_known_names(replace(device, host=device.host or host), topology))
    named = keep_narrowest(place_parts(merge_parts(found)))
    covered = {device.host for device in named}
    rest = [Device(kind="node", host=host) for host in hosts if host not in covered]
    # What only one host misses is that host, unless a shared part is named.
    is_shared = cause.culprit in SHARED and (bool(named) or len(hosts) != 1)
    return tuple([*named, *(() if is_shared else rest)][:MOST])


def _host_of_path(
    cause: Cause, device: Device, evidence: Evidence, hosts: Sequence[str | None]
) -> str | None:
    """Return the host on which a path is, if it is on one.

    A path is the same to all who share it; what one host alone can't read is on it. A file system
    that is full is so for all: there its name has to tell that it is inside the host, or be one of
    those that are either. A mount that the inventory knows is called by itself, not by the path.
    """
    path = fields_of(evidence).get("path")
    if path is None or device.name != path or len(hosts) != 1:
        return None
    is_inside = INSIDE.match(path) or EITHER.match(path)
    return hosts[0] if cause.slug != FULL or is_inside else None


def _is_anonymous(hypothesis: Hypothesis) -> bool:
    """Say whether lines speak for it, all of sessions, and none says where or of which rank."""
    told = hypothesis.supporting
    return bool(told) and all(
        one.event is not None
        and one.host is None
        and rank_of(one) is None
        and (one.event.line.origin.stream or one.event.line.stream) in {Stream.SESSION, None}
        for one in told
    )


def _own_disks(hypothesis: Hypothesis) -> frozenset[str]:
    """Return the hosts whose own disks failed: what their files miss is no server's fault."""
    return frozenset(
        one.host
        for one in hypothesis.supporting
        if one.host and one.event and one.event.signature in LOCAL_DISK
    )
