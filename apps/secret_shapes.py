"""What can be told for a credential by its shape alone, and what stands in its place.

Plain Python below everything: who collects logs and who answers strangers hide the same.
"""

import re
from typing import Final

HIDDEN: Final = "[secret]"

# What looks like nothing else, wherever it stands; without looking around, for RE2 as well.
SHAPES_SOURCE: Final = (
    r"hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"
    r"|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[\w-]{16,}|gl(?:sa|c)_[\w-]{20,}"
    r"|sk-[A-Za-z0-9_-]{20,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}"
    r"|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|flt_[\w-]{16,}"
    r"|AIza[\w-]{30,}|ya29\.[\w-]{20,}|nvapi-[\w-]{20,}"
    r"|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{16,}|dckr_(?:pat|oat)_[\w-]{20,}|do[op]_v1_[0-9a-f]{32,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}|\d{8,10}:AA[\w-]{30,}|dapi[0-9a-f]{32}|hv[brs]\.[\w-]{20,}"
    r"|tskey-[\w-]{16,}|\.atlasv1\.[\w-]{40,}|r8_[A-Za-z0-9]{30,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"
    r"|lin_api_[A-Za-z0-9]{30,}|NRAK-[A-Z0-9]{20,}|rubygems_[0-9a-f]{40,}|gsk_[A-Za-z0-9]{30,}"
    r"|wandb_v1_[\w-]{20,}|local-[0-9a-f]{40}|AGE-SECRET-KEY-1[0-9A-Z]{20,}|MUNGE:[A-Za-z0-9+/=]{16,}"
    r"|hooks\.slack\.com/(?:services|workflows)/[\w/-]{8,}|discord(?:app)?\.com/api/webhooks/[\w/-]{8,}"
)
SHAPES: Final = re.compile(
    SHAPES_SOURCE + r"|eyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{8,}"
    r"|(?i:(?<=bearer )[\w.~+/-]{16,}=*)",
    re.ASCII,
)
IN_URL: Final = re.compile(r"(?<=://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)")
SIGNED: Final = re.compile(
    r"(?i)((?:x-amz-signature|x-amz-credential|sig|signature)=)[^\s&\"']{8,}"
)

# What is written down as such, by the words that its name is made of.
WORDS: Final = (
    r"passw(?:or)?d|passphrase|secret|credentials?"
    r"|(?:api|access|account|auth|encryption|master|private|shared|signing)[_-]?key"
)
CALLED: Final = re.compile(
    rf"(?i){WORDS}|token|bearer|\bauth|signature|\b(?:u|p|user|pass|pw|key|code|sig|sas|jwt)\b",
    re.ASCII,
)
OPAQUE: Final = re.compile(r"[A-Za-z0-9+/]{16,}", re.ASCII)
HEX: Final = re.compile(r"(?i)\b[0-9a-f]{24,}\b", re.ASCII)


def hide_shapes(text: str) -> str:
    """Return a text with a mark in the place of each credential that its shape gives away."""
    text = SHAPES.sub(HIDDEN, text)
    text = IN_URL.sub(HIDDEN, text)
    return SIGNED.sub(rf"\1{HIDDEN}", text)


def holds_credential(*, text: str) -> bool:
    """Say whether a part of a text is a credential by its shape."""
    return hide_shapes(text) != text


def names_credential(*, name: str) -> bool:
    """Say whether a parameter of an address is called as those that hold one."""
    return bool(CALLED.search(name))


def is_opaque(*, text: str) -> bool:
    """Say whether a value is no word that people choose: figures among both cases, or hex."""
    return bool(HEX.search(text)) or any(
        not each.islower() and not each.isupper() and any(map(str.isdigit, each))
        for each in OPAQUE.findall(text)
        if any(map(str.isalpha, each))
    )
