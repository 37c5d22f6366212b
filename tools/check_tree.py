#!/usr/bin/env python3
"""Checks the rules of the source tree that no compiler knows. Prints every breach; exit 1 if there is one."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = {".git", ".venv", ".cache", "build", "__pycache__", "data"}
SOURCES = {".h", ".hpp", ".c", ".cpp", ".inc", ".py", ".sh", ".cmake"}
BANNED = {"utils", "util", "common", "helpers", "helper", "misc"}
BACKEND = re.compile(r"(?<![a-z0-9])(cuda|nvrtc|hip|metal|cutedsl)(?![a-z0-9])", re.IGNORECASE)
FILE_LINES = 400
# Objects that the end of the process would destroy under threads that still use them. The cpu plugin drops all destructors.
CONTAINER = r"(?:std::(?:string|vector|map|set|unordered_map|unordered_set|list|deque|optional|function|shared_ptr|unique_ptr)\b|Result<|Options\b)"
MORTAL = re.compile(rf"^(?:\s*(?:inline )?static (?:const )?|(?:inline )?const ){CONTAINER}[^()&]*?\w+(?: = |{{|;)")
THREAD_OWNERS = {"start_thread.h"}
THREAD = re.compile(r"std::j?thread\([^)]|std::async\(|(?:emplace_back|push_back)\(\[.*(?:work|thread)|std::j?thread \w+[({]")
# What the folders of core/ may include beside themselves: those before them in a line, and in the lines above. One that is
# not named (ir/validate) belongs to the folder that it is in.
SDK = ("base", "ir", "plan toolchain", "plugin")
RUNTIME = ("runtime/system", "runtime/plugins", "runtime/isolation", "runtime/tensor runtime/cache/disk", "runtime/cache/remote",
           "runtime/cache", "runtime/artifact", "runtime/resolve", "runtime/kernel", "runtime/tune", "runtime/compile", "runtime/pool",
           "runtime/jit runtime/export", "runtime", "worker bench")
# What each plugin has by that name. adapter, options, meta, target and device are in plugins/nvidia for those of NVIDIA's devices.
PLUGIN_FILES = ("README.md", "plugin.json.in", "conformance.txt", "plugin.cpp", "backend.h", "backend.cpp", "wrapper.h", "builder.h",
                "builder.cpp")
LIMITS = {"kmux::sdk": 13318, "kmux::runtime": 17362}  # lines of code, as they are: what grows says here by how much
# sdk: +104, SHA-256 in place of OpenSSL (docs/design/0034); +86, HostDevices of plugins/cpu; +66, PlanAdapter of nvrtc, hip and metal


def files(folder):
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name in SKIPPED:
            continue
        if path.is_dir():
            yield from files(path)
        elif path.suffix in SOURCES or path.name == "CMakeLists.txt":
            yield path


def breaches(path, lines):
    if BANNED & {part.split(".")[0] for part in path.parts}:
        yield f"{path}: a name that says nothing. Name the file after its noun."
    if len(lines) > FILE_LINES:
        yield f"{path}: {len(lines)} lines (the limit is {FILE_LINES}). Split it by noun."
    in_runtime = path.is_relative_to("core/runtime")
    is_product = path.parts[0] in ("core", "plugins", "cli") and "tests" not in path.parts and path.suffix != ".py"
    for number, line in enumerate(lines, 1):
        if not line.isascii():
            yield f"{path}:{number}: not ASCII."
        if "\t" in line:
            yield f"{path}:{number}: a tab. Indent with spaces."
        if is_product and not path.is_relative_to("plugins/cpu") and not path.is_relative_to("cli") and MORTAL.match(line):
            yield (f"{path}:{number}: a static object that the end of the process destroys (docs/design/0030-process-end.md). "
                   "Write `static const auto& x = *new const T{...};`.")
        if is_product and path.name not in THREAD_OWNERS and THREAD.search(line):
            yield f"{path}:{number}: starts a thread, which may throw. Use start_thread (kmux/plugin/start_thread.h)."
        if in_runtime and (found := BACKEND.search(line)):
            yield f"{path}:{number}: '{found[0]}' (the runtime names no backend). Put it into a plugin or its manifest."


def foreign(path, lines):
    """A plugin includes its own files and those of plugins/nvidia; include roots alone would let it reach a neighbour's."""
    if path.parts[0] != "plugins" or len(path.parts) < 3:
        return
    allowed = {path.parts[1], "nvidia"}
    others = {folder.name for folder in (ROOT / "plugins").iterdir() if folder.is_dir()} - allowed
    for number, line in enumerate(lines, 1):
        if (found := re.match(r'#include "(\w+)/', line)) and found[1] in others:
            yield f"{path}:{number}: includes plugin {found[1]}. Lift what both need into sdk or plugins/nvidia."


def unnamed(folder):
    """A newcomer who knows one plugin finds the same things in another by their names."""
    for name in PLUGIN_FILES:
        if not (folder / name).is_file():
            yield f"plugins/{folder.name}: no {name}. Every plugin has one by that name."


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
        folder = ROOT.joinpath(*header.parts[len(ROOT.parts):header.parts.index("include")])
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


def unanswered():
    """HACKING.md says of each folder of core/ what its CMakeLists.txt begins with."""
    table = (ROOT / "HACKING.md").read_text(encoding="utf-8")
    for listing in sorted((ROOT / "core").glob("**/CMakeLists.txt")):
        folder, comment = listing.parent.relative_to(ROOT), []
        for line in listing.read_text(encoding="utf-8").splitlines():
            if not line.startswith("# "):
                break
            comment.append(line.removeprefix("# "))
        if str(folder) in ("core", "core/runtime"):
            continue
        if f"| `{folder}` | {' '.join(comment)} |" not in table:
            yield f"HACKING.md: no line \"| `{folder}` | {' '.join(comment)} |\". Say there what {folder}/CMakeLists.txt says."


def code_lines(lines):
    return sum(1 for line in map(str.strip, lines) if line and not line.startswith("//"))


def library_of(path):
    return None if path.parts[:2] in (("core", "bench"), ("core", "worker")) else "kmux::runtime" if path.parts[1] == "runtime" else "kmux::sdk"


def main():
    found, sizes, core = [], dict.fromkeys(LIMITS, 0), {}
    for path in files(ROOT):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        relative = path.relative_to(ROOT)
        found += breaches(relative, lines)
        found += unlisted(relative)
        found += foreign(relative, lines)
        if relative.parts[0] != "core":
            continue
        if path.suffix in {".h", ".hpp", ".cpp"}:
            core[relative] = lines
        if library := library_of(relative):
            sizes[library] += code_lines(lines)  # of code: documentation is not what makes a core large
    found += [*unpackaged(), *upward(core), *unanswered()]
    for manifest in sorted((ROOT / "plugins").glob("*/plugin.json.in")):
        found += unnamed(manifest.parent)
    found += [f"{library}: {size} lines of code (the limit is {LIMITS[library]})."
              for library, size in sizes.items() if size > LIMITS[library]]
    print("\n".join(found) or "tree: no breach")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
