"""Plain Python: what broke, from log lines and series.

Reading order: model, logs, signatures, reasoning, diagnose.
"""
