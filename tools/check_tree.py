#!/usr/bin/env python3
"""Checks the rules of the source tree that no compiler checks. Prints every breach; exit 1 if there is one."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = {".git", ".venv", ".cache", "build", "__pycache__", "data"}
SOURCES = {".h", ".hpp", ".c", ".cpp", ".inc", ".py", ".sh", ".cmake"}
BANNED = {"utils", "util", "common", "helpers", "helper", "misc"}
BACKEND = re.compile(r"(?<![a-z0-9])(cuda|nvrtc|hip|metal|cutedsl)(?![a-z0-9])", re.IGNORECASE)
FILE_LINES = 400  # more are a warning
MOST_FILE_LINES = 500  # more are a breach
# Objects that the end of the process would destroy under threads that still use them. These
# folders drop all destructors, or end in order.
DROPS_DESTRUCTORS = ("plugins/cpu", "plugins/simt", "cli")
CONTAINER = r"(?:std::(?:string|vector|map|set|unordered_map|unordered_set|list|deque|optional|function|shared_ptr|unique_ptr)\b|Result<|Options\b)"
MORTAL = re.compile(rf"^(?:\s*(?:inline )?static (?:const )?|(?:inline )?const ){CONTAINER}[^()&]*?\w+(?: = |{{|;)")
THREAD_OWNERS = {"start_thread.h"}
THREAD = re.compile(r"std::j?thread\([^)]|std::async\(|(?:emplace_back|push_back)\(\[.*(?:work|thread)|std::j?thread \w+[({]")
# Messages in a dialect: "is no number" for "is not a number", "is none", "nobody waits".
DIALECT = re.compile(r'^(?!\s*//).*"[^"]*(?:(?<!here )\b(?:is|are) (?:no (?!longer\b|more\b|such\b)|none\b)|\b(?:whoever|nobody|somebody)\b)')
# Names of limits, which are kMax and kMin.
LIMIT_NAME = re.compile(r"\bk(?:Most|Least|Fewest)[A-Z]\w*")
# Functions of std::filesystem, which throw unless their last argument is an error_code; so does a range of a folder's entries.
FILESYSTEM = re.compile(
    r"(?:\bfs|filesystem)::(?:exists|is_\w+|file_size|create_\w+|remove|remove_all|rename|status|symlink_status|canonical|weakly_canonical|"
    r"absolute|relative|proximate|current_path|copy|copy_file|last_write_time|read_symlink|temp_directory_path|equivalent|space|"
    r"resize_file|permissions|(?:recursive_)?directory_iterator(?: \w+)?)\(")
ERROR_CODE = re.compile(r"std::error_code (\w+)")
ENTRIES = re.compile(r"for \([^;]*: .*directory_iterator\(")
# What reads the environment: HACKING.md has the reasons.
ENVIRONMENT = re.compile(r"^(?!\s*//).*\b(?:(?:secure_)?getenv\(|environ\b)")
ENVIRONMENT_READERS = ("core/runtime/system", "core/toolchain", "cli/style.cpp", "plugins/hip/printed/entry_points.h")
# What the folders of core/ may include beside themselves: those before them in a line, and in the lines above. One that is
# not named (ir/validate) belongs to the folder that it is in.
SDK = ("base", "ir", "plan toolchain", "plugin")
RUNTIME = ("runtime/system", "runtime/plugins", "runtime/isolation", "runtime/tensor runtime/cache/disk", "runtime/cache/remote",
           "runtime/cache", "runtime/artifact", "runtime/resolve", "runtime/kernel", "runtime/tune", "runtime/compile", "runtime/pool",
           "runtime/jit runtime/export", "runtime", "worker bench")
# What each plugin has by that name.
PLUGIN_FILES = ("README.md", "plugin.json.in", "conformance.txt", "backend.h", "backend.cpp", "wrapper.h", "builder.h",
                "builder.cpp")
# These, too, but the plugins for NVIDIA's devices may have those of plugins/nvidia, which they link, or of a folder of it.
SHARED_FILES = ("adapter.h", "options.h", "device.h")
NVIDIA = "nvidia"
# Besides, with an adapter of its own: what that reads of an artifact. A printed launcher of plugins/nvidia has its facts in it.
META = "meta.h"
# What costs each source of an application most, of the standard library's headers: kmux.hpp has none of them.
UMBRELLA = pathlib.Path("core/runtime/include/kmux/kmux.hpp")
HEAVY = {"algorithm", "chrono", "condition_variable", "deque", "filesystem", "format", "functional", "future", "iostream", "map", "memory",
         "mutex", "ranges", "regex", "semaphore", "set", "sstream", "stop_token", "thread", "unordered_map", "unordered_set"}
NEXT_LITERAL = re.compile(r'"\s*\n\s*"')
SECOND_BRACKETS = re.compile(r'"[^"\n]*\)\. [A-Z][^"\n]* \([^"\n]*"')
TEST_CASE = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+), (\w+)\)")
TEST_DIALECT = re.compile(r"ThatIsNo|WhatIs|IsThere|AreThere|Nobody|Whoever|OfItsOwn|Anew|OneByOne|GoesOn|Refuse|Whether")
# Cases of the conformance suite are named in manifests of plugins elsewhere; those on devices are chosen by their names.
OWN_CASES = (pathlib.Path("tests/conformance"), pathlib.Path("bench/device"))
TEXTS = {".h", ".hpp", ".cpp", ".c", ".cu", ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".in", ".toml"}
MERGE = re.compile(r"<{7} |>{7} ")
LEFTOVERS = {".orig", ".rej", ".log", ".swp"}
SHORT = 25  # files of fewer lines are counted by bars_house, as what is shared is
SHARED_LINES = 6
# The folder of a plugin with the headers that sources of kernels include. They are embedded as text and never compiled into a
# product, so they count as data.
KERNEL_TEXTS = "device"
LIBRARIES = ("core", "plugins", "cli", "integrations")  # where products' sources are


def all_files(folder):
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name in SKIPPED:
            continue
        if path.is_dir():
            yield from all_files(path)
        else:
            yield path


def files(folder):
    return (path for path in all_files(folder) if path.suffix in SOURCES or path.name == "CMakeLists.txt")


def leftovers():
    """Files in git that editors, patches and runs leave behind."""
    if shutil.which("git") is None:
        print("needs git (what editors and patches left in it is not looked for)")
        return
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=False).stdout
    for name in listed.splitlines():
        if pathlib.Path(name).suffix in LEFTOVERS:
            yield f"{name}: a leftover. Remove it (git rm)."


def unmerged(root=ROOT):
    """Files with the marks that git leaves between two versions."""
    for path in all_files(root):
        if path.suffix not in TEXTS:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if MERGE.match(line):
                yield f"{path.relative_to(root)}:{number}: a mark of a merge. Keep one version."


def arguments(text):
    """What stands in the bracket that begins `text`."""
    depth = 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return text[1:at]
    return text[1:]


def throwing_calls(path, lines):
    text = "\n".join(lines)
    codes = {*ERROR_CODE.findall(text)}
    for call in FILESYSTEM.finditer(text):
        inside = arguments(text[call.end() - 1:])
        number = text.count("\n", 0, call.start()) + 1
        of_status = re.search(r"status\(", inside) is not None  # exists(file_status) asks no system
        if not {*re.findall(r"\w+", inside)} & codes and not of_status or ENTRIES.search(lines[number - 1]):
            yield f"{path}:{number}: throws, if the system refuses. Give it a std::error_code."


def trees_removed(path, lines):
    if path.as_posix() == "core/toolchain/file_io.cpp":
        return
    for number, line in enumerate(lines, 1):
        if re.search(r"\bremove_all\(", line):
            yield f"{path}:{number}: throws, if no memory is left. Call remove_tree."


def breaches(path, lines):
    if BANNED & {part.split(".")[0] for part in path.parts}:
        yield f"{path}: a name without a meaning. Name the file after its noun."
    if len(lines) > MOST_FILE_LINES:
        yield f"{path}: {len(lines)} lines (the limit is {MOST_FILE_LINES}). Split it by noun."
    in_runtime = path.is_relative_to("core/runtime")
    is_product = path.parts[0] in LIBRARIES and "tests" not in path.parts and path.suffix in {".h", ".hpp", ".cpp"}
    if is_product:
        yield from throwing_calls(path, lines)
        yield from trees_removed(path, lines)
        yield from bracketed_twice(path, lines)
    for number, line in enumerate(lines, 1):
        if not line.isascii():
            yield f"{path}:{number}: not ASCII."
        if (found := re.match(r'#include "([^"]+)"', line)) and path.as_posix().endswith("/include/" + found[1]):
            yield f"{path}:{number}: includes itself. Delete the line."
        if "\t" in line:
            yield f"{path}:{number}: a tab. Indent with spaces."
        if is_product and MORTAL.match(line) and not any(path.is_relative_to(folder) for folder in DROPS_DESTRUCTORS):
            yield (f"{path}:{number}: a static object that the end of the process destroys (docs/design/0030-process-end.md). "
                   "Write `static const auto& x = *new const T{...};`.")
        if is_product and ENVIRONMENT.match(line) and not any(path.is_relative_to(reader) for reader in ENVIRONMENT_READERS):
            yield f"{path}:{number}: reads the environment. Take what you need from Environment, or from Host."
        if found := LIMIT_NAME.search(line):
            yield f"{path}:{number}: '{found[0]}' (limits are called kMax... and kMin...). Rename it."
        if is_product and DIALECT.match(line):
            yield f"{path}:{number}: a message in a dialect. Write \"is not a ...\", \"there is no ...\", or name who acts."
        if is_product and path.name not in THREAD_OWNERS and THREAD.search(line):
            yield f"{path}:{number}: starts a thread, which may throw. Use start_thread (kmux/plugin/start_thread.h)."
        if in_runtime and (found := BACKEND.search(line)):
            yield f"{path}:{number}: '{found[0]}' (the runtime names no backend). Put it into a plugin or its manifest."


def bracketed_twice(path, lines):
    """Messages are "problem (why). What to do.": what to do needs no second pair of brackets."""
    text = "\n".join(lines)
    whole = NEXT_LITERAL.sub(lambda found: "\0" * found[0].count("\n"), text)  # keeps the numbers of lines
    for found in SECOND_BRACKETS.finditer(whole):
        number = 1 + sum(whole.count(mark, 0, found.start()) for mark in "\n\0")
        yield f"{path}:{number}: advice in brackets (a message has one pair, for its reason). Write it in the sentence."


def misnamed_tests(path, lines):
    """Suites end in Test; with its suite as the subject, a name states condition and result in the terms of the field."""
    if any(path.is_relative_to(folder) for folder in OWN_CASES):
        return
    for number, line in enumerate(lines, 1):
        found = TEST_CASE.match(line)
        if found and not found[1].endswith("Test"):
            yield f"{path}:{number}: suite {found[1]} does not end in Test. Rename it."
        if found and (words := TEST_DIALECT.search(found[2])):
            yield f"{path}:{number}: '{words[0]}' in a test's name. Name condition and result, as RejectsEmptyInput."


def warnings(path, lines):
    """What is printed and fails nothing: files that are about to outgrow the limit."""
    if FILE_LINES < len(lines) <= MOST_FILE_LINES:
        yield f"warning: {path}: {len(lines)} lines (from {MOST_FILE_LINES + 1} on it fails). Split it by noun."


def foreign(path, lines):
    """A plugin includes its own files and those of libraries beside it; include roots alone would let it reach a neighbour's."""
    if path.parts[0] != "plugins" or len(path.parts) < 3:
        return
    others = {manifest.parent.name for manifest in (ROOT / "plugins").glob("*/plugin.json.in")} - {path.parts[1]}
    for number, line in enumerate(lines, 1):
        if (found := re.match(r'#include "(\w+)/', line)) and found[1] in others:
            yield f"{path}:{number}: includes plugin {found[1]}. Move what both need into sdk or a library of plugins/."


