#!/usr/bin/env python3
"""Begins a backend: copies the null plugin to FOLDER/NAME under its new name.

What comes out builds, loads and does nothing; its README says what to put where. In kmux's tree FOLDER is plugins/ unless
it is named. Elsewhere it is the current folder, and NAME/CMakeLists.txt is that of a project of its own:

    cmake -S NAME -B build -D CMAKE_PREFIX_PATH=<where kmux is installed> && cmake --build build
    KMUX_PLUGIN_PATH=$PWD/build/lib/kmux/plugins kmux plugins

Usage: kmux new-plugin NAME [--into FOLDER], or tools/new_plugin.py in kmux's tree
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
IS_INSTALLED = (HERE / "plugin_template").is_dir()
TEMPLATE = HERE / "plugin_template" if IS_INSTALLED else HERE.parent / "tests" / "fakes" / "null"
PLUGINS = None if IS_INSTALLED else HERE.parent / "plugins"  # whose CMakeLists.txt finds a new folder by itself
CONTRACT = HERE.parent / ("doc/kmux/docs" if IS_INSTALLED else "docs") / "plugin-abi.md"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# What is not a namespace of C++, or another thing's name.
TAKEN = set(
    "alignas alignof and asm auto bool break case catch char class concept const continue decltype default delete do "
    "double else enum explicit export extern false float for friend goto if inline int long mutable namespace new "
    "noexcept not null nullptr operator or private protected public register requires return short signed sizeof static "
    "struct switch template this throw true try typedef typeid typename union unsigned using virtual void volatile "
    "while xor kmux std".split()
)
INSIDE = """\
kmux_add_plugin({name} SOURCES {sources})
"""
OUTSIDE = """\
cmake_minimum_required(VERSION 3.25)
project({name} VERSION 0.1.0 LANGUAGES C CXX) # the version that plugin.json.in has, too
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release) # launches are timed, too
endif()

find_package(kmux 0.1 REQUIRED) # CMAKE_PREFIX_PATH says where kmux is installed
kmux_add_plugin({name} SOURCES {sources})
"""


def refusal(name, folder):
    """Why `name` cannot be used, or None."""
    if not NAME.fullmatch(name) or len(name) > 32:
        return f"'{name}' is not a name for a plugin (lower-case letters, digits and '_', a letter first, at most 32)."
    if name in TAKEN:
        return f"'{name}' is taken (the name becomes a namespace of C++). Choose another one."
    if folder.exists():
        return f"'{folder}' exists already. Remove it, or choose another name."
    if not folder.parent.is_dir():
        return f"'{folder.parent}' is not a folder. Make it first."
    return None


def renamed(text, name):
    """`text` of the template with its names replaced."""
    class_name = "".join(word.capitalize() for word in name.split("_"))
    text = re.sub(r"^.*tools/new_plugin\.py.*\n", "", text, flags=re.M)
    return re.sub(r"\bNull(?=[A-Z])", class_name, re.sub(r"\bnull\b", name, text))


def of_project(manifest):
    """The template's manifest, with the version of the project that it is in."""
    return re.sub(r'("version": )"[^"]*"', r'\1"@PROJECT_VERSION@"', manifest)


def write_plugin(name, folder):
    folder.mkdir()
    sources = []
    is_inside = folder.parent.resolve() == PLUGINS
    for path in sorted(TEMPLATE.iterdir()):
        if path.name == "CMakeLists.txt":
            continue
        text = renamed(path.read_text(encoding="ascii"), name)
        if path.name == "plugin.json.in" and not is_inside:
            text = of_project(text)
        (folder / path.name).write_text(text, encoding="ascii")
        if path.suffix == ".cpp":
            sources.append(path.name)
    project = INSIDE if is_inside else OUTSIDE
    (folder / "CMakeLists.txt").write_text(project.format(name=name, sources=" ".join(sources)), encoding="ascii")


def main():
    parser = argparse.ArgumentParser(prog="kmux new-plugin", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--into", type=pathlib.Path, default=PLUGINS or pathlib.Path(), metavar="FOLDER")
    arguments = parser.parse_args()
    folder = arguments.into / arguments.name
    if problem := refusal(arguments.name, folder):
        print(f"new_plugin.py: {problem}", file=sys.stderr)
        return 1
    write_plugin(arguments.name, folder)
    print(f"{folder}: begun. Its README.md names what goes where; {CONTRACT} is the contract.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
