"""What one organization holds → what another may read: pseudonyms for names, secrets cut.

Plain Python over `apps.diagnosis`. `text.redact_text` hides in lines, `fields.redact_fact`,
`redact_statement` and `redact_labels` in structured facts, by the same `pseudonyms.Pseudonyms` and
one of the profiles (`profiles.load.load_profiles`). `known_names.KnownNames` is what the owner
calls its own; `reverse_map.ReverseMap` (`restored`, `value_of`) leads back to it.
"""