def unnamed(folder):
    """A newcomer to one plugin finds the same things in another by their names."""
    for name in PLUGIN_FILES:
        if not (folder / name).is_file():
            yield f"plugins/{folder.name}: no {name}. Every plugin has one by that name."
    shared = folder.parent / NVIDIA if links_nvidia(folder) else folder
    for name in SHARED_FILES:
        if not (folder / name).is_file() and not any(shared.rglob(name)):
            yield f"plugins/{folder.name}: no {name}. Every plugin has one by that name, or links one of plugins/{NVIDIA}."
    if (folder / "adapter.h").is_file() and not (folder / META).is_file():
        yield f"plugins/{folder.name}: no {META}. Every plugin with an adapter has one by that name."


def links_nvidia(folder):
    """Does the plugin in `folder` take from plugins/nvidia?"""
    listing = folder / "CMakeLists.txt"
    return listing.is_file() and "kmux_nvidia" in listing.read_text(encoding="utf-8")


def product_sources():
    """Paths below ROOT of the sources that products are made of, without tests. What kernels include is data: see KERNEL_TEXTS."""
    for library in LIBRARIES:
        for path in files(ROOT / library):
            relative = path.relative_to(ROOT)
            if path.suffix in {".h", ".hpp", ".cpp"} and "tests" not in relative.parts and KERNEL_TEXTS not in relative.parts[:-1]:
                yield relative


