"""One job's logs from its nodes in one tar; nothing is judged here."""
