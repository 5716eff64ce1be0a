"""What an incident keeps, as rows: header, parties, hypotheses, evidence, attempts it hit."""
