#!/usr/bin/env python3
"""Attacks on kmux: attacks.py KMUX [--only TEXT] [--every N] [--jobs N] prints one line each, then how many were tried and how many succeeded.

An attack succeeds if code of the attacker runs, a file is written or read that should not be, a process ends or sticks, or a stale or
forged artifact is taken. Exit code 1: one succeeded. What an attack needs and the machine lacks is named."""

import argparse
import collections
import concurrent.futures
import os
import sys
import traceback

import folders  # noqa: F401
import formats  # noqa: F401
import programs  # noqa: F401
from scene import ATTACKS, Missing, scene_of


def outcome_of(kmux, name):
    try:
        with scene_of(kmux) as scene:
            return "SUCCEEDED" if ATTACKS[name](scene) else "held"
    except Missing as lacks:
        return f"skipped for want of {lacks}"
    except Exception:  # an attack that breaks proves nothing
        return "BROKEN\n" + traceback.format_exc()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kmux")
    parser.add_argument("--only", default="", help="names that have this text")
    parser.add_argument("--every", type=int, default=1, help="of so many attacks one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    chosen = parser.parse_args()
    kmux = os.path.abspath(chosen.kmux)
    names = [name for name in ATTACKS if chosen.only in name][:: chosen.every]
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        for name, outcome in zip(names, pool.map(lambda name: outcome_of(kmux, name), names)):
            counts[outcome.split()[0]] += 1
            print(f"attack {name}: {outcome}", flush=True)
    print(f"attacks_tried {counts['held'] + counts['SUCCEEDED'] + counts['BROKEN']}")
    print(f"attacks_skipped {counts['skipped']}")
    print(f"attacks_succeeded {counts['SUCCEEDED'] + counts['BROKEN']}")
    return 1 if counts["SUCCEEDED"] + counts["BROKEN"] else 0


if __name__ == "__main__":
    sys.exit(main())
