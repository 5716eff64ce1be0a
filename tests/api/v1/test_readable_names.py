"""Names and addresses that members read tell no secret and obey no sender."""

from typing import Any

import pytest

from apps.telemetry.models import Source
from apps.telemetry.samples.accept import source_of
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import Asking, member
from tests.cast.incidents import Cast

OBEYED = ["a\x1b[2Jb", "a\nb", "a\u202eb", "a\u200bb", "a\x85b"]
STORE = "https://93.184.215.14/api/v1/write"


def _admin(cast: Cast) -> Asking:
    return member(cast.operator, MemberRole.ADMIN)


def _pushed(cast: Cast, name: str = "shipper") -> Source:
    with organization_scope(cast.operator.pk):
        return source_of(organization=cast.operator, cluster=cast.cluster, key=name, now=make.AT)


@pytest.mark.parametrize("name", OBEYED)
def test_no_token_or_source_is_called_by_what_terminals_obey(cast: Cast, name: str) -> None:
    asking = _admin(cast)
    entry = {"cluster": cast.cluster.slug, "url": "https://93.184.215.14", "name": name}
    for path, body in (("tokens/", {"name": name, "scopes": ["read"]}), ("sources/", entry)):
        answer = asking.post(path, body)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "name"
        assert asking.get(path).json()["results"] == []


def test_names_of_any_script_are_taken(cast: Cast) -> None:
    asking = _admin(cast)
    for name in ("수집기 1", "Größe (rack 7)", "データ"):
        assert asking.post("tokens/", {"name": name, "scopes": ["read"]}).status_code == 201


@pytest.mark.parametrize("name", OBEYED)
def test_a_sender_that_names_itself_so_is_heard_and_shown_with_a_mark(
    cast: Cast, name: str
) -> None:
    first, again = _pushed(cast, name), _pushed(cast, name)
    assert first == again
    assert first.name == "a\N{REPLACEMENT CHARACTER}" + name[2:]
    assert name not in _admin(cast).get("sources/").content.decode()


@pytest.mark.parametrize(
    ("address", "is_taken"),
    [
        ("?token=x", False),
        ("?u=metrics&p=word", False),
        ("?api_key=1", False),
        ("?tenant=Zk3vQ8sLw0Yp6TnB", False),
        ("?id=0123456789abcdef0123456789abcdef", False),
        ("?x=glpat-abcdefghijklmnopqrst", False),
        ("#Zk3vQ8sLw0Yp6TnB", False),
        ("", True),
        ("?db=metrics&rp=two_weeks", True),
        ("?extra_label=cluster=meridian-production-01", True),
        ("?precision=ms&consistency=all", True),
    ],
)
def test_where_metrics_go_on_to_is_an_address_without_a_token(
    cast: Cast, address: str, *, is_taken: bool
) -> None:
    source, asking = _pushed(cast), _admin(cast)
    wanted: dict[str, Any] = {"url": STORE + address}
    answer = asking.send("PATCH", f"sources/{source.public_id}/", wanted)

    assert answer.status_code == (200 if is_taken else 400)
    with organization_scope(cast.operator.pk):
        source.refresh_from_db()
    assert source.url == (STORE + address if is_taken else "")
    assert (address[1:] in answer.content.decode()) == is_taken
