"""Who pushes and to which cluster: what the credential allows, and what is announced."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import pytest
from django.conf import LazySettings
from django.http import HttpRequest
from django.test import RequestFactory

from apps.api.receivers.requests.authentication import Push, authenticate, by_cluster, cluster_of
from apps.api.receivers.requests.errors import BodyWithheld, ClusterMissing, NoToken, UnknownCluster
from apps.fleet.models import Cluster, ParticipationRole
from apps.telemetry.formats.lines.complaints import TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.tenancy.models import Organization
from apps.tenancy.refused_body import SCOPE_KEY, Withheld
from tests.cast import make
from tests.cast.pushes import token


def request(*, length: str = "", withheld: Withheld | None = None, sent: str = "") -> HttpRequest:
    """Return a push that announces this length."""
    made: Any = RequestFactory().post("/", headers={"Authorization": sent} if sent else {})
    made.META["CONTENT_LENGTH"] = length
    made.scope = {SCOPE_KEY: withheld}
    pushed: HttpRequest = made
    return pushed


@pytest.fixture
def limit(settings: LazySettings) -> int:
    """Return how many bytes a body may have."""
    settings.PORTAL_MAX_BODY_BYTES = 1000
    return 1000


@pytest.mark.parametrize("length", ["1001", "-1", "many", "9" * 30])
def test_a_body_announced_as_too_big_is_refused_before_anybody_is_asked_for(
    limit: int, length: str
) -> None:
    with pytest.raises(TooBig, match=str(limit)):
        authenticate(request(length=length))


@pytest.mark.parametrize("length", ["", "0", "1000"])
def test_a_body_up_to_the_limit_needs_a_token(limit: int, length: str) -> None:
    with pytest.raises(NoToken):
        authenticate(request(length=length))


def test_what_the_edge_refused_for_good_is_refused_before_anybody_is_asked_for() -> None:
    with pytest.raises(BodyWithheld):
        authenticate(request(withheld=Withheld(status=429, code="x", detail="later")))
    with pytest.raises(NoToken):
        authenticate(request(withheld=Withheld.unread()))


@pytest.mark.django_db
def test_a_good_token_says_who_pushes_and_a_body_that_was_not_read_is_sent_again() -> None:
    organization = make.organization()
    sent = f"Bearer {token(organization)}"
    assert authenticate(request(sent=sent)).organization == organization
    with pytest.raises(BodyWithheld) as refused:
        authenticate(request(sent=sent, withheld=Withheld.unread()))
    assert refused.value.withheld.status == HTTPStatus.SERVICE_UNAVAILABLE


@pytest.fixture
def organization() -> Organization:
    """One that takes part in clusters."""
    return make.organization()


def own_cluster(organization: Organization) -> Cluster:
    """Return a cluster that it takes part in."""
    cluster = make.cluster()
    make.participation(organization=organization, cluster=cluster, part=ParticipationRole.PLATFORM)
    return cluster


def push_of(organization: Organization, *clusters: Cluster) -> Push:
    """Return a push with a token for these clusters."""
    return Push(organization=organization, clusters=tuple(each.pk for each in clusters), at=make.AT)


@pytest.mark.django_db
def test_the_only_cluster_of_a_token_need_not_be_named(organization: Organization) -> None:
    cluster = own_cluster(organization)
    push = push_of(organization, cluster)
    assert cluster_of(push=push, named="") == cluster
    assert cluster_of(push=push, named=cluster.slug) == cluster
    assert cluster_of(push=push_of(organization), named="") is None


@pytest.mark.django_db
def test_of_several_clusters_one_has_to_be_named(organization: Organization) -> None:
    one, two = (own_cluster(organization) for _ in range(2))
    push = push_of(organization, one, two)
    assert [cluster_of(push=push, named=each.slug) for each in (one, two)] == [one, two]
    with pytest.raises(ClusterMissing):
        cluster_of(push=push, named="")


@pytest.mark.django_db
def test_a_cluster_is_unknown_where_it_is_anothers_absent_or_left(
    organization: Organization,
) -> None:
    own, left = own_cluster(organization), make.cluster()
    for push, named in (
        (push_of(organization, own), left.slug),
        (push_of(organization, own), "absent"),
        (push_of(organization), own.slug),
        (push_of(organization, left), ""),
    ):
        with pytest.raises(UnknownCluster):
            cluster_of(push=push, named=named)


def pieces(*names: str) -> Sequence[LinePiece]:
    """Return one piece for each, labelled with the cluster."""
    return [
        LinePiece(labels={"cluster": name} if name else {}, text=b"x", line_count=1)
        for name in names
    ]


def unexpected(piece: LinePiece) -> None:
    """Be handed back nothing."""
    raise AssertionError(piece)


@pytest.mark.django_db
def test_pieces_go_to_the_cluster_they_name_and_others_are_handed_back(
    organization: Organization,
) -> None:
    own = own_cluster(organization)
    push, sent = push_of(organization, own), pieces(own.slug, "absent", "")
    back: list[LinePiece] = []
    found = by_cluster(push=push, pieces=sent, named="", refuse=back.append)
    assert found == {own: [sent[0], sent[2]]}
    assert back == [sent[1]]


@pytest.mark.django_db
def test_the_cluster_of_the_address_goes_before_that_of_the_label(
    organization: Organization,
) -> None:
    own = own_cluster(organization)
    sent = pieces("absent", "")
    found = by_cluster(
        push=push_of(organization, own), pieces=sent, named=own.slug, refuse=unexpected
    )
    assert found == {own: sent}


@pytest.mark.django_db
def test_where_no_piece_is_left_the_refusal_is_the_answer(organization: Organization) -> None:
    push = push_of(organization, own_cluster(organization))
    with pytest.raises(UnknownCluster):
        by_cluster(push=push, pieces=pieces("absent"), named="", refuse=lambda _: None)
    assert by_cluster(push=push, pieces=[], named="", refuse=unexpected) == {}
