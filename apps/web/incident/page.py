"""The page of one incident."""

from dataclasses import dataclass, field

from django.utils.safestring import SafeString

from apps.web.bundles.page import BundleLine
from apps.web.charts.chart import Chart
from apps.web.display.instants import Instant
from apps.web.display.organizations import PartyLabel
from apps.web.incident.actions import ActionRow
from apps.web.incident.contributions.annotations import NoteRow
from apps.web.incident.contributions.feedback import FeedbackCard
from apps.web.incident.contributions.past_incidents import PastCard
from apps.web.incident.contributions.shared_sessions import SharedSessionRow
from apps.web.incident.coordination.values import CoordinationCard, StandingLine
from apps.web.incident.evidence_requests.page import RequestsCard
from apps.web.incident.hypotheses.cards import HypothesisCard, RuledOut
from apps.web.incident.hypotheses.noticed_codes import NoticedCodeRow
from apps.web.incident.hypotheses.party_shares import PartyShare
from apps.web.incident.hypotheses.why_not import WhyNot
from apps.web.incident.query_params import PageRequest
from apps.web.incident.timeline.event_order import EventOrder
from apps.web.incident.timeline_card import TimelineCard
from apps.web.incident.verdict import VerdictStrip
from apps.web.warnings.page import WarningRow


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentPage:
    """The incident as one party reads it."""

    public_id: str
    title: str
    lead: str
    restart: str
    status: str
    status_note: str
    failing: str  # that its diagnosis fails; empty where it does not
    is_open: bool
    is_settled: bool
    is_unknown: bool
    settles_at: Instant | None
    revision: int
    session_name: str
    session_id: str
    cluster: str
    broke_at: Instant | None
    ball: str
    ball_since: Instant | None
    parties: tuple[PartyLabel, ...]
    verdict: VerdictStrip
    timeline: TimelineCard
    order: EventOrder | None
    hypotheses: tuple[HypothesisCard, ...]
    ruled_out: tuple[RuledOut, ...]
    noticed: tuple[NoticedCodeRow, ...]  # where no cause is known
    why_not: WhyNot | None  # of the cause that is asked for
    askable: SafeString  # causes, as options
    wish: PageRequest
    shares: tuple[PartyShare, ...]  # of the leading explanation, where several parties hold it
    charts: tuple[Chart, ...]
    charts_note: str
    charts_empty: str
    actions: tuple[ActionRow, ...]
    notes: tuple[NoteRow, ...]
    notes_mark: str  # of how they stand
    audience: tuple[PartyLabel, ...]
    can_write: bool
    took_note: bool
    can_resolve: bool
    work: CoordinationCard
    can_act_first: bool = False
    sessions: tuple[SharedSessionRow, ...] = ()  # that others show to who reads of none
    changed_before: tuple[str, ...] = ()  # what parties changed in the hour before it broke
    past: PastCard | None = None
    warned: tuple[WarningRow, ...] = ()  # before it broke, by the reader's own metrics
    captures: tuple[str, ...] = ()  # metrics that are still awaited, or that could not be read
    requests: RequestsCard = field(default_factory=RequestsCard)  # for evidence of other parties
    standing: StandingLine | None = None  # where the verdict stands with the parties
    feedback: FeedbackCard | None = None  # what the parties say of the verdict
    is_unrecorded: bool = False  # looks can't be written down: nothing of others is shown
    bundles: tuple[BundleLine, ...] = ()  # evidence that was sent, or is about to be
    may_bundle: bool = False
    seen: str = ""  # what of everything this page shows; empty on a piece
    diagnosis: str = ""  # what of what no act changes
    is_diagnosis_kept: bool = False  # an open page shows that already, and keeps it
