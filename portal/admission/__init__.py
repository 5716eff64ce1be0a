"""What happens to a request before the framework sees it: limits, credentials, turns.

Reading order: application, body, byte_budget, fair_queue, sign_ins, pushes, uploads, protocol.
"""
