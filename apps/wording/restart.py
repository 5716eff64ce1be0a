"""Whether to start again and whom to leave out: the rows of the one table of decisions in words."""

from collections.abc import Sequence

from apps.diagnosis.causes.decision_rows import Answer
from apps.diagnosis.causes.decisions import (
    answer_of,
    concluded_of,
    hosts_of,
    rival_hosts,
)
from apps.diagnosis.model import Diagnosis
from apps.wording.speaker import Speaker
from apps.wording.translatable import gettext_noop

MOST_HOSTS = 4  # names in a sentence
MORE = gettext_noop("%(names)s and %(n)s more")


def restart_sentence(*, diagnosis: Diagnosis, speaker: Speaker) -> str:
    """Return the answer of a diagnosis, for who reads all of it."""
    return answer_in_words(
        answer=answer_of(concluded=concluded_of(diagnosis=diagnosis)),
        hosts=diagnosis.restart.exclude_hosts or hosts_of(diagnosis.verdict.culprits),
        others=rival_hosts(diagnosis=diagnosis),
        speaker=speaker,
    )


def is_restart_needed(*, diagnosis: Diagnosis) -> bool | None:
    """Say whether it has to be started again at all; None: that can't be said yet."""
    return is_start_needed(answer=answer_of(concluded=concluded_of(diagnosis=diagnosis)))


def is_start_needed(*, answer: Answer) -> bool | None:
    """Say the same of an answer of the table."""
    return None if answer.stance == "open" else answer.stance != "none"


def answer_in_words(
    *, answer: Answer, hosts: Sequence[str], others: Sequence[str], speaker: Speaker
) -> str:
    """Return an answer of the table in the speaker's language."""
    named = {"hosts": names_text(hosts, speaker), "others": names_text(others, speaker)}
    return speaker.translate(answer.text) % named


def names_text(names: Sequence[str], speaker: Speaker, *, limit: int = MOST_HOSTS) -> str:
    """Return names in a row, counted where they are many: gpu001, gpu002, gpu003 and 3 more."""
    if len(names) <= limit:
        return ", ".join(names)
    return more(", ".join(names[: limit - 1]), speaker, count=len(names) - limit + 1)


def more(names: str, speaker: Speaker, *, count: int) -> str:
    """Return names that stand for more of their kind."""
    return speaker.translate(MORE) % {"names": names, "n": count}
