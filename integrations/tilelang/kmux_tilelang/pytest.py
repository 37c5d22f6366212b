"""pytest -p kmux_tilelang.pytest: TileLang's kernels run through kmux, and the summary says which did."""

import json
from pathlib import Path
from typing import Any


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

    if path := session.config.getoption("--kmux-report"):
        counts = report()
        with Path(path).open("a") as file:
            print(json.dumps({"compiled": dict(counts.compiled), "fallbacks": counts.fallbacks}), file=file)
