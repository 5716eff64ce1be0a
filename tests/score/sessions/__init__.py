"""Whole failed sessions in the vendors' formats, composed without a look at the engine.

Read `truth` (what a session claims), `cluster` (who ran where, with which clock), `scene` (who says
what when), `life` (a healthy run), `cascade` (what the others print), `faults` (what broke),
`decoys`, `render` (voices → files) and `compose` (all of it from one seed).
"""
