"""One request on its way to the application: whose it is, its room, its turn, its refusal."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from apps.operations.admission import recent_refusals, refusal, routes
from apps.operations.admission.admission_state import AdmissionState
from apps.operations.admission.bodies.body import (
    AdmittedBody,
    BodyBudget,
    Message,
    Receive,
    Send,
    announced,
)
from apps.operations.admission.connections.client_address import address_of
from apps.operations.admission.connections.open_connections import CONNECTION
from apps.operations.admission.credentials import digest_of
from apps.operations.admission.recent_refusals import SentRefusal
from apps.operations.admission.refusal import RequestRefused
from apps.tenancy.refused_body import Withheld
from apps.tenancy.sign_in.client_networks import network_of
from apps.tenancy.work import later_turns

Scope = Mapping[str, Any]
PUSHES_BESIDE: Final = 2  # with one, who pushes several things at once would wait for itself
LET_GO: Final = 2**18  # bytes of a body that is read only to keep its connection
QUEUE_SECONDS: Final = 20.0
OPENED: Final = frozenset({302, 303})  # a password that was right leads on


class RefusedMeanwhile(Exception):
    """Raised where a sender was refused while this push of it waited for its turn."""

    def __init__(self, answer: SentRefusal) -> None:
        super().__init__()
        self.answer = answer


class Visit:
    """One request on its way through."""

    def __init__(
        self, *, admission: AdmissionState, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self.admission = admission
        self.receive, self.send = receive, send
        self.scope = {**scope, later_turns.SCOPE_KEY: self._later_turn}
        address = address_of(scope, behind_proxy=admission.limits.behind_proxy)
        self.key = self.network = network_of(address)
        self.token = b""
        self.is_hashing = routes.hashes(scope)
        self.body = self._body(admission.rooms.of_stranger(self.network))
        self.is_delivered = self.is_push = False
        self.started: Message = {}
        self.turns = AsyncExitStack()

    async def answer(self) -> None:
        """Let the application answer, or refuse."""
        try:
            if refusal.has_too_many_cookies(self.scope):
                # Also their refusal would be read by who reads them.
                await self._answer_briefly(refusal.cookies_too_big().withheld)
            elif not await self._is_known():
                await self._answer_unread(None)
            elif (again := self._refused_lately()) is not None:
                await self._say_again(again)
            else:
                await self.body.reserve()
                await self.admission.application(self.scope, self._next, self._send)
        except RequestRefused as refused:
            await self._refuse(refused)
        except RefusedMeanwhile as refused:
            await self.turns.aclose()
            await self._say_again(refused.answer)
        finally:
            await self.turns.aclose()
            self.body.close()

    async def _is_known(self) -> bool:
        """Look at what can be known before the body; raise Refused."""
        if self.is_hashing:
            self.admission.sign_ins.require(self.network)
        if not routes.takes_large_bodies(self.scope):
            await self._know_form()
            return True
        owner = await self._owner()
        if owner is None:
            return False
        is_form = bool(routes.UPLOAD.match(self.scope["path"]))
        self.key, self.body = (
            owner,
            self._body(self.admission.rooms.of_push(owner, is_form=is_form)),
        )
        self.is_push, self.token = routes.is_push(self.scope), digest_of(self.scope)
        return True

    async def _know_form(self) -> None:
        """Give a form the room of who sends it, where a stranger's may not suffice."""
        rooms = self.admission.rooms
        if not rooms.suffice_for_strangers(self.body.said):
            owner = await self._owner()
            if owner is not None:
                self.body = self._body(rooms.of_form(owner))

    async def _owner(self) -> str | None:
        return await self.admission.credentials.owner_of(self.scope, address=self.network)

    def _refused_lately(self) -> SentRefusal | None:
        if not self.is_push:
            return None
        return self.admission.refusals.find(
            owner=self.key, token=self.token, path=self.scope["path"]
        )

    async def _say_again(self, answer: SentRefusal) -> None:
        """Refuse as a moment ago, without the application; a small body is read and let go."""
        self.is_push = False  # what is said again is not kept again
        if (self.body.said.length or 0) <= LET_GO and not self.body.said.is_expected:
            await self.body.reserve()
            while not self.body.is_whole and self.body.taken <= LET_GO:
                await self.body.next()
        await asyncio.sleep(recent_refusals.pause())
        await self._send_last(answer.start)
        await self._send_last({"type": "http.response.body", "body": answer.body})

    async def _next(self) -> Message:
        """Hand the application its next part, and with the last one its turn."""
        if self.is_delivered:
            return await self.receive()
        message = await self.body.next()
        self.is_delivered = self.body.is_whole
        if self.is_delivered and message["type"] == "http.request":
            await self._take_turn()
        return message

    async def _take_turn(self) -> None:
        admission = self.admission
        if self.is_hashing:
            await self.turns.enter_async_context(admission.sign_ins.turn(self.network))
        turn = admission.work.turn(self.key, seconds=QUEUE_SECONDS, beside=self._beside())
        await self.turns.enter_async_context(turn)
        again = self._refused_lately()
        if again is not None:
            raise RefusedMeanwhile(again)
        self._be_served(is_served=True)

    def _beside(self) -> int | None:
        """Return how many of an organization's pushes are at work beside other people's requests.

        Two; none of who sends more than its share. A page is somebody who waits for it.
        """
        if not self.is_push:
            return None
        return 0 if self.admission.refusals.was_refused(self.key) else PUSHES_BESIDE

    @asynccontextmanager
    async def _later_turn(self) -> AsyncIterator[None]:
        """Hold a turn for a step of an answer that began."""
        async with self.admission.work.turn(self.key, seconds=QUEUE_SECONDS):
            yield

    def _be_served(self, *, is_served: bool) -> None:
        """Let the connection know: until its turn came it may make room for another."""
        connection = self.scope.get(CONNECTION)
        if connection is not None:
            connection.is_served = is_served

    async def _send(self, message: Message) -> None:
        """Pass the answer on. Who reads it slowly keeps nobody waiting: its turn is over."""
        if message["type"] == "http.response.start":
            if self.is_hashing and message["status"] in OPENED:
                self.admission.sign_ins.worked(self.network)
            await self.turns.aclose()
            self.started = message
        elif self.is_push:
            self._keep_refusal(message)
        await self.send(message)

    def _keep_refusal(self, message: Message) -> None:
        """Keep what was refused in one piece; a push's alone, a page is for one person."""
        if not message.get("more_body", False):
            self.admission.refusals.keep(
                owner=self.key,
                token=self.token,
                path=self.scope["path"],
                start=self.started,
                body=message.get("body", b""),
            )
        self.is_push = False

    async def _refuse(self, refused: RequestRefused) -> None:
        await self.turns.aclose()
        if self.started:
            return  # the answer breaks off; what it would say now, nobody could tell from the rest
        if self.is_hashing:
            await self.admission.sign_ins.delay()
        try:
            await self._answer_unread(refused.withheld)
        except RequestRefused as too:
            await self._answer_briefly(too.withheld)

    async def _answer_unread(self, withheld: Withheld | None) -> None:
        """Let the application answer without the body."""
        scope = refusal.marked(self.scope, withheld=withheld)
        await self.admission.application(scope, self._nothing(), self._send_last)

    def _nothing(self) -> Receive:
        is_asked = False

        async def receive() -> Message:
            nonlocal is_asked
            if is_asked:
                await asyncio.Future()  # until the answer is out: what still comes is not read
            is_asked = True
            # Of who is known, too: who comes from the same address waits for none of its refusals.
            turn = self.admission.work.turn(self.key, seconds=QUEUE_SECONDS)
            await self.turns.enter_async_context(turn)
            self._be_served(is_served=True)
            return {"type": "http.request", "body": b"", "more_body": False}

        return receive

    async def _send_last(self, message: Message) -> None:
        """Pass on the last answer of a connection whose sender may still be sending."""
        if self.body.is_whole:
            await self._send(message)
        elif message["type"] == "http.response.start":
            headers = [*message["headers"], (b"connection", b"close")]
            await self._send({**message, "headers": headers})
        else:
            await self._send({**message, "more_body": True})
            if not message.get("more_body", False):
                self._be_served(is_served=False)  # what is still to be said is the other side's
                await self.body.drain()
                await self._send({"type": "http.response.body", "body": b""})

    async def _answer_briefly(self, withheld: Withheld) -> None:
        """Answer where even a refusal would wait too long."""
        start, body = refusal.in_plain_text(withheld)
        await self._send_last(start)
        await self._send_last(body)

    def _body(self, room: BodyBudget) -> AdmittedBody:
        return AdmittedBody(receive=self.receive, room=room, said=announced(self.scope))
