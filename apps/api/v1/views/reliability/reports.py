"""Reports: issued by responders and tokens, read by members, each as it was issued."""

from collections.abc import Iterator

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_body, read_query, takes
from apps.api.v1.schema import answers, lists, sends_csv, writes
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.reliability.reports import (
    ReportChangesSerializer,
    ReportHeadSerializer,
    ReportQuerySerializer,
    ReportSerializer,
    ReportSigningSerializer,
    ReportTableSerializer,
    ReportWishSerializer,
)
from apps.api.v1.user_view import UserView
from apps.diagnosis.spelling import meant, one_of
from apps.reliability.facade.periods import BadPeriod, scope_of
from apps.reliability.facade.reports import (
    changes_since,
    issue_report,
    list_reports,
    open_report,
    sign_report,
)
from apps.reliability.models import ReportStance
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.forms.report_csv import report_csv, table_names
from apps.reliability.reports.report_values import ReportView
from apps.reliability.reports.signatures import Signing
from apps.tenancy.access import Right


class ReportsView(OrganizationView):
    """What looks at one report."""

    def report(self, public_id: str) -> ReportView:
        """Return the revision that is asked for. Raises NotFound."""
        revision = read_query(ReportQuerySerializer, request=self.request).get("revision")
        return open_report(actor=self.actor, public_id=public_id, revision=revision)


class Reports(OrganizationView):
    """Reports of one's organization, and those that all parties of a cluster read."""

    creates = True

    @lists(ReportHeadSerializer, operation="report_list")
    def get(self, request: Request, organization: str) -> Response:
        """List the newest revision of each, the last issued first."""
        page = page_of_items(items=list(list_reports(actor=self.actor)), request=request)
        return Response(page.answer(sent(ReportHeadSerializer, page.results)))

    @writes(ReportWishSerializer, ReportSerializer, operation="report_issue", status=201)
    def post(self, request: Request, organization: str) -> Response:
        """Issue one. Of days that were issued before it is a new revision where something moved,
        else the one that stands. A token needs the scopes `read` and `write`.
        """
        self.actor.require(Right.READ)
        wish = read_body(ReportWishSerializer, request=request)
        try:
            scope = scope_of(
                actor=self.actor,
                audience=Audience(wish["audience"]),
                cluster=wish.get("cluster"),
                first_day=wish["first_day"],
                last_day=wish["last_day"],
            )
        except BadPeriod as error:
            raise ValidationError({error.field: str(error)}) from error
        issued = issue_report(context=self.act_context(), scope=scope)
        report = open_report(actor=self.actor, public_id=issued.public_id)
        return Response(ReportSerializer(report).data, status=201)


class ReportDetail(ReportsView):
    """One report."""

    @takes(*ReportQuerySerializer().fields)
    @extend_schema(
        responses=answers(ReportSerializer),
        parameters=[ReportQuerySerializer],
        operation_id="report",
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return a revision as it was issued."""
        return Response(ReportSerializer(self.report(public_id)).data)


class ReportChanges(OrganizationView):
    """What moved since it was issued."""

    @extend_schema(responses=answers(ReportChangesSerializer), operation_id="report_changes")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Count the days again and say what is otherwise. Nothing is issued."""
        moved = changes_since(actor=self.actor, public_id=public_id, now=timezone.now())
        return Response(ReportChangesSerializer({"changes": moved}).data)


class ReportSignatures(UserView):
    """What the parties of a report say of it."""

    @writes(ReportSigningSerializer, ReportSerializer, operation="report_sign")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Sign the newest revision for one's organization: settled, or a dissent with its reason.

        The last that a party says stands. Signed-in responders and admins only.
        """
        self.actor.require(Right.ACT)
        open_report(actor=self.actor, public_id=public_id)  # what is another's is not found first
        said = read_body(ReportSigningSerializer, request=request)
        signing = Signing(**{**said, "stance": ReportStance(said["stance"])})
        sign_report(context=self.act_context(), public_id=public_id, signing=signing)
        return Response(ReportSerializer(open_report(actor=self.actor, public_id=public_id)).data)


class ReportCsv(ReportsView):
    """One table of a report as a file."""

    @sends_csv(ReportTableSerializer, operation="report_export_csv")
    def get(self, request: Request, organization: str, public_id: str) -> StreamingHttpResponse:
        """Send its figures, or one of its tables."""
        report = self.report(public_id)
        table = read_query(ReportTableSerializer, request=request)["table"]
        known = table_names(report.document)
        if table not in known:
            raise ValidationError({"table": one_of(known=known) + meant(word=table, known=known)})
        self.note("report.exported", f"{public_id} {table} csv")
        chunks: Iterator[bytes] = report_csv(report.document, table=table)
        name = f"{public_id}-{report.head.revision}-{table}"
        return self.send_csv(chunks, name=name)
