"""How right the verdicts were, by what the parties said."""
