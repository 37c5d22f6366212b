#!/usr/bin/env python3
"""picture.py < bars > picture.svg: the ratios that group cpu printed, a bar each on a logarithmic axis, beside their limits."""
import math
import sys

_LEFT, _WIDTH, _ROW, _LEAST, _MOST = 190, 420, 26, 0.25, 64


def place(ratio: float) -> float:
    """Where `ratio` lies on the axis."""
    return _LEFT + _WIDTH * math.log(ratio / _LEAST) / math.log(_MOST / _LEAST)


def row(index: int, name: str, ratio: float, limit: float) -> str:
    top = 40 + index * _ROW
    beside = 0 <= place(limit) - place(ratio) < 50  # the limit would stand in the number
    color = "#2b7a4b" if ratio >= limit else "#b3541e"
    return (f'<text x="{_LEFT - 8}" y="{top + 14}" text-anchor="end">{name}</text>'
            f'<rect x="{_LEFT}" y="{top + 3}" width="{place(ratio) - _LEFT:.1f}" height="15" fill="{color}"/>'
            f'<text x="{place(limit if beside else ratio) + 5:.1f}" y="{top + 15}">{ratio:.3g}</text>'
            f'<path d="M{place(limit):.1f} {top}v21" stroke="#222" stroke-width="2"/>')


def axis(height: int) -> str:
    marks = (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)
    return "".join(f'<path d="M{place(mark):.1f} 36V{height - 12}" stroke="#ccc"/>'
                   f'<text x="{place(mark):.1f}" y="30" text-anchor="middle">{mark:g}</text>' for mark in marks)


def picture(rows: list) -> str:
    height = 40 + len(rows) * _ROW + 14
    body = axis(height) + "".join(row(i, *one) for i, one in enumerate(rows))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{height}" font-family="sans-serif" font-size="12">'
            f'<rect width="680" height="{height}" fill="white"/>{body}</svg>\n')


def main() -> None:
    """Of those with a least value, in the order of their lines: bar NAME VALUE ratio >= LIMIT VERDICT."""
    words = [line.split() for line in sys.stdin if line.startswith("bar ") and ">=" in line]
    print(picture([(name, float(value), float(limit)) for _, name, value, _, _, limit, _ in words]), end="")


if __name__ == "__main__":
    main()
