"""Loki's push format, as JSON and as protobuf: label sets with timed entries → pieces."""
