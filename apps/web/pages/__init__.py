"""What each page shows: frozen values prepared by its view, so that templates only place them."""

from apps.web.pages.basics import Choice, Instant, LayerMark, Party, Probability
from apps.web.pages.feedback import CauseChoice, FeedbackCard, LayerChoices, OpinionRow
from apps.web.pages.home import Health, HealthBar, HealthLane, HomePage, WeekNumber
from apps.web.pages.hypotheses import (
    EvidenceLine,
    Held,
    HypothesisCard,
    LogLine,
    MissingSource,
    RuledOut,
)
from apps.web.pages.incident import ActionRow, Chart, IncidentPage, NoteRow, NoteVersion, StoryEntry
from apps.web.pages.incidents import IncidentRow, IncidentsPage
from apps.web.pages.sessions import (
    AttemptBlock,
    Matrix,
    RankCell,
    SessionPage,
    SessionRow,
    SessionsPage,
    StreamRow,
)
from apps.web.pages.shell import HoldNote, Place, Shell
from apps.web.pages.sources import (
    Arrived,
    MetricsTold,
    SourceFields,
    SourcePage,
    SourceRow,
    SourcesPage,
    SourceState,
    SubjectRow,
    UnreadBody,
)
from apps.web.pages.tokens import Command, NewToken, TokenChoice, TokenForm, TokenRow
from apps.web.pages.upload import FileResult, UploadPage, UploadProgress
from apps.web.pages.verdict import CoverageCell, CoverageLine, CoverageStrip, VerdictStrip
from apps.web.pages.warnings import Finding, WarningRow, WarningsPage

__all__ = [
    "ActionRow",
    "Arrived",
    "AttemptBlock",
    "CauseChoice",
    "Chart",
    "Choice",
    "Command",
    "CoverageCell",
    "CoverageLine",
    "CoverageStrip",
    "EvidenceLine",
    "FeedbackCard",
    "FileResult",
    "Finding",
    "Health",
    "HealthBar",
    "HealthLane",
    "Held",
    "HoldNote",
    "HomePage",
    "HypothesisCard",
    "IncidentPage",
    "IncidentRow",
    "IncidentsPage",
    "Instant",
    "LayerChoices",
    "LayerMark",
    "LogLine",
    "Matrix",
    "MetricsTold",
    "MissingSource",
    "NewToken",
    "NoteRow",
    "NoteVersion",
    "OpinionRow",
    "Party",
    "Place",
    "Probability",
    "RankCell",
    "RuledOut",
    "SessionPage",
    "SessionRow",
    "SessionsPage",
    "Shell",
    "SourceFields",
    "SourcePage",
    "SourceRow",
    "SourceState",
    "SourcesPage",
    "StoryEntry",
    "StreamRow",
    "SubjectRow",
    "TokenChoice",
    "TokenForm",
    "TokenRow",
    "UnreadBody",
    "UploadPage",
    "UploadProgress",
    "VerdictStrip",
    "WarningRow",
    "WarningsPage",
    "WeekNumber",
]