def nouns(sources):
    """The nouns of each folder: the files of one name. Public headers belong to the folder above their `include`."""
    found = collections.defaultdict(set)
    for path in sources:
        folder = pathlib.Path(*path.parts[:path.parts.index("include")]) if "include" in path.parts else path.parent
        found[folder].add(path.stem)
    return found


def unlisted(path):
    """A source that the nearest CMakeLists.txt above it does not name is never compiled: a test that never runs."""
    if path.suffix != ".cpp" or "consumer" in path.parts:
        return
    for folder in path.parents:
        if (listing := ROOT / folder / "CMakeLists.txt").is_file():
            if not re.search(rf"(?<![\w-]){re.escape(path.stem)}(?![\w-])", listing.read_text(encoding="utf-8")):
                yield f"{path}: not named in {folder}/CMakeLists.txt. Add it there."
            return


def unpackaged():
    """A public header outside the header sets is not installed, and not compiled alone."""
    for header in sorted((ROOT / "core").glob("**/include/kmux/**/*.h*")):
        folder = next(parent.parent for parent in header.parents if parent.name == "include")
        name = str(header.relative_to(folder))
        if "bench" not in header.parts and name not in (folder / "CMakeLists.txt").read_text(encoding="utf-8").replace(")", " ").split():
            yield f"{header.relative_to(ROOT)}: not named in {folder.relative_to(ROOT)}/CMakeLists.txt. Add it there."


