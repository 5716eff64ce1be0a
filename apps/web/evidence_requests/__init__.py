"""Asking another party of an incident for evidence, and answering."""
