"""What a signature or a cause means, for who reads its name in a diagnosis."""

from apps.diagnosis.causes.load import Cause, load_causes
from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.signatures.load import Signature, load_catalog
from apps.diagnosis.spelling import meant, shown
from apps.telemetry.files.unusable_input import UnusableInput

XID_KEY = "nvrm-xid-"


def explained(*, name: str) -> str:
    """Return what is known of a name, its number where it is an Xid's; raise UnusableInput."""
    signatures, causes = load_catalog(), load_causes()
    key = f"{XID_KEY}{name}" if f"{XID_KEY}{name}" in signatures else name
    known = [*signatures, *causes]
    if key not in known:
        numbers = [each.removeprefix(XID_KEY) for each in signatures if each.startswith(XID_KEY)]
        hint = meant(word=name, known=numbers if is_whole_number(name) else known)
        raise UnusableInput(f"there is no {_kinds(name)} `{shown(word=name)}`{hint or HOW}")
    lines = _signature(key, signatures[key]) if key in signatures else []
    lines += _cause(causes[key]) if key in causes else []
    return "\n".join(lines)


HOW = (
    "; causes stand behind `cause` in a report, signatures as `signature` in what --format json"
    " prints"
)


def _kinds(name: str) -> str:
    return "Xid" if is_whole_number(name) else "signature and no cause"


def _signature(key: str, signature: Signature) -> list[str]:
    title = f"{key} ({signature.role}, {signature.layer or 'no layer'}): {signature.meaning}"
    lines = [title]
    if signature.causes:
        lines.append(f"  speaks for {', '.join(signature.causes)}")
    if signature.remedy:
        lines.append(f"  {signature.remedy}")
    return lines + [
        f"  {symptom.weight:+.1f} {cause.slug}: {symptom.text_of(fields={})}"
        for cause in load_causes().values()
        for symptom in cause.symptoms
        if symptom.sign in {key, _code(key)}
    ]


def _code(key: str) -> str:
    """Return how causes name the signature of a number: `xid:79`."""
    kind, _, number = key.removeprefix("nvrm-").rpartition("-")
    return f"{kind}:{number}"


def _cause(cause: Cause) -> list[str]:
    """Return the cause, who acts, and what tells of it: the heaviest first, each text once."""
    weights: dict[str, float] = {}
    for symptom in cause.symptoms:
        text = symptom.text_of(fields={})
        weights[text] = max(symptom.weight, weights.get(text, symptom.weight))
    heaviest = sorted(weights.items(), key=lambda each: -each[1])
    return [
        f"cause {cause.slug} ({cause.layer}): {cause.means}",
        f"  {', '.join(cause.owners)}: {cause.action}",
        *(f"  {weight:+.1f} {text}" for text, weight in heaviest),
    ]