def ranks():
    """The place of each folder in the line of those that may include each other."""
    return {folder: rank for rank, line in enumerate(SDK + RUNTIME) for folder in line.split()}


def room_of(path, known):
    """The folder of core/ that `path`, a file's below core/, belongs to."""
    return next(str(folder) for folder in path.parents if str(folder) in known)


def upward(sources):
    """Includes of core/ that go to a folder which may not be included."""
    known = ranks()
    headers = {}  # by how they are included
    for path in sources:
        inside = path.relative_to("core")
        text = str(inside)
        headers[text.partition("/include/")[2] or text.removeprefix("runtime/")] = inside
    for path, lines in sources.items():
        user = room_of(path.relative_to("core"), known)
        for number, line in enumerate(lines, 1):
            found = re.match(r'#include "([^"]+)"', line)
            target = found and headers.get(found[1])
            if target is None:
                continue
            used = room_of(target, known)
            if used != user and known[used] >= known[user]:
                yield f"core/{path.relative_to('core')}:{number}: core/{user} includes core/{used} (which comes after it or beside it). Move what both need down."


def heavy(core):
    """Includes of HEAVY in UMBRELLA and in the headers that it includes."""
    public = {str(path).partition("/include/")[2]: path for path in core if "/include/" in str(path)}
    left, seen = [UMBRELLA], set()
    while left:
        path = left.pop()
        if path in seen or path not in core:
            continue
        seen.add(path)
        for number, line in enumerate(core[path], 1):
            found = re.match(r'#include (["<])([^">]+)', line)
            if found and found[1] == "<" and found[2] in HEAVY:
                yield f"{path}:{number}: kmux.hpp would include <{found[2]}>, thousands of lines of it. Declare less, or leave the header out of kmux.hpp."
            elif found and found[2] in public:
                left.append(public[found[2]])


def inner_circles(sources):
    """Includes of a plugin that go from one of its folders to another and from there back."""
    roots = {path: path for path in sources} | {pathlib.Path(*path.parts[1:]): path for path in sources}
    arrows = collections.defaultdict(list)  # of two folders: the includes
    for path, lines in sources.items():
        for number, line in enumerate(lines, 1):
            if not (found := re.match(r'#include "([^"]+)"', line)):
                continue
            places = (path.parent / found[1], pathlib.Path(*path.parts[:2]) / found[1], pathlib.Path(found[1]))
            target = next((roots[place] for place in places if place in roots), None)
            if target is not None and target.parent != path.parent:
                arrows[path.parent, target.parent].append(f"{path}:{number}")
    def weight(arrow):
        return len(arrows[arrow]), arrow

    for (user, used), places in sorted(arrows.items()):
        if (used, user) in arrows and weight((user, used)) < weight((used, user)):
            yield f"{places[0]}: {user} includes {used}, which includes {user}. Move what both need into one of them."


