"""A checkpoint's way to the file server. Reading order: phases, ledger, rated, rpc_queue, slots.

`phases_of` finds saves and loads, `ledger_of` what they cost, `rated_shares` how much of what is
there they use, `queue_shares` and `queue_alerts` where requests wait, `slot_reading` what that is
consistent with, `emergence` from how many nodes on it begins.
"""
