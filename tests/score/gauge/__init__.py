"""Fresh recorded cases, labelled before any verdict on them, and how right the verdicts are."""
