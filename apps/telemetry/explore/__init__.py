"""What an organization asks of its own metrics sources: catalog signals, and PromQL as written."""
