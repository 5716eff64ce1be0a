"""What parties say of verdicts in these tests, and how they say it."""

from datetime import timedelta
from typing import Any

from apps.incidents.entries import Opinion
from apps.incidents.judgement.feedback import judge
from apps.incidents.models import Feedback, Incident
from apps.incidents.states import Judgement
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import actor

RIGHT = Opinion(judgement=Judgement.RIGHT)
LINK = Opinion(judgement=Judgement.WRONG, layer="network", cause="link-down")
NOW = make.AT + timedelta(hours=1)


def said(who: Organization, incident: Incident, opinion: Opinion, **more: Any) -> Feedback:
    """Judge as a responder of an organization."""
    at = more.pop("now", NOW)
    with organization_scope(who.pk):
        return judge(actor=actor(who), incident=incident, opinion=opinion, now=at, **more)
