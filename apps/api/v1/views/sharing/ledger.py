"""The share ledger: who was shown what of ours, and what we were shown of others'."""

from collections.abc import Iterator
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_AT, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import LedgerFilterSerializer, ledger_filters
from apps.api.v1.schema import lists, sends_csv
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.sharing.ledger import LedgerEntrySerializer
from apps.incidents.exports.formats.csv import CSV, csv_table
from apps.sharing.facade.ledger import LedgerRow, ledger_rows
from apps.sharing.ledger.reading import LedgerFilters
from apps.tenancy.access import Right
from apps.tenancy.scope import organization_scope

ROWS_A_SCOPE = 200
COLUMNS = (
    *("id", "at", "holder", "reader", "reader_kind", "reader_name", "channel", "subject_kind"),
    *("subject", "ground_kind", "ground", "ground_version", "shown", "count", "digest"),
)


class Ledger(OrganizationView):
    """Looks that one's organization is a side of."""

    @lists(LedgerEntrySerializer, LedgerFilterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, newest first."""
        rows = ledger_rows(actor=self.actor, filters=ledger_filters(request))
        page = page_of_rows(rows=rows, order=NEWEST_AT, request=request)
        return Response(page.answer(sent(LedgerEntrySerializer, page.results)))


class LedgerCsv(OrganizationView):
    """The ledger as a file."""

    @sends_csv(LedgerFilterSerializer, operation="ledger_export_csv")
    def get(self, request: Request, organization: str) -> StreamingHttpResponse:
        """Send all looks, newest first."""
        filters = ledger_filters(request)
        self.actor.require(Right.READ)
        self.note("ledger.exported", CSV.name)
        return self.send_csv(
            csv_table(COLUMNS, self.cells(filters)), name=f"share-ledger-{organization}"
        )

    def cells(self, filters: LedgerFilters) -> Iterator[dict[str, Any]]:
        """Yield the rows of the file, read in short scopes of their own."""
        last: LedgerRow | None = None
        while True:
            if last is not None:
                self.require_still()
            with organization_scope(self.actor.organization.pk):
                rows = ledger_rows(actor=self.actor, filters=filters)
                if last is not None:
                    rows = rows.filter(NEWEST_AT.after((last.at, last.id)))
                found = rows[:ROWS_A_SCOPE]
                told = sent(LedgerEntrySerializer, found)
            for each in told:
                shown = (f"{s['data']} {s['level']} {s['count']}" for s in each["shown"])
                yield {**each, "shown": "; ".join(shown)}
            if len(found) < ROWS_A_SCOPE:
                return
            last = found[-1]
