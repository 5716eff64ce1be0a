"""Nodes and their parts at one instant: values, marks, and how unlike their peers they are."""
