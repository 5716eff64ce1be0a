"""E-mails: their texts, and the conversation that sends them."""
