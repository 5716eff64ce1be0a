"""What senders send, decoded in bounded memory: lines, labels, Loki, OTLP, remote_write."""
