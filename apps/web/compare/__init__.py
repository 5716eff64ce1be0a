"""Two incidents side by side: verdicts, first signs, culprits, times, evidence."""
