"""python3 bench/peers: the same kernel through kmux and its peers, as a table. See README.md beside this file."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from typing import Any

import machine
import page
import roster
import table
from contest import Contest, Entrant
from peer import Peer

FORMAT = "kmux-peers"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/peers", description=__doc__.split(":", 1)[1].strip())
    parser.add_argument("--on", choices=("all", "device", "host"), default="all", help="who is compared")
    parser.add_argument("--only", action="append", metavar="TEXT", help="peers whose name contains it, case ignored")
    parser.add_argument("--rounds", type=int, default=101, help="of bursts (default: 101)")
    parser.add_argument("--starts", type=int, default=3, help="cold and warm starts of each (default: 3)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes what was measured")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="puts the tables between the page's markers")
    parser.add_argument("--from", dest="read", type=pathlib.Path, action="append", metavar="JSON",
                        help="measures nothing: what an earlier --json wrote")  # fmt: skip
    given = parser.parse_args()
    if min(given.rounds, given.starts) < 1:
        parser.error("--rounds and --starts must be at least 1")
    return given


def chosen(side: str, only: list[str] | None) -> list[Peer]:
    words = [word.lower() for word in only or [""]]
    return [peer for peer in roster.on(side) if any(word in peer.name.lower() for word in words)]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measured(given: argparse.Namespace) -> dict[str, Any]:
    rows = []
    for side in ("device", "host"):
        entrants = [Entrant(peer.name, peer.side) for peer in chosen(given.on, given.only) if peer.side == side]
        if entrants:
            rows += Contest(entrants, say=say).run(given.starts, given.rounds)
    settings = {"rounds": given.rounds, "starts": given.starts}
    return {"format": FORMAT, "version": 1, "machine": machine.described(), "settings": settings, "rows": rows}


def read(path: pathlib.Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if result.get("format") != FORMAT or result.get("version") != 1:
        raise ValueError(f"{path} is not a result of bench/peers. Make one with --json.")
    return result


def main() -> int:
    given = arguments()
    if given.write:
        page.check(given.write)
    results = [read(path) for path in given.read] if given.read else [measured(given)]
    text = table.markdown(results)
    if given.json:
        given.json.write_text(json.dumps(results[0], indent=1) + "\n", encoding="utf-8")
    if given.write:
        page.write(given.write, text)
    print(text, end="")
    return 1 if any(row["state"] in ("wrong", "failed") for result in results for row in result["rows"]) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, page.PageError) as error:
        sys.exit(f"bench/peers: {error}")
