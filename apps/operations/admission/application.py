"""The application in front of the framework: who may send how much, and whose turn it is."""

from apps.operations.admission import routes
from apps.operations.admission.admission_state import AdmissionState
from apps.operations.admission.bodies.body import Receive, Send, announced
from apps.operations.admission.refusal import has_too_many_cookies
from apps.operations.admission.visit import Scope, Visit


class Admission(AdmissionState):
    """Lets requests through to the application, or has it refuse them unread."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or _is_watcher(scope):
            await self.application(scope, receive, send)
            return
        await Visit(admission=self, scope=scope, receive=receive, send=send).answer()


def _is_watcher(scope: Scope) -> bool:
    """Say whether somebody only asks whether the process lives; a body waits like any other."""
    is_plain = announced(scope).is_empty and not has_too_many_cookies(scope)
    return scope["path"] in routes.WATCHING and is_plain
