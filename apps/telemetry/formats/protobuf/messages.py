"""Tables of fields → classes of protocol buffers, without generated code.

A field is written "name number type [of a oneof]"; `[]` is repeated, `?` knows whether it was sent.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_TYPES: Final = {
    "string": _Field.TYPE_STRING,
    "bytes": _Field.TYPE_BYTES,
    "bool": _Field.TYPE_BOOL,
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "uint32": _Field.TYPE_UINT32,
    "double": _Field.TYPE_DOUBLE,
    "fixed64": _Field.TYPE_FIXED64,
    "sfixed64": _Field.TYPE_SFIXED64,
}
NONE: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})


def built(
    *,
    package: str,
    messages: Mapping[str, Sequence[str]],
    enumerations: Mapping[str, Sequence[str]] = NONE,
) -> dict[str, Any]:
    """Return message name → class; of an enumeration each word has the number of its place."""
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package.replace('.', '/')}.proto", package=package, syntax="proto3"
    )
    for name, words in enumerations.items():
        enumeration = file.enum_type.add(name=name)
        for number, word in enumerate(words):
            enumeration.value.add(name=word, number=number)
    for name, lines in messages.items():
        message = file.message_type.add(name=name)
        for line in lines:
            _add(package, enumerations, message, line)
        # Those of optional fields go last, as the compiler itself writes them.
        for field in message.field:
            if field.proto3_optional:
                field.oneof_index = len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field.name}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
        for name in messages
    }


def _add(
    package: str,
    enumerations: Mapping[str, Sequence[str]],
    message: descriptor_pb2.DescriptorProto,
    line: str,
) -> None:
    name, number, kind, *oneof = line.split()
    plain = kind.lstrip("[]?")
    is_named = plain[0].isupper()
    otherwise = _Field.TYPE_ENUM if plain in enumerations else _Field.TYPE_MESSAGE
    field = message.field.add(
        name=name,
        number=int(number),
        type=_TYPES.get(plain, otherwise),
        label=_Field.LABEL_REPEATED if kind.startswith("[]") else _Field.LABEL_OPTIONAL,
        type_name=f".{package}.{plain}" if is_named else None,
        proto3_optional=kind.startswith("?"),
    )
    if oneof:
        if not message.oneof_decl:
            message.oneof_decl.add(name=oneof[0])
        field.oneof_index = 0
