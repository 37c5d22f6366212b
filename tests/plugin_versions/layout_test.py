"""The layout of plugin.h: every offset as layout_v1.txt has it, and a later version with nothing but fields appended.

Usage: layout_test.py C_COMPILER
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TODAY = ROOT / "core/base/include/kmux/plugin/plugin.h"
COMPILER = sys.argv.pop(1)
STRUCT = re.compile(r"typedef (?:struct|union) (\w+) \{\n(.*?)\n\} \1;", re.S)
# The last word of a declaration, or the name of a pointer to a function.
FIELD = re.compile(r"\(\*(\w+)\)\(|(\w+)$")


def fields(body):
    """The names of what a struct declares."""
    body = re.sub(r"/\*.*?\*/|//[^\n]*", "", body, flags=re.S)
    for declaration in body.split(";"):
        found = FIELD.search(re.sub(r"\)\([^()]*\)$", ")(", " ".join(declaration.split())))
        if found:
            yield found[1] or found[2]


def layout(header):
    """Lines "struct.field offset" and "struct size", as a C compiler has them."""
    names = [(struct, list(fields(body))) for struct, body in STRUCT.findall(header.read_text())]
    print_all = "".join(
        f'  printf("{struct} %zu\\n", sizeof({struct}));\n'
        + "".join(f'  printf("{struct}.{field} %zu\\n", offsetof({struct}, {field}));\n' for field in members)
        for struct, members in names
    )
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "dump.c")
        source.write_text(f'#include <stdio.h>\n#include "{header}"\nint main(void) {{\n{print_all}  return 0;\n}}\n')
        program = pathlib.Path(folder, "dump")
        subprocess.run([COMPILER, "-std=c11", source, "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


class Layout(unittest.TestCase):
    def test_today_is_what_was_frozen(self):
        frozen = (HERE / "data/layout_v1.txt").read_text().splitlines()
        self.assertGreater(len(frozen), 100)
        self.assertEqual(layout(HERE / "data/plugin_v1.h"), frozen)
        offsets = dict(line.split() for line in layout(TODAY))
        for line in frozen:
            name, number = line.split()
            if "." in name:
                self.assertEqual(offsets[name], number, name)
            else:
                self.assertGreaterEqual(int(offsets[name]), int(number), name)

    def test_a_later_version_appends(self):
        frozen = dict(line.split() for line in layout(HERE / "data/plugin_v1.h"))
        later = dict(line.split() for line in layout(HERE / "data/plugin_v2.h"))
        appended = set(later) - set(frozen)
        self.assertEqual(appended, {"kmux_build_request.seed", "kmux_load_request.seed", "kmux_host_api.hour",
                                    "kmux_device_api.stream_is_idle", "kmux_plugin_api.explain"})
        for name, number in frozen.items():
            if "." in name:
                self.assertEqual(later[name], number, name)


if __name__ == "__main__":
    unittest.main()
