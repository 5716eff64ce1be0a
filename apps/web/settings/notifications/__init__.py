"""Notifications: what a person wants to know, the webhook, the delivery log."""
