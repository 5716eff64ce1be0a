"""What detectors share, and what each carries from one block of samples to the next.

Reading order: kept (arrays that follow the rows), levels, compared (with peers), usual (with its
own past), spells (what holds for a while).
"""
