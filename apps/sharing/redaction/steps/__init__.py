"""Steps of hiding, one kind of thing each; `text.redact_text` has their order."""
