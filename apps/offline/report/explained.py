"""What a signature or a cause means, for who reads its name in a diagnosis."""

from apps.diagnosis.causes.load import Cause, CauseSymptom, load_causes
from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.signatures.load import Signature, load_catalog
from apps.diagnosis.spelling import meant, shown
from apps.telemetry.files.unusable_input import UnusableInput
from apps.wording import ENGLISH, Speaker
from apps.wording.translatable import gettext_noop

OF_NO_LAYER = gettext_noop("%(name)s (%(role)s, no layer)")
XID_KEY = "nvrm-xid-"


def explained(*, name: str, speaker: Speaker = ENGLISH) -> str:
    """Return what is known of a name, its number where it is an Xid's; raise UnusableInput."""
    signatures, causes = load_catalog(), load_causes()
    key = f"{XID_KEY}{name}" if f"{XID_KEY}{name}" in signatures else name
    known = [*signatures, *causes]
    if key not in known:
        numbers = [each.removeprefix(XID_KEY) for each in signatures if each.startswith(XID_KEY)]
        hint = meant(word=name, known=numbers if is_whole_number(name) else known)
        raise UnusableInput(f"there is no {_kinds(name)} `{shown(word=name)}`{hint or HOW}")
    lines = _signature(key, signatures[key], speaker) if key in signatures else []
    lines += _cause(causes[key], speaker) if key in causes else []
    return "\n".join(lines)


HOW = (
    "; causes stand behind `cause` in a report, signatures as `signature` in what --format json"
    " prints"
)


def _kinds(name: str) -> str:
    return "Xid" if is_whole_number(name) else "signature and no cause"


def _signature(key: str, signature: Signature, speaker: Speaker) -> list[str]:
    _ = speaker.translate
    named = {"name": key, "role": signature.role, "layer": signature.layer}
    of_layer = _("%(name)s (%(role)s, %(layer)s)") if signature.layer else _(OF_NO_LAYER)
    meaning = _(signature.meaning)
    lines = [f"{of_layer % named}: {meaning}"]
    if signature.causes:
        causes = {"causes": ", ".join(signature.causes)}
        lines.append("  " + _("speaks for %(causes)s") % causes)
    if signature.remedy:
        lines.append(f"  {signature.remedy}")
    return lines + [
        f"  {symptom.weight:+.1f} {cause.slug}: {_text(cause, symptom, speaker)}"
        for cause in load_causes().values()
        for symptom in cause.symptoms
        if symptom.sign in {key, _code(key)}
    ]


def _code(key: str) -> str:
    """Return how causes name the signature of a number: `xid:79`."""
    kind, _, number = key.removeprefix("nvrm-").rpartition("-")
    return f"{kind}:{number}"


def _text(cause: Cause, symptom: CauseSymptom, speaker: Speaker) -> str:
    """Return what is observed, without what a line would say in the places of the text."""
    return speaker.said(cause.symptom_fact(symptom=symptom, fields={}))


def _cause(cause: Cause, speaker: Speaker) -> list[str]:
    """Return the cause, who acts, and what tells of it: the heaviest first, each text once."""
    weights: dict[str, float] = {}
    for symptom in cause.symptoms:
        text = _text(cause, symptom, speaker)
        weights[text] = max(symptom.weight, weights.get(text, symptom.weight))
    heaviest = sorted(weights.items(), key=lambda each: -each[1])
    named = {"cause": cause.slug, "layer": cause.layer, "means": speaker.translate(cause.means)}
    return [
        speaker.translate(gettext_noop("cause %(cause)s (%(layer)s): %(means)s")) % named,
        f"  {', '.join(cause.owners)}: {speaker.translate(cause.action)}",
        *(f"  {weight:+.1f} {text}" for text, weight in heaviest),
    ]
