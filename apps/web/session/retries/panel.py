"""The retries of a session: chains, a crash loop, advice, and where each recovery's time went."""

from collections.abc import Sequence
from typing import Final

from apps.incidents.projection.header_values import IncidentHeader
from apps.reliability.facade.session_history import SessionHistory
from apps.training.retries.recovery_marks import Stage
from apps.web.session.retries.chain_words import advice_lines, chain_card, loop_text
from apps.web.session.retries.page import RetriesPanel
from apps.web.session.retries.recovery_rows import STAGES, recovery_rows

RECOVERIES_SHOWN: Final = 12


def retries_panel(
    history: SessionHistory, headers: Sequence[IncidentHeader]
) -> RetriesPanel | None:
    """Return them; None where nothing was started again. Headers are the newest first."""
    if not history.chains and not history.recoveries:
        return None
    shown = history.recoveries[-RECOVERIES_SHOWN:]
    drawn = {stage for each in shown for stage, spent in each.recovery.by_stage.items() if spent}
    return RetriesPanel(
        chains=tuple(chain_card(each, is_own=history.is_own) for each in history.chains),
        loop=loop_text(history.loop),
        advice=advice_lines(history.advice, headers),
        recoveries=recovery_rows(shown),
        recovery_count=len(history.recoveries),
        stage_names=tuple((stage.value, str(STAGES[stage])) for stage in Stage if stage in drawn),
    )
