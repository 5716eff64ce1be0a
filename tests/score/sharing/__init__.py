"""How sharing is shown to hold: tests and benches, and what they counted, as one table."""
