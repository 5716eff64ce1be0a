"""How runs are broken, one module a framework: `WAYS` of each.

Reading order: way (what a way is, how launchers are started), then the frameworks.
"""