def answering():
    """Folders that have a line in HACKING.md besides those of core/: of the parts of plugins and integrations, and of bench."""
    for top, depth in (("plugins", 3), ("integrations", 3), ("bench", 2)):
        folders = {path.parent.relative_to(ROOT) for path in files(ROOT / top) if path.suffix in {".h", ".cpp", ".py"}}
        for folder in sorted(folders):
            if len(folder.parts) == depth and not {"tests", "python", "kernels"} & set(folder.parts):
                yield str(folder)


def unanswered():
    """HACKING.md has of each folder of core/ what its CMakeLists.txt begins with, and a line for each folder in FOLDERS."""
    table = (ROOT / "HACKING.md").read_text(encoding="utf-8")
    for folder in answering():
        if not re.search(rf"^\|[^|]*`{re.escape(folder)}`[^|]*\| [^|\s]", table, re.MULTILINE):
            yield f"HACKING.md: no line \"| `{folder}` | ... |\". Say there what the folder has."
    for listing in sorted((ROOT / "core").glob("**/CMakeLists.txt")):
        folder, comment = listing.parent.relative_to(ROOT), []
        for line in listing.read_text(encoding="utf-8").splitlines():
            if not line.startswith("# "):
                break
            comment.append(line.removeprefix("# "))
        if str(folder) in ("core", "core/runtime"):
            continue
        if f"| `{folder}` | {' '.join(comment)} |" not in table:
            yield f"HACKING.md: no line \"| `{folder}` | {' '.join(comment)} |\". Write there what {folder}/CMakeLists.txt begins with."


def misnamed():
    """HACKING.md walks a call file by file: a name with a folder is a path of the tree, one without is some file's."""
    text = (ROOT / "HACKING.md").read_text(encoding="utf-8")
    names = {path.name for path in files(ROOT)}
    for name in sorted(set(re.findall(r"`([\w./-]+\.(?:cpp|hpp|h|py|sh|cmake))`", text))):
        stem = pathlib.Path(name).name.partition(".")[0].removesuffix("_test")
        if stem != "foo" and not (ROOT / name).is_file() and ("/" in name or name not in names):
            yield f"HACKING.md: there is no {name}. Correct the name."


def shared_starts(sources, left_out):
    """Pairs of places, each a path and a line, where SHARED_LINES lines begin that are equal; lines that `left_out` matches do not count."""
    places = collections.defaultdict(list)
    for path, lines in sources.items():
        counted = [text for line in lines if not left_out.fullmatch(text := line.strip())]
        for start in range(len(counted) - SHARED_LINES + 1):
            places[tuple(counted[start:start + SHARED_LINES])].append((path, start))
    return {(a, b) for found in places.values() for index, a in enumerate(found) for b in found[index + 1:]}


def shared_windows(sources):
    """Those of C++ without data, with includes and lone punctuation; a passage of ten lines counts five times."""
    own = {path: lines for path, lines in sources.items()
           if path.suffix in {".cpp", ".h", ".hpp"} and not {"data", "reports"} & set(path.parts[:-1])}
    return {(a, b) for a, b in shared_starts(own, re.compile("|//.*")) if not for_two_compilers(a[0], b[0])}


def for_two_compilers(a, b):
    """Texts that two plugins give their compilers cannot include each other."""
    return KERNEL_TEXTS in a.parts[:-1] and KERNEL_TEXTS in b.parts[:-1] and a.parts[1] != b.parts[1]


def code_lines(lines):
    return sum(1 for line in map(str.strip, lines) if line and not line.startswith("//"))


def library_of(path):
    """The library that a source of core/ is part of, or None."""
    return None if path.parts[:2] in (("core", "bench"), ("core", "worker")) else "kmux::runtime" if path.parts[1] == "runtime" else "kmux::sdk"


def main():
    found, warned, core, plugins = [], [], {}, {}
    for path in files(ROOT):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        relative = path.relative_to(ROOT)
        found += breaches(relative, lines)
        warned += warnings(relative, lines)
        found += misnamed_tests(relative, lines)
        found += unlisted(relative)
        found += foreign(relative, lines)
        if relative.parts[0] == "plugins" and path.suffix in {".h", ".cpp"} and "tests" not in relative.parts:
            plugins[relative] = lines
        if relative.parts[0] == "core" and path.suffix in {".h", ".hpp", ".cpp"}:
            core[relative] = lines
    found += [*leftovers(), *unmerged(), *unpackaged(), *upward(core), *heavy(core), *inner_circles(plugins), *unanswered(), *misnamed()]
    for manifest in sorted((ROOT / "plugins").glob("*/plugin.json.in")):
        found += unnamed(manifest.parent)
    print("\n".join(warned + found) if warned or found else "tree: no breach")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
