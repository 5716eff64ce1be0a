"""OpenTelemetry's exporters: logs and metrics over HTTP."""
