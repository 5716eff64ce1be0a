"""Drop files, see what was taken, and be led to the incident they tell of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods

from apps.fleet.access import access_cluster, access_clusters
from apps.incidents.listing import incidents_of_sessions
from apps.incidents.reading import read_headers
from apps.incidents.words import shown_name, title_of
from apps.telemetry.accept import UPLOAD, Receipt, accept
from apps.telemetry.formats import coding
from apps.telemetry.formats import upload as formats
from apps.telemetry.formats.labels import BadLabels
from apps.telemetry.formats.lines import Archive, Complaints, NoText, NothingUsable, Piece, TooBig
from apps.telemetry.intake import Outcome, outcome_of
from apps.telemetry.room import DiskFull, OverQuota, StorageFull
from apps.telemetry.turns import turn
from apps.tenancy.access import Right
from apps.tenancy.audit import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web.compose.endings import ending_texts
from apps.web.pages import FileResult, UploadPage, UploadProgress
from apps.web.shell import show

LABELS = ("session", "host", "stream", "tz")
STREAMS = ("session", "kernel", "scheduler", "storage", "fabric", "bmc")
QUIET_AFTER = timedelta(seconds=20)
PROBLEMS_SHOWN = 10
UNREADABLE = gettext_lazy("Nothing in these files can be read as lines of a log.")
# The first kind that an error is of says what to do.
PROBLEMS: dict[type[Exception], object] = {
    TooBig: gettext_lazy("These files unpack to more than %(limit)s MiB. Send them in parts."),
    StorageFull: gettext_lazy("Your organization keeps as much as it may: see Settings, Keeping."),
    DiskFull: gettext_lazy(
        "The portal's disk is nearly full. Nothing was stored; try again later."
    ),
    OverQuota: gettext_lazy("Too much waits to be read already. Try again in a minute."),
    Archive: gettext_lazy(
        "A tar or zip is not taken here. Choose the files in it, as many as you like, or read "
        "a tar with manage.py diagnose. Nothing was stored."
    ),
    NoText: gettext_lazy(
        "One of these files is no log but a picture, a program, a document, a database, or packed "
        "in a way that is not read here. Choose files of text. Nothing was stored."
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the form, or take files and lead to what became of them."""
    now = timezone.now()
    result = None
    if request.method == "POST":
        request.actor.require(Right.ACT)
        result = _take(request, now=now)
        if result.batch and not result.rejected:
            return redirect("web:upload_progress", org, result.batch)
    page = UploadPage(
        clusters=tuple(cluster.slug for cluster in access_clusters(actor=request.actor)),
        limit=f"{settings.PORTAL_MAX_BODY_BYTES // 2**20} MiB",
        result=result,
    )
    return show(request, "web/upload.html", section="upload", now=now, page=page, streams=STREAMS)


@require_GET
def progress(request: OrganizationRequest, org: str, batch_id: str) -> HttpResponse:
    """Show how far the reading of a batch is; as a fragment for whoever waits."""
    now = timezone.now()
    outcome = outcome_of(actor=request.actor, public_id=batch_id)
    state = _progress(request, outcome=outcome, now=now)
    if request.headers.get("HX-Request"):
        return render(
            request,
            "web/parts/progress.html",
            {"progress": state, "org": request.actor.organization.slug},
        )
    return show(
        request,
        "web/upload_progress.html",
        section="upload",
        now=now,
        progress=state,
        org=request.actor.organization.slug,
    )


