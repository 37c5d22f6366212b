#!/usr/bin/env python3
"""sanitize.py tsan|asan BUILD [CTEST ARGUMENT...]: runs the tests of an instrumented build and counts what the sanitizer reports.

Reports go to files, so that those of processes count whose output a test reads or drops. Undefined behaviour is the exception:
GCC's library writes it to stderr where the address sanitizer is linked, too; it ends the process, and ctest's log is read for
it. Prints each distinct report once, then "bar tsan_reports N reports". Ends with 1 if there is a report or a test failed.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUPPRESSIONS = ROOT / "tests" / "sanitizers"
EXIT_CODE = 66  # of a process with a report; GoogleTest ends with 1, ctest skips at 77

# That memory cannot be had is not a report: tests ask for too much.
HEAD = re.compile(r"(WARNING|ERROR|FATAL): \w+Sanitizer\b(?! failed to allocate)|\w+Sanitizer:? ?(DEADLYSIGNAL|has encountered)")
UNDEFINED = re.compile(r": runtime error: ")
FRAME = re.compile(r"^\s*#\d+ .*")
OURS = re.compile(r"/(?:core|plugins|cli|integrations|tests|bench|examples)/\S+?\.(?:cpp|h|hpp|c)(?::\d+)?")
NUMBERS = re.compile(r"\(pid=\d+\)|==\d+==|0x[0-9a-f]+")


def options(kind, folder):
    """The environment that makes every process of the tests write its reports into `folder`."""
    # Memory that cannot be had is null, as it is without a sanitizer: tests ask for too much. What grows without end is
    # ended before it takes the machine.
    common = f"log_path={folder}/report:exitcode={EXIT_CODE}:allocator_may_return_null=1:hard_rss_limit_mb=8000"
    confined = {"KMUX_COMPILER_READS": str(SUPPRESSIONS), "KMUX_COMPILER_WRITES": str(folder)}  # workers have reports, too
    return {**confined, **options_of(kind, common)}


def options_of(kind, common):
    """The options of the sanitizers that belong to `kind`, after those of all."""
    if kind == "tsan":
        # Deadlocks are found by the order of locks; 7 is the longest history, so that both stacks of a race are told.
        # Children of a process with threads start some of their own; threads may be left alone at the end of a process.
        process = "die_after_fork=0:report_thread_leaks=0"
        return {"TSAN_OPTIONS": f"{common}:suppressions={SUPPRESSIONS}/tsan.txt:history_size=7:second_deadlock_stack=1:{process}"}
    # GCC 12 takes a block of thread-local memory that lies 16 bytes into a page for one of an old glibc's, and crashes as it
    # looks for leaks there; what only such blocks of opened libraries point to would count as leaked.
    # Tests have kernels and plugins that crash on purpose in a worker, and expect the signal; any other crash fails its test.
    leaks = "detect_leaks=1:intercept_tls_get_addr=0:handle_segv=0"
    return {
        "ASAN_OPTIONS": f"{common}:{leaks}:strict_string_checks=1:check_initialization_order=1",
        "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS}/lsan.txt:print_suppressions=0",
        "UBSAN_OPTIONS": f"print_stacktrace=1:suppressions={SUPPRESSIONS}/ubsan.txt",
    }


def split(text, head):
    """The reports of one file, each from its first line."""
    reports = []
    for line in text.splitlines():
        if head.search(line):
            reports.append([line])
        elif reports:
            reports[-1].append(line)
    return reports


def place(report):
    """The first source of this tree in the report, else its first frame."""
    for line in report:
        if found := OURS.search(line):
            return found[0].lstrip("/")
    return next((line.strip() for line in report if FRAME.match(line)), "no stack")


def title(report):
    return f"{NUMBERS.sub('', report[0]).strip()} at {place(report)}"


def read_reports(folder, log):
    """{title: (count, file of the first)}"""
    found = collections.OrderedDict()
    for path in [*sorted(folder.glob("report.*")), log]:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        for report in split(text, UNDEFINED if path == log else HEAD):
            count, first = found.get(title(report), (0, path))
            found[title(report)] = (count + 1, first)
    return found


def main():
    kind, build, arguments = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    folder = build / "reports"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {**os.environ, **options(kind, folder)}
    command = ["ctest", "--test-dir", str(build), "--no-tests=error", *arguments]
    status = subprocess.run(command, env=environment, check=False).returncode
    reports = read_reports(folder, build / "Testing" / "Temporary" / "LastTest.log")
    for text, (count, path) in reports.items():
        print(f"{count} x {text} ({path})", file=sys.stderr)
    print(f"bar {kind}_reports {sum(count for count, _ in reports.values())} reports")
    return 1 if status or reports else 0


if __name__ == "__main__":
    sys.exit(main())
