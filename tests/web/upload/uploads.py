"""Files as people drop them."""

from django.core.files.uploadedfile import SimpleUploadedFile

LINES = b"first line\nsecond line\n"


def plain(body: bytes = LINES, name: str = "train.log") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, body)
