#!/usr/bin/env python3
"""build_progress.py --log FILE -- COMMAND...: runs a build with Ninja, and shows how far it is in place of what it prints.

In a terminal that is one line that moves; elsewhere a line each tenth. FILE gets all that it prints. If the build fails, the
first message of a compiler and the name of FILE follow. Ends with the exit status of COMMAND.
"""
import argparse
import os
import pathlib
import re
import selectors
import shutil
import subprocess
import sys
import time

STATUS = re.compile(r"^\[(\d+)/(\d+)\] (.*)")
MESSAGE_LINES = 25
TICK_S = 1.0
ESTIMATE_AFTER_S = 5.0  # what the first steps took says little


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Progress:
    """How many steps of how many are done, and since when."""

    def __init__(self, now):
        self.begin, self.done, self.total = now, 0, 0

    def take(self, line):
        """Whether the line is a step."""
        if not (found := STATUS.match(line)) or found[3].startswith("Re-running CMake"):
            return False
        self.done, self.total = int(found[1]), int(found[2])
        return True

    def text(self, now):
        elapsed = now - self.begin
        text = f"kmux: built {self.done} of {self.total}, {duration(elapsed)}"
        if elapsed >= ESTIMATE_AFTER_S and 0 < self.done < self.total:
            text += f", about {duration(elapsed / self.done * (self.total - self.done))} left"
        return text


class MovingLine:
    """One line of a terminal, written over and over."""

    def __init__(self, out):
        self.out = out

    def show(self, progress, now):
        columns = shutil.get_terminal_size().columns
        self.out.write("\r\x1b[K" + progress.text(now)[: columns - 1])
        self.out.flush()

    def end(self):
        self.out.write("\r\x1b[K")
        self.out.flush()


class SparseLines:
    """A line each tenth, for logs."""

    def __init__(self, out):
        self.out, self.tenth = out, 0

    def show(self, progress, now):
        tenth = 10 * progress.done // progress.total if progress.total else 0
        if self.tenth < tenth < 10:  # all of it is reported at the end
            self.tenth = tenth
            print(progress.text(now), file=self.out, flush=True)

    def end(self):
        pass


def lines_of(stream):
    """The lines of a pipe, and None each second without one."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        rest = b""
        while True:
            if not selector.select(TICK_S):
                yield None
                continue
            if not (read := os.read(stream.fileno(), 1 << 16)):
                break
            *whole, rest = (rest + read).split(b"\n")
            yield from (line.decode(errors="replace") for line in whole)
        if rest:
            yield rest.decode(errors="replace")


def first_message(lines):
    """What the first failed step printed, without its command; the last lines where no step failed."""
    begin = next((number for number, line in enumerate(lines) if line.startswith("FAILED: ")), None)
    if begin is None:
        return lines[-MESSAGE_LINES:]
    block = [lines[begin]]
    for line in lines[begin + 2 :]:
        if STATUS.match(line) or line.startswith(("FAILED: ", "ninja: ")):
            break
        block.append(line)
    return block[:MESSAGE_LINES]


def run(command, log, display):
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    progress = Progress(time.monotonic())
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for line in lines_of(process.stdout):
            if line is not None:
                log.write(line + "\n")
                log.flush()
            if line is None or progress.take(line):
                display.show(progress, time.monotonic())
    display.end()
    return process.returncode, progress


def report(status, progress, path, out):
    if status == 0:
        if progress.done:
            elapsed = duration(time.monotonic() - progress.begin)
            print(f"kmux: built {progress.done} of {progress.total} in {elapsed}", file=out)
        return
    message = "\n".join(first_message(path.read_text(encoding="utf-8", errors="replace").splitlines()))
    print(f"{message}\nkmux: building failed (the first message is above). The whole log is {path}.", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", type=pathlib.Path, required=True)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    display = (MovingLine if sys.stderr.isatty() else SparseLines)(sys.stderr)
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(arguments.log, "w", encoding="utf-8") as log:
            status, progress = run(arguments.command, log, display)
    except KeyboardInterrupt:
        display.end()
        return 130
    report(status, progress, arguments.log, sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
