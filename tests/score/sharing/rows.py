"""What is promised of sharing, and what shows each promise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.intervals import wilson
from tests.score.sharing.measured import Measured

TEST: Final = "tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A row of the table: what is counted, in which tests, or which figure a bench prints.

    Of tests the value is how many failed. With `most_seconds` it is the longest that one measured.
    """

    name: str  # names the row on the command line
    asked: str
    counted: str  # what n counts
    tests: Sequence[str] = ()  # files or tests below tests/
    most_seconds: float | None = None
    bench: str = ""  # the part that prints the figure
    figure: str = ""

    def line(self, found: Measured) -> str:
        """Return the row as Markdown."""
        return (
            f"| {self.asked} | {self._value(found)} | {found.counted:,} {self.counted} "
            f"| {self._interval(found)} | {self._required(found)} | {self._met(found)} "
            f"| `{self.name}`: {self._where()} |"
        )

    def is_met(self, found: Measured) -> bool:
        """Say whether the promise is kept. What did not run keeps none."""
        if not found.counted or found.failed or found.skipped:
            return False
        limit = self.most_seconds if found.required is None else found.required
        return limit is None or (found.value is not None and found.value <= limit)

    def _met(self, found: Measured) -> str:
        if found.skipped and not found.failed:
            return f"not shown: {found.skipped} skipped"
        return "met" if self.is_met(found) else "missed"

    def _value(self, found: Measured) -> str:
        if self.bench or self.most_seconds is not None:
            told = "not measured" if found.value is None else f"{found.value:.3g} {found.unit}"
            return f"{told}, {found.failed} failed" if found.failed else told
        return f"{found.failed} failed"

    def _interval(self, found: Measured) -> str:
        if self.bench or self.most_seconds is not None or found.failed or not found.counted:
            return ""
        return f"0 to {wilson(0, found.counted)[1]:.2g}"

    def _required(self, found: Measured) -> str:
        if found.required is not None:
            return f"≤ {found.required:g} {found.unit}"
        return "0 failed" if self.most_seconds is None else f"≤ {self.most_seconds:g} s"

    def _where(self) -> str:
        return (
            "`make bench`" if self.bench else ", ".join(f"`{TEST}/{each}`" for each in self.tests)
        )


PROMISES: Final = (
    Promise(
        name="matrix",
        asked="every route by kind of thing, by method, by other organization, other cluster, "
        "nobody, former member, revoked token and each scope: as if nothing was there",
        counted="requests",
        tests=("contracts/test_routes.py", "contracts/test_route_standing.py"),
    ),
    Promise(
        name="roles",
        asked="every act tried by a viewer, a responder, a token: refused where it takes more",
        counted="acts tried",
        tests=("contracts/test_roles.py",),
    ),
    Promise(
        name="left",
        asked="who left a cluster: every route reads as before, every act is refused",
        counted="answers",
        tests=("contracts/test_leaving.py",),
    ),
    Promise(
        name="canaries",
        asked="words of others in pages, REST, exports, refusals, log lines and the cache",
        counted="bodies searched",
        tests=("contracts/test_leaks.py", "contracts/test_shared_leaks.py"),
    ),
    Promise(
        name="messages",
        asked="words of others in webhooks and letters of every kind, in both languages",
        counted="texts searched",
        tests=("contracts/test_message_leaks.py",),
    ),
    Promise(
        name="stream",
        asked="events of open pages hold nothing; who may not read any more hears none",
        counted="tests",
        tests=("web/live/test_change_stream.py",),
    ),
    Promise(
        name="rows",
        asked="row-level security: without the filters of queries no foreign row",
        counted="tests",
        tests=("contracts/test_isolation.py",),
    ),
    Promise(
        name="equality",
        asked="page, REST, an open page after an event, four exports, webhook and letter tell the "
        "same of generated incidents, under three presets, to six parties",
        counted="readings",
        tests=("chaos/test_all_channels.py",),
    ),
    Promise(
        name="pseudonyms",
        asked="pseudonyms: stable within an agreement, unlinkable across two",
        counted="tests, properties among them",
        tests=(
            "apps/sharing/redaction/test_pseudonyms.py",
            "apps/incidents/projection/test_shared_lines.py",
        ),
    ),
    Promise(
        name="journeys",
        asked="in a browser: agree from nothing, request → grant → chart → revoked, hand-over → "
        "decline → accept → contested → agreed → resolved, annotate by drag, view as, bundle, "
        "sign in with TOTP, OIDC, SAML",
        counted="journeys",
        tests=(
            *("e2e/test_agreements.py", "e2e/test_evidence_requests.py", "e2e/test_bundles.py"),
            *("e2e/test_working_together.py", "e2e/test_annotations.py", "e2e/test_view_as.py"),
            *("e2e/test_second_factor.py", "e2e/test_single_sign_on.py", "e2e/test_saml.py"),
        ),
    ),
    Promise(
        name="revocation",
        asked="a revoked token is refused, by REST and by every receiver, after",
        counted="credentials tried",
        tests=("api/v1/people/test_revoked_tokens.py",),
        most_seconds=1.0,
    ),
    Promise(
        name="live",
        asked="what one party does is on another's open page after (p95)",
        counted="figure",
        bench="live",
        figure="an act of one party on another's open page, p95",
    ),
    Promise(
        name="projection",
        asked="projection of what others show, of an incident's page of 1,000 entries that was "
        "read before, by processor time",
        counted="figure",
        bench="sharing",
        figure="projection of what others show, of an incident's page, processor time",
    ),
    Promise(
        name="organizations",
        asked="page beside 500 organizations, of five",
        counted="figure",
        bench="sharing",
        figure="page beside 500 organizations, of five",
    ),
)
