"""The chain of all steps. No rule of its own.

Read `chain` (an input and its attempts, in each zone that its logs may be in), `zone_readings`
(which of these is the answer, and how sure), `gone_on` (a job that went on without a part, by
`lived_loss`), `attempt` (one through all steps), then what it calls: `suspects`, `derived`,
`disturbances`, `beside`.
"""

from apps.diagnosis.diagnose.chain import diagnose

__all__ = ["diagnose"]
