"""The description of a cluster and its parties, asked for at a terminal, one value at a time."""

from collections.abc import Callable, Sequence
from typing import Any

from apps.fleet.models import ParticipationRole
from apps.operations.setup.description_file import SLUG
from apps.operations.setup.yaml_nodes import one_of
from apps.tenancy.people.account import checked_email, checked_username

Ask = Callable[[str], str]
Say = Callable[[str], object]


def ask(*, read: Ask, say: Say) -> dict[str, Any]:
    """Ask until everything is known, and return it as a file would say it."""
    say("One cluster and its parties. Nothing is made before you have seen the plan.\n")
    asking = _Asking(read=read, say=say)
    cluster = asking.slug("Cluster, a short name for addresses (e.g. meridian)", most=60)
    name = asking.text("Its full name", default=cluster.title())
    parties = [asking.party()]
    while asking.yes("Another organization?"):
        parties.append(asking.party(known=[each["slug"] for each in parties]))
    return {"cluster": {"slug": cluster, "name": name}, "organizations": parties}


class _Asking:
    """Questions that come back until the answer can be used."""

    def __init__(self, *, read: Ask, say: Say) -> None:
        self.read, self.say = read, say

    def party(self, known: Sequence[str] = ()) -> dict[str, Any]:
        self.say("")
        slug = self.slug("Organization, a short name (e.g. aurora)", most=40, known=known)
        party: dict[str, Any] = {"slug": slug}
        party["name"] = self.text("Its full name", default=slug.title())
        party["parts"] = self.parts()
        if ParticipationRole.TENANT in party["parts"]:
            party["projects"] = self.words("Its projects, as the scheduler calls them")
        username = self.checked("User name of its first admin (empty: none)", checked_username)
        if username:
            email = self.checked("E-mail of that person (empty: none)", checked_email)
            party["admin"] = {"user": username, **({"email": email} if email else {})}
        token = self.text("Name of a token that sends and reads (empty: none)", default="")
        return {**party, **({"token": token} if token else {})}

    def parts(self) -> list[str]:
        while True:
            known = ", ".join(ParticipationRole.values)
            given = self.words(f"What it is to the cluster ({known}; empty: no part yet)")
            wrong = [each for each in given if each not in ParticipationRole.values]
            if not wrong:
                return given
            self.say(f"  unknown part {one_of(wrong[0], ParticipationRole.values)}")

    def checked(self, question: str, check: Callable[..., str]) -> str:
        while True:
            given = self.text(question, default="")
            try:
                return check(text=given) if given else ""
            except ValueError as error:
                self.say(f"  {error}")

    def slug(self, question: str, *, most: int, known: Sequence[str] = ()) -> str:
        while True:
            given = self.text(question)
            if SLUG.fullmatch(given) and len(given) <= most and given not in known:
                return given
            words = f"Up to {most} letters, digits, - and _ only."
            self.say("  That one was named already." if given in known else f"  {words}")

    def words(self, question: str) -> list[str]:
        return list(dict.fromkeys(self.read(f"{question}: ").replace(",", " ").split()))

    def text(self, question: str, *, default: str | None = None) -> str:
        hint = f" [{default}]" if default else ""
        while True:
            given = " ".join(self.read(f"{question}{hint}: ").split())
            if (given or default is not None) and len(given) <= 80 and given.isprintable():
                return given or default or ""
            self.say("  One line of at most 80 characters.")

    def yes(self, question: str) -> bool:
        return self.read(f"{question} [y/N] ").strip().lower() in {"y", "yes"}
