"""What a cited line or measurement says in typed values, beside the words of its moment."""

from typing import Any

from rest_framework import serializers


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
