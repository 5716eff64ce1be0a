"""Creating requests that may be sent again: the same key and body get the same answer."""

import hashlib
import json
from datetime import datetime

from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenancy import idempotency_keys
from apps.tenancy.access import Actor
from apps.tenancy.idempotency_keys import Claim

HEADER = "Idempotency-Key"
KEY_LIMIT = 200


class BadKey(Exception):
    """A key that is empty, too long or not plain text."""


class ReplayedAnswer(Exception):
    """Carries the answer that was kept of an earlier request with the same key."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim


def claim_of(*, request: Request, actor: Actor, now: datetime) -> Claim | None:
    """Return the claim on the request's key, None without a key; raise Replayed."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not (0 < len(key) <= KEY_LIMIT and key.isascii() and key.isprintable()):
        raise BadKey
    words = json.dumps([request.path, request.data], sort_keys=True)
    digest = hashlib.sha256(words.encode()).digest()
    claim = idempotency_keys.claim(actor=actor, key=key, digest=digest, now=now)
    if claim.status is not None:
        raise ReplayedAnswer(claim)
    return claim


def keep(*, claim: Claim, answer: Response) -> None:
    """Store an answer that went well, in the transaction of what it tells of."""
    if answer.status_code < 400:
        body = JSONRenderer().render(answer.data).decode()
        idempotency_keys.keep(claim=claim, status=answer.status_code, body=body)


def again(*, claim: Claim) -> Response:
    """Return the kept answer."""
    headers = {"Idempotent-Replayed": "true"}
    return Response(json.loads(claim.body), status=claim.status, headers=headers)
