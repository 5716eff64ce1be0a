"""Blocks of lines for a search: examples, cut ones, literals side by side."""

from hypothesis import strategies as st

from apps.diagnosis.signatures.load import load_catalog

CATALOG = load_catalog()
LITERALS = [literal for one in CATALOG.values() for literal in one.literals]
EXAMPLES = [example for one in CATALOG.values() for example in one.examples]
LINES = st.one_of(
    st.sampled_from(EXAMPLES),
    st.builds(lambda text, at: text[at:], st.sampled_from(EXAMPLES), st.integers(0, 90)),
    st.lists(st.sampled_from(LITERALS), max_size=5).map(" ".join),
    st.lists(st.sampled_from(LITERALS), max_size=5).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.just("  5%|█▌   | 120/1000 [08:21<1:01:18,  4.18s/it]"),
).map(lambda line: line.replace("\n", " "))


BLOCKS = st.lists(LINES, min_size=1, max_size=30)
