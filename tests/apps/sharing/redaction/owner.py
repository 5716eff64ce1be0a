"""An owner, what it calls its own, and what another reads of its texts."""

from typing import Final

from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.profiles.load import Profile, load_profiles
from apps.sharing.redaction.pseudonyms import Pseudonyms
from apps.sharing.redaction.text import redact_text

PSEUDONYMS: Final = Pseudonyms(b"the key of one agreement")
OTHERS: Final = Pseudonyms(b"the key of another agreement")
OPERATIONS: Final = load_profiles()["operations"]
SUPPORT: Final = load_profiles()["support"]
KNOWN: Final = KnownNames(
    hosts=frozenset({"gpu1", "gpu10", "node-0071.aurora.example", "filer-a"}),
    aliases={"rack7-71": "node-0071.aurora.example"},
    users=frozenset({"minji", "root"}),
    sessions=frozenset({"tonight-7f3a", "4711"}),
    jobs=frozenset({"pretrain-lunar"}),
    mounts=frozenset({"/mnt/moonlight", "filer-a:/export/moonlight"}),
    models=frozenset({"lunar-7b", "달토끼"}),
    datasets=frozenset({"craters-v2"}),
)


def read(
    text: str,
    *,
    pseudonyms: Pseudonyms = PSEUDONYMS,
    known: KnownNames = KNOWN,
    profile: Profile = OPERATIONS,
) -> str:
    """Return what the other party reads."""
    return redact_text(text, pseudonyms=pseudonyms, known=known, profile=profile).text
