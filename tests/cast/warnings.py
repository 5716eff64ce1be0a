"""A warning of the cast's operator."""

from datetime import timedelta

from apps.telemetry.models import EarlyWarning
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast


def warn(cast: Cast, **fields: object) -> EarlyWarning:
    """Store a warning of the operator about gpu001, forty minutes before AT."""
    with organization_scope(cast.operator.pk):
        return EarlyWarning.objects.create(
            **{
                "organization": cast.operator,
                "public_id": "EP-1",
                "cluster": cast.cluster,
                "entity": {"kind": "gpu", "host": "gpu001", "index": 3},
                "entity_key": "gpu:gpu001/3",
                "host": "gpu001",
                "layer": "gpu",
                "score": 0.93,
                "is_page": True,
                "starts_at": make.AT - timedelta(minutes=50),
                "raised_at": make.AT - timedelta(minutes=40),
                "told_at": make.AT - timedelta(minutes=40),
                "causes": ["gpu-throttling"],
                "families": ["gpu-clock", "gpu-temperature"],
                "contributions": [
                    {
                        "family": "gpu-clock",
                        "signal": "gpu.clock",
                        "kind": "peer-deviation",
                        "value": 1.1e9,
                        "baseline": 1.9e9,
                        "unit": "Hz",
                        "detail": "",
                    }
                ],
                **fields,
            }
        )
