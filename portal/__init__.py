"""Wiring: settings, routes, processes. Nothing imports portal."""
