#!/usr/bin/env python3
"""tidy.py BUILD FOLDER...: clang-tidy over the sources of these folders that BUILD compiles.

Each source is parsed by itself, which finds a missing include; clang-tidy reads sources that are compiled alike together, as most of
its time goes into their headers. A clean result is remembered by the hash of everything that decides it (the preprocessed source, the
command and .clang-tidy), so that a second run looks only at what has changed.
"""
import argparse
import concurrent.futures
import dataclasses
import hashlib
import itertools
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG, TIDY = "clang++-19", "clang-tidy-19"
STAMPS = ROOT / ".cache" / "tidy"
GCC_ONLY = " -fno-gnu-unique"
TOGETHER = 24  # of the largest batches that the preset `quick` compiles


@dataclasses.dataclass
class Source:
    """A source, the folder that it is compiled in, and the command's words but for the source and its output."""

    path: pathlib.Path
    folder: str
    words: tuple

    def preprocessed(self):
        """The text that decides what clang-tidy finds, or None where it cannot be preprocessed."""
        text = subprocess.run([*self.words, "-E", "-C", self.path], cwd=self.folder, capture_output=True, check=False)
        return None if text.returncode else text.stdout

    def parse(self):
        """What Clang says where it cannot compile the source by itself."""
        command = [CLANG, *self.words[1:], "-Wno-everything", "-fsyntax-only", self.path]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        return result.stderr if result.returncode else ""


def sources_of(database, folders):
    roots = [ROOT / folder for folder in folders]
    seen = set()
    for entry in database:
        path = pathlib.Path(entry["file"])
        inside = any(path.is_relative_to(root) for root in roots)
        if not inside or path.suffix != ".cpp" or "tests" in path.parts or path in seen:
            continue
        seen.add(path)
        words = shlex.split(entry["command"].replace(GCC_ONLY, ""))
        if words[0].endswith("ccache"):
            words = words[1:]
        output = words.index("-o")
        words = words[:output] + words[output + 2 :]
        yield Source(path, entry["directory"], tuple(words[: words.index("-c")]))


def groups_of(sources):
    """Sources of one folder that are compiled alike, at most TOGETHER in each group."""
    key = lambda source: (source.words, source.folder, source.path.parent)
    for _, alike in itertools.groupby(sorted(sources, key=key), key):
        alike = list(alike)
        for start in range(0, len(alike), TOGETHER):
            yield alike[start : start + TOGETHER]


def remembered(texts, words):
    rules = (ROOT / ".clang-tidy").read_bytes()
    return STAMPS / hashlib.sha256(b"\0".join([shlex.join(words).encode(), rules, *texts])).hexdigest()


def tidy(folder, group):
    """What clang-tidy finds in the sources, which it reads as one, or as two where names of theirs clash."""
    name = hashlib.sha256("".join(str(source.path) for source in group).encode()).hexdigest()
    together = folder / f"{name[:16]}.cpp"
    together.write_text("".join(f'#include "{source.path}"\n' for source in group))
    command = [TIDY, "--quiet", "--checks=-bugprone-suspicious-include", together, "--", *group[0].words[1:]]
    result = subprocess.run(command, cwd=group[0].folder, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return ""
    if len(group) > 1 and "[clang-diagnostic-error]" in result.stdout:
        half = len(group) // 2
        return tidy(folder, group[:half]) + tidy(folder, group[half:])
    return result.stdout


def check(folder, group):
    texts = [source.preprocessed() for source in group]
    stamp = remembered(texts, group[0].words) if all(text is not None for text in texts) else None
    if stamp and stamp.exists():
        return ""
    findings = "".join(source.parse() for source in group) or tidy(folder, group)
    if stamp and not findings:
        STAMPS.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    folder = (args.build / "tidy").resolve()
    folder.mkdir(exist_ok=True)
    work = list(sources_of(json.loads((args.build / "compile_commands.json").read_text()), args.folders))
    groups = list(groups_of(work))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        findings = [each for each in pool.map(lambda group: check(folder, group), groups) if each]
    print(*findings, f"clang-tidy: {len(work)} sources in {len(groups)} groups, {len(findings)} groups with findings", sep="\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
