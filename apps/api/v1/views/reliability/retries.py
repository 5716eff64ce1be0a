"""Retry chains and recoveries of a time."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers, sends_csv
from apps.api.v1.serializers.reliability.retries import (
    ChainFilterSerializer,
    ChainListSerializer,
    RecoveryFilterSerializer,
    RecoveryListSerializer,
)
from apps.incidents.exports.formats.csv import CSV, csv_table
from apps.reliability.facade.periods import BadPeriod
from apps.reliability.facade.recoveries import recoveries_in_period
from apps.reliability.facade.retry_chains import ChainList, chains_in_period, retry_scope
from apps.reliability.period.scopes import PeriodScope
from apps.tenancy.access import Actor

DAYS: Final = timedelta(days=30)
COLUMNS: Final = (
    *("session", "cluster", "stopped", "stopped_at", "automatic", "retries", "outcome", "known"),
    *("gap_seconds", "gpu_hours", "burnt_gpu_hours", "crash_loop", "incidents"),
)


class RetryChains(OrganizationView):
    """Stops and what was started after them."""

    @takes(*ChainFilterSerializer().fields)
    @extend_schema(
        responses=answers(ChainListSerializer),
        parameters=[ChainFilterSerializer],
        operation_id="retry_chains",
    )
    def get(self, request: Request, organization: str) -> Response:
        """Return the chains of some days, and how often such chains recover."""
        return Response(ChainListSerializer(_chains(self.actor, request)).data)


class RetryChainsCsv(OrganizationView):
    """The same as a file."""

    @sends_csv(ChainFilterSerializer, operation="retry_chains_export_csv")
    def get(self, request: Request, organization: str) -> StreamingHttpResponse:
        """Send the chains of some days, one a row."""
        found = _chains(self.actor, request)
        self.note("retry_chains.exported", CSV.name)
        return self.send_csv(csv_table(COLUMNS, _cells(found)), name=f"retry-chains-{organization}")


class Recoveries(OrganizationView):
    """From a failure to the next step, part by part."""

    @takes(*RecoveryFilterSerializer().fields)
    @extend_schema(
        responses=answers(RecoveryListSerializer),
        parameters=[RecoveryFilterSerializer],
        operation_id="recoveries",
    )
    def get(self, request: Request, organization: str) -> Response:
        """Return the recoveries of some days, compared before and since a day."""
        given = read_query(RecoveryFilterSerializer, request=request)
        changed = given.get("changed")
        found = recoveries_in_period(
            actor=self.actor,
            scope=_scope(self.actor, given),
            changed_at=datetime.combine(changed, time(), tzinfo=UTC) if changed else None,
        )
        return Response(RecoveryListSerializer(found).data)


def _chains(actor: Actor, request: Request) -> ChainList:
    given = read_query(ChainFilterSerializer, request=request)
    now = timezone.now()
    found = chains_in_period(actor=actor, scope=_scope(actor, given), now=now)
    outcome = given.get("outcome")
    wanted = tuple(each for each in found.chains if not outcome or each.chain.outcome == outcome)
    return replace(found, chains=wanted)


def _scope(actor: Actor, given: dict[str, Any]) -> PeriodScope:
    last = given.get("last_day") or timezone.now().date()
    first = given.get("first_day") or last - DAYS
    try:
        return retry_scope(
            actor=actor, cluster=given.get("cluster") or "", first_day=first, last_day=last
        )
    except BadPeriod as error:
        raise serializers.ValidationError({"first_day": str(error)}) from error


def _cells(found: ChainList) -> Iterator[dict[str, Any]]:
    for each in found.chains:
        chain = each.chain
        gaps = sorted(retry.gap_seconds for retry in chain.retries)
        yield {
            "session": " ".join(each.sessions),
            "cluster": each.cluster,
            "stopped": chain.stopped.name,
            "stopped_at": chain.stopped.ends_at.isoformat() if chain.stopped.ends_at else "",
            "automatic": chain.is_automatic,
            "retries": len(chain.retries),
            "outcome": chain.outcome.value if each.is_known else "",
            "known": each.is_known,
            "gap_seconds": gaps[len(gaps) // 2],
            "gpu_hours": round(chain.gpu_hours, 3),
            "burnt_gpu_hours": _rounded(chain.burnt_gpu_hours),
            "crash_loop": each.loop is not None,
            "incidents": " ".join(each.incidents),
        }


def _rounded(hours: float | None) -> float | None:
    return None if hours is None else round(hours, 3)
