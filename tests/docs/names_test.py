#!/usr/bin/env python3
"""names_test.py KMUX: every name that a page lists is understood."""
import os
import sys

import names


def main():
    kmux = sys.argv[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TILELANG_")}
    refused = sorted(set(names.refused(kmux, {**kept, "KMUX_DISABLE_CACHE": "1"})))
    print("\n".join(refused))
    print(f"{names.count()} names tried, {len(refused)} refused")
    return 1 if refused or names.count() < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
