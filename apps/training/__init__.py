"""What training runs tell of themselves: steps, saves, retries, stragglers, recovery.

Plain Python and numpy: facts in, frozen values out, no clock. Facts are sets: their order and
their doubles change nothing.
"""
