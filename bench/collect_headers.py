#!/usr/bin/env python3
"""Copies the headers that programs include, out of header folders of tens of megabytes, into a folder to carry.

usage: collect_headers.py --to FOLDER --from HEADERS [--from HEADERS...] PROGRAM.kmux.json...

Follows every #include of the programs' sources and preludes, whatever conditions are around it; what is in none of the
folders (the toolkit's own headers) is left out. A macro that is given to #include counts with every meaning it has.
"""
import argparse
import json
import pathlib
import re
import shutil

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*([<"])([^>"\n]+)[>"]', re.M)
QUESTION = re.compile(r'__has_include\(\s*[<"]([^>"]+)[>"]')
MACRO = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(\w+)\(?([^)\n]*)\)?', re.M)
DEFINE = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\((\w+)\))?[ \t]+[<"]([^>"\n]+)[>"]', re.M)


class Collection:
    def __init__(self, folders):
        self.folders = folders
        self.files = {}  # relative path -> where it is
        self.macros = {}  # name -> [(parameter, path)]
        self.uses = set()

    def find(self, name, beside=None):
        for folder in ([beside] if beside else []) + self.folders:
            path = (folder / name).resolve()
            if path.is_file():
                for root in sorted(self.folders, key=lambda folder: -len(folder.parts)):  # one may be in another
                    if path.is_relative_to(root):
                        return path, str(path.relative_to(root))
        return None

    def add(self, name, beside=None):
        found = self.find(name, beside)
        if found and found[1] not in self.files:
            self.files[found[1]] = found[0]
            self.follow(found[0].read_text(errors='replace'), found[0].parent)

    def follow(self, text, beside):
        for name, parameter, path in DEFINE.findall(text):
            self.macros.setdefault(name, set()).add((parameter, path))
        self.uses.update(MACRO.findall(text))
        for quote, name in INCLUDE.findall(text):
            self.add(name, beside if quote == '"' else None)
        for name in QUESTION.findall(text):
            self.add(name)

    def follow_macros(self):
        before = -1
        while before != len(self.files):
            before = len(self.files)
            for macro, argument in sorted(self.uses):
                for parameter, path in sorted(self.macros.get(macro, ())):
                    self.add(re.sub(rf'\b{parameter}\b', argument, path) if parameter else path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--to', type=pathlib.Path, required=True)
    parser.add_argument('--from', dest='folders', type=pathlib.Path, action='append', required=True)
    parser.add_argument('programs', type=pathlib.Path, nargs='+')
    arguments = parser.parse_args()
    collection = Collection([folder.resolve() for folder in arguments.folders])
    for program in arguments.programs:
        for variant in json.loads(program.read_text())['variants']:
            if variant['dialect'] != 'cuda':
                continue
            for prelude in variant.get('settings', {}).get('preludes', []):
                collection.add(prelude)
            for source in variant['sources']:
                collection.follow((program.parent / source['path']).read_text(), program.parent)
    collection.follow_macros()
    for relative, path in sorted(collection.files.items()):
        target = arguments.to / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    size = sum(path.stat().st_size for path in collection.files.values())
    print(f'{len(collection.files)} headers, {size / 2**20:.1f} MiB')


if __name__ == '__main__':
    main()
