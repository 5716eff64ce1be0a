"""The drill: mixed faults, each party alone with its own data, and all of them together.

A fault is mixed where one party holds the symptom and another the cause. Reading order: holdings
(who holds what of a fault), answers (what is said of it), card (the measures and the table).
"""
