"""How much of bodies the portal holds at once: of pushes, of forms, and of what strangers send."""

from typing import Final

from apps.operations.admission.bodies.body import Announced, BodyBudget
from apps.operations.admission.bodies.byte_budget import ByteBudget

FORM_BYTES: Final = 2**20  # of everything but pushes and uploads
FRAME_BYTES: Final = 2**20  # what a form adds to the files in it
FORMS_BYTES: Final = 32 * 2**20  # of those forms, all together
# Who has shown no credential yet fills in a name, a password and little else.
STRANGER_BYTES: Final = 2**14
STRANGERS_BYTES: Final = 4 * 2**20  # of all of them together, however many networks they come from
SHARES: Final = 16  # one address, or one account, has a part of so many


class Rooms:
    """Three budgets: what one kind of sender fills is no other kind's."""

    def __init__(self, *, body_bytes: int, in_flight_bytes: int) -> None:
        self._body_bytes = body_bytes
        share = max(in_flight_bytes // 4, body_bytes + FRAME_BYTES)
        self.pushed = ByteBudget(total=max(in_flight_bytes, share), each=share)
        self.forms = ByteBudget(total=FORMS_BYTES, each=FORMS_BYTES // SHARES)
        self.strangers = ByteBudget(total=STRANGERS_BYTES, each=STRANGERS_BYTES // SHARES)

    def of_push(self, owner: str, *, is_form: bool) -> BodyBudget:
        """Return where a push has its room, or the form of an upload."""
        limit = self._body_bytes + (FRAME_BYTES if is_form else 0)
        return BodyBudget(budget=self.pushed, key=owner, limit=limit, is_reserved=True)

    def of_form(self, owner: str) -> BodyBudget:
        """Return where a form has its room whose sender is known."""
        return BodyBudget(budget=self.forms, key=owner, limit=FORM_BYTES, is_reserved=False)

    def of_stranger(self, network: str) -> BodyBudget:
        """Return where anybody's small form has its room."""
        return BodyBudget(
            budget=self.strangers,
            key=network,
            limit=STRANGER_BYTES,
            is_reserved=False,
            advice="with a token, or signed in, it may be larger",
        )

    def suffice_for_strangers(self, said: Announced) -> bool:
        """Say whether a form may be read without asking who sends it."""
        is_short = self.strangers.held > self.strangers.total // 2
        return said.is_empty or (
            not is_short and said.length is not None and said.length <= STRANGER_BYTES
        )
