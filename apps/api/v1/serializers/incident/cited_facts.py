"""What a cited line or measurement says in typed values, beside the words of its moment."""

from typing import Any

from rest_framework import serializers

from apps.diagnosis.model import Severity
from apps.diagnosis.noticed_codes import NoticedCode
from apps.wording import ENGLISH
from apps.wording.codes import advice_text


class CitedDeviceSerializer(serializers.Serializer[dict[str, Any]]):
    """The part that a line or a measurement is about, by the names that it gives."""

    kind = serializers.CharField(
        allow_null=True, help_text="null: the line leaves open what the part is."
    )
    host = serializers.CharField(allow_null=True)
    pci = serializers.CharField(allow_null=True, help_text="`dddd:bb:dd.f`, lower case")
    uuid = serializers.CharField(allow_null=True)
    index = serializers.IntegerField(allow_null=True)
    port = serializers.CharField(
        allow_null=True, help_text="of a network card, a switch or an NVLink"
    )
    name = serializers.CharField(allow_null=True)


class NoticedCodeSerializer(serializers.Serializer[NoticedCode]):
    """An error code of the driver, and what its vendor's table says of it."""

    kind = serializers.ChoiceField(choices=("xid", "sxid"))
    code = serializers.IntegerField()
    name = serializers.CharField(help_text="what it means; empty: the table lacks it")
    severity = serializers.ChoiceField(choices=[each.value for each in Severity])
    advice = serializers.CharField(help_text="the vendor's, as `reset-gpu` or `ignore`")
    advice_text = serializers.SerializerMethodField()
    stops_job = serializers.BooleanField(
        allow_null=True,
        help_text="whether it ends the programs that use the part; null: it may",
    )

    def get_advice_text(self, code: NoticedCode) -> str:
        """Return the vendor's advice as words, in English."""
        return advice_text(advice=code.advice, speaker=ENGLISH)


class CodesField(serializers.DictField):
    """Codes by their kinds."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            child=serializers.JSONField(),
            allow_null=True,
            default=None,
            help_text="By kind, as printed: `xid`, `sxid`, `subcode`, `previous_xid`, `wc_status`, "
            "`vendor_error`, `exit_code`, `signal`, `errno`, `cuda_error`, `nccl_result`; numbers "
            "where they are. null: it names none, or was written by a former version.",
            **options,
        )


class CapturedField(serializers.DictField):
    """What a signature captures of a line, or what was measured."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            child=serializers.JSONField(),
            allow_null=True,
            default=None,
            help_text="What the signature captured of the line, by name; of a measurement "
            "`signal`, `kind`, `value`, `baseline`, `unit`, `detail`. No export has it.",
            **options,
        )


class RanksField(serializers.ListField):
    """Global ranks."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=serializers.IntegerField(), allow_null=True, default=None, **options)