def _take(request: OrganizationRequest, *, now: datetime) -> FileResult:
    """Store the files and say what became of them, in words."""
    complaints = Complaints()
    try:
        receipt = _accept(
            request, files=request.FILES.getlist("files"), complaints=complaints, now=now
        )
    except (TooBig, OverQuota, BadLabels, NothingUsable) as error:
        return FileResult(problem=_problem(error))
    if receipt is None and complaints.part_refusal:
        return FileResult(problem=_("Not taken: %(why)s") % {"why": complaints.part_refusal})
    if receipt is not None:
        record_act(
            actor=request.actor,
            action="source.uploaded",
            subject=receipt.batch,
            request=request,
            now=now,
        )
    if receipt is None:
        return FileResult(problem=_("Choose at least one file that holds lines of a log."))
    return FileResult(
        batch=receipt.batch,
        kept=_lines_kept(receipt.accepted),
        duplicates=f"{receipt.duplicates:,}",
        rejected=tuple(
            f"line {each.line}: {each.detail}" for each in complaints.kept[:PROBLEMS_SHOWN]
        ),
    )


def _lines_kept(count: int) -> str:
    text = ngettext("%(n)s line is kept.", "%(n)s lines are kept.", count)
    return text % {"n": f"{count:,}"}


def _problem(error: Exception) -> str:
    limit = settings.PORTAL_MAX_DECODED_BYTES // 2**20
    text = next((text for kind, text in PROBLEMS.items() if isinstance(error, kind)), UNREADABLE)
    return str(text) % {"limit": limit}


def _accept(
    request: OrganizationRequest,
    *,
    files: Sequence[UploadedFile[Any]],
    complaints: Complaints,
    now: datetime,
) -> Receipt | None:
    slug = request.POST.get("cluster", "")
    cluster = access_cluster(actor=request.actor, slug=slug) if slug else None
    said = {name: request.POST.get(name, "").strip() for name in LABELS}
    said = {name: value for name, value in said.items() if value}
    pieces = _pieces(files=files, said=said, complaints=complaints)
    own = turn(request.actor.organization.pk, seconds=0)
    with own, transaction.atomic():  # a file that is refused leaves nothing of those before it
        return accept(
            organization_id=request.actor.organization.pk,
            cluster_id=cluster.pk if cluster else None,
            protocol=UPLOAD,
            pieces=pieces,
            complaints=complaints,
            now=now,
        )


def _pieces(
    *, files: Sequence[UploadedFile[Any]], said: dict[str, str], complaints: Complaints
) -> Iterator[Piece]:
    """Yield the lines of all files; the good part of a torn one is kept."""
    for file in files:
        yield from formats.read_file(
            source=coding.steps(body=file, limit=settings.PORTAL_MAX_BODY_BYTES),
            labels=formats.labels_of_file(name=file.name or "", said=said),
            limit=settings.PORTAL_MAX_DECODED_BYTES,
            complaints=complaints,
        )


def _progress(request: OrganizationRequest, *, outcome: Outcome, now: datetime) -> UploadProgress:
    batch, sessions = outcome.batch, list(outcome.sessions)
    actor = request.actor
    found = list(incidents_of_sessions(actor=actor, sessions=sessions)[:1])
    headers = read_headers(actor=actor, incidents=found)
    header = headers[0] if headers else None
    since = batch.finished_at or batch.received_at
    if header:
        state, text = "found", title_of(header)
    elif batch.state == "dead":
        state, text = (
            "failed",
            _("These lines could not be read. They are kept: an upgrade tries them once more."),
        )
    elif batch.state == "accepted":
        state, text = "reading", _("Reading the lines…")
    elif now - since < QUIET_AFTER:
        state, text = "reading", _("Read. Looking for what broke…")
    else:
        endings = ending_texts(actor=actor, sessions=sessions)
        state = "ended" if endings else "quiet"
        text = " ".join(endings) or _("Read. Nothing in them says that a session stopped.")
    return UploadProgress(
        batch=batch.public_id,
        state=state,
        text=text,
        kept=_lines_kept(batch.line_count),
        incident=header.incident.public_id if header else "",
        session=sessions[0].public_id if sessions else "",
        session_name=shown_name(sessions[0]) if sessions else "",
        reason=batch.error if state == "failed" else "",
        is_done=state != "reading",
    )
