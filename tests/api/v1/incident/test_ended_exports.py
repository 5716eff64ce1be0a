"""A list that is being read ends where its reader's token or membership does."""

from collections.abc import Callable
from itertools import islice
from typing import Any, Final

import pytest

from apps.api.v1.views.incident import exports
from apps.tenancy.access import NotFound
from apps.tenancy.models import Membership, Token, User
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast, attempt_of, stop_of

MADE: Final = 5
End = Callable[[Cast], object]


def _revoke(cast: Cast) -> None:
    Token.objects.for_organization(cast.operator).update(revoked_at=make.AT)


def _expire(cast: Cast) -> None:
    Token.objects.for_organization(cast.operator).update(expires_at=make.AT)


def _remove(cast: Cast) -> None:
    Membership.objects.for_organization(cast.operator).delete()


def _end_sessions(cast: Cast) -> None:
    members = Membership.objects.for_organization(cast.operator).values("user")
    User.objects.filter(pk__in=members).update(session_epoch=7)


def _opened(asking: Asking) -> Any:
    answer = asking.get("incidents/export.ndjson")
    assert answer.status_code == 200
    return iter(answer.streaming_content)


@pytest.mark.parametrize(
    ("ask", "end"),
    [(token, _revoke), (token, _expire), (member, _remove), (member, _end_sessions)],
    ids=["a token is revoked", "a token is over", "a member is removed", "sessions are ended"],
)
def test_a_list_ends_with_what_let_its_reader_in(
    ask: Callable[..., Asking], end: End, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "ROWS_A_SCOPE", 2)
    for _ in range(MADE):
        stop_of(cast, attempt_of(cast, cast.tenant))
    asking, other = ask(cast.operator), member(cast.tenant)
    lines, others = _opened(asking), _opened(other)
    assert len(list(islice(lines, 2))) == 2  # what it is, and the first incident
    with organization_scope(cast.operator.pk):
        end(cast)

    with pytest.raises(NotFound):
        list(lines)
    assert len(list(others)) == 1 + MADE
