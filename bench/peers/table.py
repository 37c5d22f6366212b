"""The comparison as Markdown."""

from __future__ import annotations

from typing import Any

import kernels
from contest import figure_of
from measuring import Figure

COLUMNS = ("call us", "x first", "call and wait us", "work us", "GB/s", "import ms", "cold ms", "warm ms")
TITLES = {"device": "On a GPU", "host": "On the processor"}
FOOT = f"""\
Everybody computes `z = a * x + y` over float32. All take the same CUDA text or C, except Triton, TileLang and PoCL,
which have it in their own language; TileLang's is compiled for its n. Each result is compared with NumPy's, all bits,
before anything is timed. Each peer has a process of its own; they take turns in every round, another one first each
time. In brackets: the 95 % interval of the median by order statistics; for starts the least and the most.

- *call*: host time of a call, 100 back to back, n = {kernels.SMALL}; *x first*: the same over the first row's, median
  over rounds
- *call and wait*: a call until its result is there, n = {kernels.SMALL}
- *work*: n = {kernels.LARGE}. On a GPU the device's time between two events around 10 queued calls; on the processor a
  call until its result is there (PoCL uses all cores, the others one). *GB/s* counts {kernels.BYTES} bytes an element
- *import*: from a running Python to a device that is up: imports, context
- *cold*: from the kernel's text to its first result in a process that finds no cache; *warm*: the same in a new process
  that finds what another has left. Who keeps nothing compiles again; on a GPU NVRTC itself then finds its result in
  the driver's cache
- Rows "from C" and "loop" are called in a loop of C; all others by Python, with what their users have in hand: tensors of
  torch (kmux, Triton, TileLang), NumPy's arrays (kmux on the processor), arrays of their own (CuPy, PoCL), addresses (the
  rest). Importing tvm_ffi, as kmux does, imports torch where it is installed"""


def microseconds(found: Figure | None) -> str:
    return shown(found, 1e-3)


def milliseconds(found: Figure | None) -> str:
    return shown(found, 1e-6)


def shown(found: Figure | None, factor: float) -> str:
    """A median with its interval, which is left out where it would read the same."""
    if found is None:
        return ""
    median, low, high = (digits(value * factor) for value in (found.median, found.low, found.high))
    return median if low == median == high else f"{median} ({low} to {high})"


def digits(value: float) -> str:
    """Three significant digits, never an exponent."""
    for places, limit in ((3, 1), (2, 10), (1, 100)):
        if abs(value) < limit:
            return f"{value:.{places}f}"
    return f"{value:.0f}"


def rate(work: Figure | None) -> str:
    return "" if work is None else f"{kernels.BYTES * kernels.LARGE / work.median:.0f}"


def cells(row: dict[str, Any]) -> list[str]:
    if row["state"] != "measured":
        return [f"{row['state']}: {plain(row['why'])}", *[""] * (len(COLUMNS) - 1)]
    work = figure_of(row, "work")
    times = [figure_of(row, what) for what in ("call", "call_ratio", "wait")]
    starts = [figure_of(row, what) for what in ("import", "cold", "warm")]
    return [
        microseconds(times[0]),
        shown(times[1], 1),
        microseconds(times[2]),
        microseconds(work),
        rate(work),
        *map(milliseconds, starts),
    ]


def plain(text: str) -> str:
    """Text that ends no cell and starts no line."""
    return " ".join(text.split()).replace("|", "\\|")


def of_side(rows: list[dict[str, Any]]) -> str:
    lines = [["peer", *COLUMNS], ["---"] * (len(COLUMNS) + 1)]
    for row in rows:
        version = f" ({plain(row['version'])})" if row["version"] else ""
        lines.append([f"{row['peer']}{version}", *cells(row)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def place(machine: dict[str, str], settings: dict[str, int]) -> str:
    words = [machine["device"], machine["processor"], f"Python {machine['python']}", machine["date"]]
    if machine["commit"]:
        words.append(f"commit {machine['commit'][:7]}")
    words.append(f"rounds: {settings['rounds']}, starts: {settings['starts']}")
    return "; ".join(word for word in words if word)


def markdown(results: list[dict[str, Any]]) -> str:
    """All tables, each under its machine, and what the columns mean."""
    parts = []
    for result in results:
        for side, title in TITLES.items():
            if rows := [row for row in result["rows"] if row["side"] == side]:
                parts += [f"## {title}", place(result["machine"], result["settings"]) + ".", of_side(rows)]
    return "\n\n".join([*parts, FOOT]) + "\n"
