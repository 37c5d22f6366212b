"""The names that pages list (targets, architectures, backends and their aliases, options and their values, commands and their
options), each with the words that try it."""
import json
import re
import subprocess

from user_pages import ROOT, own_pages

PROGRAM = str(ROOT / "examples" / "portable" / "saxpy.kmux.json")
BUILDS_FOR = {"cpu": "cpu", "cuda": "cuda:sm_90a", "cutedsl": "cuda:sm_90a", "hip": "hip:gfx942", "metal": "metal", "nvrtc": "cuda:sm_90a"}
CODE = re.compile(r"`([^`]+)`")
FENCED = re.compile(r"^```\w*\n(.*?)^```$", re.M | re.S)
# What stands for the values of an option where its page does not name them one by one.
FREE_VALUES = {
    "flags, split at blanks as by a shell": ["-DN=4"],
    "one folder per line": ["/usr/include"],
    "a program": ["/usr/bin/c++"],
    "a target": ["c"],
    "one constant per line": ["n:int=1"],
}


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def rows(text, *head):
    """The cells of the tables whose head begins so."""
    wanted = "| " + " | ".join(head)
    for table in re.split(r"\n(?!\|)", text):
        lines = [line for line in table.splitlines() if line.startswith("|")]
        if lines and lines[0].startswith(wanted):
            for line in lines[2:]:
                yield [cell.strip() for cell in line.strip("|").split(" | ")]


def targets():
    listed = {name for cell, *_ in rows(text_of("docs/auto.md"), "target", "is") for name in CODE.findall(cell)}
    for page in own_pages():
        listed |= set(re.findall(r"\b(?:gfx\d+[a-f]?(?:-generic)?|sm_\d+[af]?)\b(?!\*)", text_of(page)))
    for name in sorted(listed):
        yield f"target {name}", ["resolve", PROGRAM, "--target", name]


def backends():
    listed = {name for cell, *_ in rows(text_of("docs/backends.md"), "plugin", "dialects") for name in CODE.findall(cell)}
    for manifest in (ROOT / "plugins").glob("*/plugin.json.in"):
        listed |= set(json.loads(re.search(r'"aliases": (\[.*?\])', manifest.read_text(encoding="utf-8"))[1]))
    for name in sorted(listed):
        yield f"backend {name}", ["resolve", PROGRAM, "--backend", name]


def values(cell):
    """The values of an option, of the cell that says them."""
    if numbers := re.fullmatch(r"(\d+) to (\d+)", cell):
        return list(numbers.groups())
    return FREE_VALUES.get(cell) or CODE.findall(cell)


def options():
    for plugin, target in BUILDS_FOR.items():
        for name, cell, *_ in rows(text_of(f"plugins/{plugin}/README.md"), "option", "values"):
            option = name.strip("`")
            assert values(cell), (plugin, name, cell)
            for value in values(cell):
                words = ["launcher", PROGRAM, "--backend", plugin, "--target", target, "--option", f"{option}={value}"]
                yield f"{plugin}: {option}={value}", words


def commands():
    """(command, its options) as shown on pages."""
    for page in own_pages():
        for line in re.findall(r"^ *(?:\$ )?kmux ([a-z]+ .*)$", "\n".join(FENCED.findall(text_of(page))), re.M):
            command, *words = re.split(r"\s{3,}| # ", line)[0].split()
            yield command, [word for word in words if word.startswith("-")] + re.findall(r" (--[a-z-]+)", line)


def refused_options(kmux):
    """Options of commands on pages that the command's help does not list."""
    helps = {}
    for command, words in commands():
        if command not in helps:
            done = subprocess.run([kmux, command, "--help"], capture_output=True, text=True, timeout=60)
            helps[command] = done.stdout if done.returncode == 0 else ""
        known = set(re.findall(r"(?<!\S)-{1,2}[a-z][a-z-]*", helps[command].replace("[", " ")))
        if command not in known and not helps[command]:
            yield f"kmux {command}"
        yield from (f"kmux {command} {word}" for word in words if word.split("=")[0] not in known)


def refused(kmux, environment):
    """What is not understood, with the message. A device or a compiler may be missing: that is no question of names."""
    for name, words in [*targets(), *backends(), *options()]:
        done = subprocess.run([kmux, *words], capture_output=True, text=True, env=environment, timeout=120)
        if done.returncode not in (0, 4):
            yield f"{name}: {done.stderr.strip()}"
    yield from refused_options(kmux)


def count():
    return len([*targets(), *backends(), *options(), *commands()])
