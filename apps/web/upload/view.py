"""Drop files, see what was taken, and be led to the incident they tell of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods

from apps.fleet.access import access_cluster, access_clusters
from apps.incidents.facade.reads import incidents_of_sessions
from apps.incidents.words import shown_name, title_of
from apps.telemetry.formats import label_parameters
from apps.telemetry.formats.file_sets import ChosenFile, read_files
from apps.telemetry.formats.labels import BadLabels
from apps.telemetry.formats.lines.complaints import Complaints, Rejected, TooBig
from apps.telemetry.limits.push_turns import turn
from apps.telemetry.limits.storage_limits import DiskFull, OverQuota, StorageFull
from apps.telemetry.logs.accept import UPLOAD, Receipt, accept
from apps.telemetry.status.intake import BatchOutcome, outcome_of
from apps.tenancy.access import Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.shell.render import show
from apps.web.upload.endings import ending_texts
from apps.web.upload.page import FileResult, UploadChoice, UploadPage, UploadProgress
from apps.web.upload.pasted_lines import MOST_CHARACTERS, chosen_files

LABELS = ("session", "host", "stream", "tz")
STREAMS = ("session", "kernel", "scheduler", "storage", "fabric", "bmc")
LINES = "lines"  # pasted
QUIET_AFTER = timedelta(seconds=20)
PROBLEMS_SHOWN = 10
# The first kind that an error is of says what to do.
PROBLEMS: dict[type[Exception], object] = {
    TooBig: gettext_lazy(
        "%(file)s: a file is taken up to %(packed)s MiB and %(limit)s MiB unpacked. "
        "Nothing was stored."
    ),
    StorageFull: gettext_lazy("Your organization keeps as much as it may: see Settings, Keeping."),
    DiskFull: gettext_lazy(
        "The portal's disk is nearly full. Nothing was stored; try again later."
    ),
    OverQuota: gettext_lazy("Too much waits to be read already. Try again in a minute."),
}


@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the form, or take files and lead to what became of them."""
    now = timezone.now()
    result = None
    if request.method == "POST":
        request.actor.require(Right.ACT)
        result = _take(request, now=now)
        if result.batch and not result.rejected and not result.left_out:
            return redirect("web:upload_progress", org, result.batch)
    page = UploadPage(
        clusters=tuple(
            UploadChoice(value=cluster.slug, name=cluster.name)
            for cluster in access_clusters(actor=request.actor)
        ),
        streams=tuple(
            UploadChoice(value=each, name=words.said(words.INTAKES, each, "")) for each in STREAMS
        ),
        most_characters=MOST_CHARACTERS,
        limit=f"{settings.PORTAL_MAX_BODY_BYTES // 2**20} MiB",
        result=result,
        said={name: request.POST.get(name, "") for name in (*LABELS, "cluster", LINES)},
    )
    return show(request, "web/upload/page.html", section="upload", now=now, page=page)


@require_GET
def progress(request: OrganizationRequest, org: str, batch_id: str) -> HttpResponse:
    """Show how far the reading of a batch is; as a fragment for whoever waits."""
    now = timezone.now()
    outcome = outcome_of(actor=request.actor, public_id=batch_id)
    state = _progress(request, outcome=outcome, now=now)
    if request.headers.get("HX-Request"):
        return render(
            request,
            "web/upload/progress.html",
            {"progress": state, "org": request.actor.organization.slug},
        )
    return show(
        request,
        "web/upload/progress_page.html",
        section="upload",
        now=now,
        progress=state,
        org=request.actor.organization.slug,
    )


def _take(request: OrganizationRequest, *, now: datetime) -> FileResult:
    """Store the files and say what became of them, in words."""
    complaints = Complaints()
    files = chosen_files(files=request.FILES.getlist("files"), lines=request.POST.get(LINES, ""))
    try:
        receipt = _accept(request, files=files, complaints=complaints, now=now)
    except BadLabels as error:
        return FileResult(problem=_("Not taken: %(why)s") % {"why": error})
    except (TooBig, OverQuota) as error:
        return FileResult(problem=_problem(error, file=complaints.file))
    left_out = _left_out(complaints)
    if receipt is None:
        return FileResult(problem=_nothing_kept(complaints), left_out=left_out)
    record_act(
        actor=request.actor,
        action="source.uploaded",
        subject=receipt.batch,
        request=request,
        now=now,
    )
    return FileResult(
        batch=receipt.batch,
        kept=_lines_kept(receipt.accepted),
        duplicates=f"{receipt.duplicates:,}",
        rejected=tuple(map(_told, complaints.kept[:PROBLEMS_SHOWN])),
        left_out=left_out,
    )


def _nothing_kept(complaints: Complaints) -> str:
    if complaints.part_refusal:
        return _("Not taken: %(why)s") % {"why": complaints.part_refusal}
    if complaints.left_out:
        return _("None of these files is a log. Nothing was stored.")
    return _("Choose at least one file that holds lines of a log, or paste lines.")


def _left_out(complaints: Complaints) -> tuple[str, ...]:
    """Return each file of which nothing is kept, and why."""
    listed = complaints.left_out[:PROBLEMS_SHOWN]
    more = complaints.left_out_count - len(listed)
    rest = ngettext("and %(n)s more", "and %(n)s more", more) % {"n": f"{more:,}"}
    return (*(f"{each.file}: {_why(each)}" for each in listed), *([rest] if more else []))


def _why(refusal: Rejected) -> str:
    """Return why a file is left out, in the reader's language."""
    if refusal.why is None or not refusal.why.text:
        return refusal.detail
    values = {name: _(value) for name, value in refusal.why.values.items()}
    text = _(refusal.why.text)
    return text % values if values else text


def _told(refusal: Rejected) -> str:
    """Return what was wrong with a line, and in which file."""
    where = [refusal.file] if refusal.file else []
    where += [f"line {refusal.line}"] if refusal.line else []
    return ": ".join([*where, refusal.detail])


def _lines_kept(count: int) -> str:
    text = ngettext("%(n)s line is kept.", "%(n)s lines are kept.", count)
    return text % {"n": f"{count:,}"}


def _problem(error: Exception, *, file: str) -> str:
    limit = settings.PORTAL_MAX_DECODED_BYTES // 2**20
    text = next(text for kind, text in PROBLEMS.items() if isinstance(error, kind))
    packed = settings.PORTAL_MAX_BODY_BYTES // 2**20
    return str(text) % {"limit": limit, "packed": packed, "file": file}


def _accept(
    request: OrganizationRequest,
    *,
    files: Sequence[ChosenFile],
    complaints: Complaints,
    now: datetime,
) -> Receipt | None:
    slug = request.POST.get("cluster", "")
    cluster = access_cluster(actor=request.actor, slug=slug) if slug else None
    said = {name: request.POST.get(name, "").strip() for name in LABELS}
    said = {name: value for name, value in said.items() if value}
    label_parameters.check(given={name: [value] for name, value in said.items()})
    pieces = read_files(files=files, said=said, complaints=complaints)
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


def _progress(
    request: OrganizationRequest, *, outcome: BatchOutcome, now: datetime
) -> UploadProgress:
    batch, sessions = outcome.batch, outcome.sessions
    actor = request.actor
    headers = incidents_of_sessions(actor=actor, session_ids=[each.id for each in sessions])[:1]
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
