"""Packed bodies → bytes, a bounded amount at a time, and what a body may unfold to."""
