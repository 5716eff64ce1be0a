"""What happens to a request before the framework sees it: limits, credentials, turns.

Reading order: application, body, byte_budget, pace, fair_queue, sign_ins, protocol, connections,
header_buffer.
"""
