"""Which causes the words of a line stand for."""

import re
from collections import defaultdict

from apps.diagnosis.causes.load import load_causes, load_subjects
from apps.diagnosis.model import Layer, Mark
from apps.diagnosis.signatures.marks import first_words_of_failure, marked

# An exception of any class, and a line in words nothing else knows.
RAISED, TOLD = marked(Mark.EXCEPTION), marked(Mark.UNKNOWN_FAILURE)
# So near to the word of failure stands what failed.
NEAR = 140
OWN = "rank-exception"
# What a line names as an example is advice, not what happened.
FOR_EXAMPLE = re.compile(r"\((?:e\. ?g\.|for example|such as)[^()\n]{0,200}\)", re.IGNORECASE)


def subjects_of(text: str) -> list[str]:
    """Return the causes that a line's words stand for; its own data only beside nothing else."""
    text = FOR_EXAMPLE.sub("", text)
    start = first_words_of_failure(text=text)
    near = text[max(0, start.start() - NEAR) : start.end() + NEAR] if start else text[:NEAR]
    found = {
        slug: {match[0].lower() for match in pattern.finditer(near)}
        for slug, pattern in load_subjects().items()
    }
    named: dict[Layer, set[str]] = defaultdict(set)
    for slug, words in found.items():
        if slug != OWN:
            named[load_causes()[slug].layer] |= words
    most = max((len(words) for words in named.values()), default=0)
    if not most:
        return [OWN] if found[OWN] else []
    return [
        slug
        for slug, words in found.items()
        if words and slug != OWN and len(named[load_causes()[slug].layer]) == most
    ]
