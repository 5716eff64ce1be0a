"""The settings: one package a tab."""
