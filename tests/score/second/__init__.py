"""A second author's training sessions, its wording taken from the programs that print it.

Reading order: rig (what runs where, and by whose clock), draft (what was said when), lines (each
program's formats), progress and aftermath (a run, and what a fault does to it), faults, noise,
files (who wrote it down, and how), generate. Its author had seen neither the first generator's
wording nor the engine's signatures. Whoever adds to it takes words from a program's source, and
changes no line because of a miss, unless the source says that the line is wrong.
"""
