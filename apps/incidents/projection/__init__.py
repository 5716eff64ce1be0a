"""An incident as one organization reads it.

An incident has one row and several readers, and each reads of it what its part in the cluster and
the blamed layer allow (`rights`). One of several tenants that a shared part hit reads its own
session's hosts and times alone (`reader_scope`); who left the cluster reads what stood there then
(`apps/incidents/snapshots.py`); of what others hold everybody learns that it is there, of which
layer, and what it weighs, never its words (`hypotheses`). Rows come in through the doors
(`access`); what goes out is frozen and made of plain values (`values`): nobody outside this app
holds a row of an incident, so nobody can read past the projection. Pages, REST, exports, mails and
webhooks ask `apps/incidents/facade`, which opens a door and projects what is behind it.
"""
