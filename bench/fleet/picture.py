#!/usr/bin/env python3
"""picture.py < figures > picture.svg: how many kernels a second nodes of 16 cores compile, beside what one driver and one server
take; the figures are those of `bars_fleet --scale`. Where lines cross, something breaks."""
import math
import sys

_CORES, _TASK = 16, 16  # of a node; units in a task at most
_X, _Y = (1, 1000), (10, 100_000)  # nodes; kernels a second
_LEFT, _TOP, _WIDTH, _HEIGHT = 80, 20, 440, 300


def place(nodes: float, rate: float) -> tuple:
    """Where a point lies in the picture."""
    across = math.log(nodes / _X[0]) / math.log(_X[1] / _X[0])
    up = math.log(rate / _Y[0]) / math.log(_Y[1] / _Y[0])
    return _LEFT + _WIDTH * across, _TOP + _HEIGHT * (1 - up)


def line(begin: tuple, end: tuple, style: str) -> str:
    (x, y), (to_x, to_y) = place(*begin), place(*end)
    return f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" fill="none" {style}/>'


def text(x: float, y: float, words: str, anchor: str = "start", color: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{words}</text>'


def grid() -> str:
    nodes, rates = (1, 10, 100, 1000), (10, 100, 1000, 10_000, 100_000)
    body = "".join(line((n, _Y[0]), (n, _Y[1]), 'stroke="#ddd"') for n in nodes)
    body += "".join(line((_X[0], rate), (_X[1], rate), 'stroke="#ddd"') for rate in rates)
    body += "".join(text(place(n, _Y[0])[0], _TOP + _HEIGHT + 18, f"{n:,}", "middle") for n in nodes)
    body += "".join(text(_LEFT - 8, place(1, rate)[1] + 4, f"{rate:,}", "end") for rate in rates)
    axes = text(_LEFT + _WIDTH / 2, _TOP + _HEIGHT + 38, "nodes of 16 cores", "middle")
    return body + axes + text(_LEFT, _TOP - 6, "kernels a second")


def nodes_line(seconds: float) -> str:
    """What nodes compile, until it leaves the picture."""
    rate = _CORES / seconds
    last = min(_X[1], _Y[1] / rate)
    x, y = place(last, rate * last)
    return line((1, rate), (last, rate * last), 'stroke="#20639b" stroke-width="2"') + text(
        x + 6, y + 4, f"{seconds:g} s a kernel", color="#20639b")


def limits(rates: dict) -> str:
    """A line each, from the highest to the lowest, with words that do not stand in each other."""
    dashed, body, free = 'stroke="#b3541e" stroke-width="2" stroke-dasharray="6 4"', "", 0.0
    for words, rate in sorted(rates.items(), key=lambda each: -each[1]):
        x, y = place(_X[1], rate)
        free = max(free, y + 4)
        body += line((1, rate), (_X[1], rate), dashed) + text(x + 6, free, f"{words}: {rate:,.0f}", color="#b3541e")
        free += 15
    return body


def picture(figures: dict) -> str:
    rates = {"tasks of 16, one driver": figures["ray_tasks"] * _TASK,
             "one Redis server": figures["redis_100"] / figures["redis_commands_a_compilation"],
             "programs not sent before": figures["ray_programs"]}
    body = grid() + nodes_line(0.2) + nodes_line(1) + limits(rates)
    width, height = _LEFT + _WIDTH + 260, _TOP + _HEIGHT + 50
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">'
            f'<rect width="{width}" height="{height}" fill="white"/>{body}</svg>\n')


def main() -> None:
    words = [line.split() for line in sys.stdin if line.startswith("scale ")]
    print(picture({name: float(value) for _, name, value, *_ in words}), end="")


if __name__ == "__main__":
    main()
