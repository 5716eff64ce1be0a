"""OpenTelemetry over HTTP: its messages, bounded on the wire, as pieces of logs and columns."""
