"""What else a session is called: a job has a number within Slurm (815) beside a name (812_3).

Whoever labels a log knows one of them. Who runs the scheduler says that they are one.
"""

from django.db import IntegrityError, transaction
from django.db.models import Q

from apps.fleet.models import Cluster, Session
from apps.fleet.sessions.session_reports import SessionReport

MOST = 64  # of one session: a heterogeneous job has two for each of its components


def called(*, name: str) -> Q:
    """Return the condition that a session goes by a name beside its own.

    In an address the plus of 812+1 is a blank, unless it is written %2B.
    """
    return Q(aliases__overlap=list({name, name.replace(" ", "+")}))


def adopt(*, cluster: Cluster, owner_id: int, report: SessionReport) -> Session | None:
    """Return the session that a label named by an alias before the report came, by its name now.

    Only one that nobody told of yet. Needs the scope of its owner.
    """
    rows = Session.objects.filter(
        cluster=cluster, organization=owner_id, scheduler="", name__in=report.aliases
    )
    found = list(rows.filter(is_asserted=False).order_by("id")[:2])
    if len(found) != 1:
        return None
    try:
        with transaction.atomic():
            Session.objects.filter(pk=found[0].pk).update(name=report.session)
    except IntegrityError:  # a label made one of that name meanwhile
        return None
    found[0].name = report.session
    return found[0]


def add(*, session: Session, report: SessionReport, is_asserted: bool) -> None:
    """Write what else a report calls the session; who runs the cluster has the stronger word.

    What a tenant alone said ends then: by it others' logs would be found for the tenant.
    """
    if not is_asserted and session.is_asserted:
        return
    row = Session.objects.select_for_update(no_key=True).get(pk=session.pk)
    former = row.aliases if row.is_asserted or not is_asserted else []
    known = list(dict.fromkeys([*former, *report.aliases]))[:MOST]
    if known != row.aliases:
        Session.objects.filter(pk=row.pk).update(aliases=known)
