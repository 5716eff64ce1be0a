"""docs/openapi.yaml says what the code does."""

from apps.api.openapi import main
from tests.contracts.interface_file import FILE, WHOLE
from tests.contracts.route_matrix import PARAMETER, inside


def test_the_file_is_what_the_code_says() -> None:
    assert main(path=FILE, is_check=True) == 0


def test_every_route_of_the_interface_is_described() -> None:
    patterns = [route.pattern for route in inside() if not route.is_page]
    routes = {"/" + PARAMETER.sub(r"{\2}", pattern) for pattern in patterns}

    assert WHOLE["openapi"].startswith("3.1")
    assert routes <= set(WHOLE["paths"])


def test_every_operation_has_a_name_and_says_how_it_refuses() -> None:
    operations = [
        operation
        for path, methods in WHOLE["paths"].items()
        if path.startswith("/api/v1/o/")
        for operation in methods.values()
    ]

    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names))
    assert all(
        "404" in operation["responses"] or "export" in operation["operationId"]
        for operation in operations
    )
