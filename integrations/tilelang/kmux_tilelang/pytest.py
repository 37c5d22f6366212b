"""pytest -p kmux_tilelang.pytest: TileLang's kernels run through kmux, and the summary says which did."""

import json
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("kmux")
    group.addoption("--kmux-named", action="store_true", help="also kernels that name one of TileLang's own backends")
    group.addoption("--kmux-strict", action="store_true", help="a kernel that kmux does not take is an error")
    group.addoption("--kmux-report", metavar="FILE", help="append a line of JSON with what became of the kernels")


def pytest_configure(config: Any) -> None:
    from .backend import install

    install(default=True, strict=config.getoption("--kmux-strict"), named=config.getoption("--kmux-named"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    from .backend import report

    counts = report()
    terminalreporter.section("kmux")
    terminalreporter.write_line(str(counts))


def pytest_sessionfinish(session: Any) -> None:
    from .backend import report

    if (to_controller := getattr(session.config, "workeroutput", None)) is not None:
        to_controller["kmux"] = report().as_json()
    elif path := session.config.getoption("--kmux-report"):
        with Path(path).open("a") as file:
            print(json.dumps(report().as_json()), file=file)


# pytest-xdist's: its workers compile, and its controller, which compiles nothing, prints the summary.
@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    from .backend import report

    report().add(getattr(node, "workeroutput", {}).get("kmux", {"compiled": {}, "fallbacks": {}}))
