"""Pages to keep and print: one file that asks nobody for anything, and the same as PDF."""
