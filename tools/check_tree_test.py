#!/usr/bin/env python3
"""check_tree.py: what it lets pass and what it refuses, in trees that a test makes."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import check_tree


def sources(**includes):
    """Sources of core/, by the path below it with __ for a slash, each including one header."""
    return {pathlib.Path("core", name.replace("__", "/") + ".h"): [f'#include "{header}"'] for name, header in includes.items()}


class SelfInclude(unittest.TestCase):
    def found(self, header):
        path = pathlib.Path("core/base/include/kmux/json.h")
        return [breach for breach in check_tree.breaches(path, [f'#include "{header}"']) if "includes itself" in breach]

    def test_refuses_a_header_that_includes_itself(self):
        self.assertEqual(len(self.found("kmux/json.h")), 1)
        self.assertEqual(self.found("kmux/plugin/json.h"), [])
        self.assertEqual(self.found("kmux/error.h"), [])


class RemovedTrees(unittest.TestCase):
    def found(self, path):
        return [breach for breach in check_tree.breaches(pathlib.Path(path), ["std::filesystem::remove_all(path, error);"]) if "remove_tree" in breach]

    def test_refuses_what_throws_where_no_memory_is_left(self):
        self.assertEqual(len(self.found("core/runtime/cache/disk/staging.cpp")), 1)
        self.assertEqual(self.found("core/toolchain/file_io.cpp"), [])
        self.assertEqual(self.found("core/runtime/tests/staging_test.cpp"), [])


class Upward(unittest.TestCase):
    def found(self, **includes):
        return list(check_tree.upward(sources(**includes)))

    def test_lets_includes_go_down_and_stay(self):
        self.assertEqual(self.found(base__error="string", ir__expr="base/error.h", ir__validate__scope="ir/expr.h", runtime__system__log="ir/expr.h",
                                    runtime__cache__disk__entry="system/log.h", runtime__cache__remote__server="cache/disk/entry.h",
                                    worker__main="cache/remote/server.h"), [])

    def test_refuses_what_goes_up(self):
        found = self.found(base__error="ir/expr.h", ir__expr="string")
        self.assertEqual(len(found), 1)
        self.assertIn("core/base/error.h:1: core/base includes core/ir", found[0])

    def test_refuses_what_goes_aside(self):
        self.assertEqual(len(self.found(plan__plan="toolchain/process.h", toolchain__process="string")), 1)
        self.assertEqual(len(self.found(runtime__cache__disk__entry="cache/remote/server.h", runtime__cache__remote__server="string")), 1)

    def test_knows_public_headers_by_what_they_are_included_as(self):
        found = self.found(ir__include__kmux__expr="kmux/plugin/plan.h", plan__include__kmux__plugin__plan="string")
        self.assertEqual(len(found), 1)

    def test_finds_none_in_the_tree(self):
        paths = (path for path in (check_tree.ROOT / "core").rglob("*") if path.suffix in {".h", ".hpp", ".cpp"})
        core = {path.relative_to(check_tree.ROOT): path.read_text(encoding="utf-8").splitlines() for path in paths}
        self.assertGreater(len(core), 300)
        self.assertEqual(list(check_tree.upward(core)), [])


class Heavy(unittest.TestCase):
    def found(self, *includes):
        core = {check_tree.UMBRELLA: ['#include "kmux/kernel.h"'],
                pathlib.Path("core/runtime/kernel/include/kmux/kernel.h"): [f"#include {each}" for each in includes],
                pathlib.Path("core/runtime/system/include/kmux/trace.h"): ["#include <deque>"]}
        return list(check_tree.heavy(core))

    def test_refuses_what_kmux_hpp_would_include(self):
        (found,) = self.found("<vector>", "<chrono>")
        self.assertIn("kernel.h:2: kmux.hpp would include <chrono>", found)
        self.assertEqual(len(self.found('"kmux/trace.h"')), 1)

    def test_lets_other_headers_have_them(self):
        self.assertEqual(self.found("<vector>", '"kmux/other.h"'), [])


class InTree(unittest.TestCase):
    """Checks a tree of files, by path, with what is in them."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(check_tree, "ROOT", self.root))

    def put(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@unittest.skipUnless(shutil.which("git"), "needs git (it is not installed)")
class Leftovers(InTree):
    def test_refuses_what_patches_and_runs_leave_in_git(self):
        for name in ("core/plan.cpp.orig", "core/plan.cpp", "tuner.log"):
            self.put(name)
        subprocess.run(["git", "init", "--quiet"], cwd=self.root, check=True)
        self.assertEqual(list(check_tree.leftovers()), [])
        subprocess.run(["git", "add", "--all", "--force"], cwd=self.root, check=True)
        self.assertEqual([line.partition(":")[0] for line in check_tree.leftovers()], ["core/plan.cpp.orig", "tuner.log"])


class Unmerged(unittest.TestCase):
    def test_refuses_marks_of_merges(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text("a\n" + "<" * 7 + " HEAD\nb\n=======\nc\n" + ">" * 7 + " other\n")
            found = list(check_tree.unmerged(page.parent))
        self.assertEqual([line.partition(" ")[0] for line in found], ["page.md:2:", "page.md:6:"])

    def test_finds_none_in_the_tree(self):
        self.assertEqual(list(check_tree.unmerged()), [])


class Unnamed(InTree):
    def plugin(self, without=(), linking=""):
        """The breaches of a plugin that has every name but those in `without`."""
        for name in {*check_tree.PLUGIN_FILES, *check_tree.SHARED_FILES, check_tree.META} - set(without):
            self.put(f"plugins/toy/{name}")
        self.put("plugins/toy/CMakeLists.txt", f"kmux_add_plugin(toy LIBS {linking} SOURCES)")
        return list(check_tree.unnamed(self.root / "plugins/toy"))

    def test_lets_a_whole_plugin_pass(self):
        self.assertEqual(self.plugin(), [])

    def test_names_what_a_plugin_lacks(self):
        for name in (*check_tree.PLUGIN_FILES, *check_tree.SHARED_FILES, check_tree.META):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.root = pathlib.Path(folder)
                found = self.plugin(without=[name])
                self.assertEqual(len(found), 1)
                self.assertIn(f"plugins/toy: no {name}", found[0])

    def test_takes_what_is_shared_from_nvidia_where_that_is_linked(self):
        self.put("plugins/nvidia/library/adapter.h")
        self.put("plugins/nvidia/options.h")
        self.put("plugins/nvidia/device.h")
        self.assertEqual(self.plugin(without=[*check_tree.SHARED_FILES, check_tree.META], linking="kmux_nvidia"), [])

    def test_does_not_where_it_is_not_linked(self):
        self.put("plugins/nvidia/options.h")
        self.assertEqual(len(self.plugin(without=["options.h"])), 1)


class Foreign(InTree):
    def found(self, include):
        for name in ("toy", "other", "nvidia"):
            self.put(f"plugins/{name}/backend.h")
        for name in ("toy", "other"):
            self.put(f"plugins/{name}/plugin.json.in")
        return list(check_tree.foreign(pathlib.Path("plugins/toy/backend.cpp"), ["", f'#include "{include}"']))

    def test_lets_a_plugin_include_itself_and_a_library(self):
        for include in ("backend.h", "toy/backend.h", "nvidia/backend.h", "kmux/error.h"):
            self.assertEqual(self.found(include), [])

    def test_refuses_a_neighbour(self):
        found = self.found("other/backend.h")
        self.assertEqual(len(found), 1)
        self.assertIn("plugins/toy/backend.cpp:2: includes plugin other", found[0])


class Unpackaged(InTree):
    def test_refuses_a_public_header_that_no_list_names(self):
        self.put("core/ir/include/kmux/expr.h")
        self.put("core/ir/include/kmux/plugin/carrier.h")
        self.put("core/bench/include/kmux/bench/bench.h")
        self.put("core/ir/CMakeLists.txt", "kmux_add_sources(kmux_sdk HEADERS include/kmux/expr.h)\n")
        self.assertEqual(list(check_tree.unpackaged()),
                         ["core/ir/include/kmux/plugin/carrier.h: not named in core/ir/CMakeLists.txt. Add it there."])


class Unanswered(InTree):
    def found(self, table):
        self.put("core/ir/CMakeLists.txt", "# What is a program?\n# Types.\nkmux_add_sources()\n")
        self.put("plugins/toy/engine/loader.cpp")
        self.put("plugins/toy/tests/loader_test.cpp")
        self.put("integrations/other/src/call.cpp")
        self.put("bench/jit/bar.cpp")
        self.put("HACKING.md", table)
        return list(check_tree.unanswered())

    def test_wants_a_line_for_each_folder(self):
        self.assertEqual(self.found("| `core/ir` | What is a program? Types. |\n| `plugins/toy/engine` | how? |\n"
                                    "| `bench/other`, `bench/jit` | what? |\n| `integrations/other/src` | how? |\n"), [])

    def test_names_those_without_one(self):
        found = self.found("| `core/ir` | What is a program? |\n| `plugins/toy/engine` | |\n")
        self.assertEqual([line.split("`")[1] for line in found],
                         ["plugins/toy/engine", "integrations/other/src", "bench/jit", "core/ir"])


class Misnamed(InTree):
    def test_names_what_is_not_there(self):
        self.put("core/kernel/kernel.cpp")
        self.put("HACKING.md", "`core/kernel/kernel.cpp`, `kernel.cpp`, `foo_test.cpp`, `kernel/kernel.cpp`, `gone.h`")
        self.assertEqual([line.split()[4] for line in check_tree.misnamed()], ["gone.h.", "kernel/kernel.cpp."])


class InnerCircles(unittest.TestCase):
    def found(self, **includes):
        paths = {pathlib.Path("plugins/toy", name.replace("__", "/") + ".h"): [f'#include "{header}"']
                 for name, header in includes.items()}
        return list(check_tree.inner_circles(paths))

    def test_lets_one_folder_include_another(self):
        self.assertEqual(self.found(backend="engine/loader.h", engine__loader="code.h", engine__code="string"), [])

    def test_refuses_two_that_include_each_other(self):
        found = self.found(backend="engine/loader.h", builder="engine/loader.h", engine__loader="options.h", options="string")
        self.assertEqual(len(found), 1)
        self.assertIn("plugins/toy/engine/loader.h:1: plugins/toy/engine includes plugins/toy,", found[0])

    def test_finds_them_by_the_path_from_plugins_too(self):
        self.assertEqual(len(self.found(backend="toy/engine/loader.h", engine__loader="toy/options.h", options="string")), 1)


class Sizes(unittest.TestCase):
    def sized(self, lines):
        path, text = pathlib.Path("core/ir/expr.cpp"), [""] * lines
        return len(list(check_tree.warnings(path, text))), len(list(check_tree.breaches(path, text)))

    def test_warns_of_long_files_and_refuses_longer_ones(self):
        self.assertEqual(self.sized(check_tree.FILE_LINES), (0, 0))
        self.assertEqual(self.sized(check_tree.FILE_LINES + 1), (1, 0))
        self.assertEqual(self.sized(check_tree.MOST_FILE_LINES), (1, 0))
        self.assertEqual(self.sized(check_tree.MOST_FILE_LINES + 1), (0, 1))

    def test_counts_code_alone(self):
        self.assertEqual(check_tree.code_lines(["int a;", "", "  // why", "}", "/// what"]), 2)

    def test_knows_the_library_of_a_file(self):
        for path, library in {"core/ir/expr.cpp": "kmux::sdk", "core/runtime/jit/jit.h": "kmux::runtime", "core/bench/x.h": None}.items():
            self.assertEqual(check_tree.library_of(pathlib.Path(path)), library)

    def test_counts_the_starts_of_shared_lines_in_cpp_without_comments_and_data(self):
        lines = [f"line {number};" for number in range(check_tree.SHARED_LINES + 2)]
        tree = {pathlib.Path("core/a.h"): lines, pathlib.Path("cli/b.cpp"): ["// why", *lines], pathlib.Path("tests/data/c.h"): lines}
        self.assertEqual(len(check_tree.shared_windows(tree)), 3)

    def test_counts_files_of_one_name_as_a_noun_of_their_folder(self):
        paths = map(pathlib.Path, ("core/ir/expr.cpp", "core/ir/include/kmux/expr.h", "core/ir/include/kmux/more.h", "cli/main.cpp"))
        self.assertEqual(check_tree.nouns(paths), {pathlib.Path("core/ir"): {"expr", "more"}, pathlib.Path("cli"): {"main"}})


class ProductSources(InTree):
    def test_leaves_out_tests_and_what_kernels_include(self):
        for library in check_tree.LIBRARIES:
            self.put(f"{library}/x.txt")
        for name in ("toy/backend.h", "toy/device.h", "toy/device/math.h", "toy/tests/toy_test.cpp"):
            self.put(f"plugins/{name}")
        self.assertEqual([str(path) for path in check_tree.product_sources()], ["plugins/toy/backend.h", "plugins/toy/device.h"])


class LimitNames(unittest.TestCase):
    def test_are_those_of_the_field(self):
        for name, count in (("k" "MostFiles", 1), ("k" "LeastBytes", 1), ("k" "FewestRows", 1), ("kMaxFiles", 0), ("kMosty", 0)):
            line = f"constexpr int {name} = 3;"
            found = [breach for breach in check_tree.breaches(pathlib.Path("core/ir/json.cpp"), [line]) if "limits are called" in breach]
            self.assertEqual(len(found), count, line)


class Brackets(unittest.TestCase):
    def found(self, *lines, path="core/ir/json.cpp"):
        return [breach for breach in check_tree.breaches(pathlib.Path(path), list(lines)) if "in brackets" in breach]

    def test_are_for_the_reason_alone(self):
        self.assertEqual(self.found('  return fail("it is short (" + text + "). Call fork() again.");'), [])
        found = self.found("", '  return fail("it is short (2 bytes). Give it "', '              "more (4 bytes).");')
        self.assertEqual([one.partition(": ")[0] for one in found], ["core/ir/json.cpp:2"])
        self.assertEqual(len(self.found('  return fail("it is short (2 bytes). Give it more (4).");', path="tests/a.cpp")), 0)


class MisnamedTests(unittest.TestCase):
    def found(self, line, path="tests/unit/a_test.cpp"):
        return list(check_tree.misnamed_tests(pathlib.Path(path), [line]))

    def test_refuses_other_suffixes_and_dialect(self):
        self.assertEqual(self.found("TEST(ExprTest, FoldsConstants) {"), [])
        self.assertEqual(len(self.found("TEST_F(Expr, FoldsConstants) {")), 1)
        self.assertEqual(len(self.found("TEST_P(ExprTest, RefusesWhatIsNoNumber) {")), 1)

    def test_leaves_the_conformance_suite_alone(self):
        self.assertEqual(self.found("TEST(Arguments, AreThere) {", "tests/conformance/arguments.cpp"), [])


class Dialect(unittest.TestCase):
    def found(self, line, path="core/ir/json.cpp"):
        return [breach for breach in check_tree.breaches(pathlib.Path(path), [line]) if "dialect" in breach]

    def test_is_refused_in_messages(self):
        for text in ('fail("it is no number");', 'fail(name + " is none");', 'log("nobody waits");'):
            self.assertEqual(len(self.found(text)), 1, text)

    def test_lets_plain_words_pass(self):
        for text in ('fail("there is no file");', 'fail("it is no longer there");', '// "is no number"', 'is_no("x");'):
            self.assertEqual(self.found(text), [], text)

    def test_leaves_tests_alone(self):
        self.assertEqual(self.found('expect("is no number");', "tests/unit/json_test.cpp"), [])


class Environment(unittest.TestCase):
    def found(self, path, line):
        return [breach for breach in check_tree.breaches(pathlib.Path(path), [line]) if "environment" in breach]

    def test_is_read_where_the_rules_have_it(self):
        for path in ("core/toolchain/process.cpp", "core/runtime/system/environment.cpp", "cli/style.cpp"):
            self.assertEqual(self.found(path, 'getenv("PATH");'), [])

    def test_is_refused_elsewhere(self):
        self.assertEqual(len(self.found("core/plan/plan.cpp", '  x = secure_getenv("X");')), 1)
        self.assertEqual(len(self.found("plugins/cuda/nvcc.cpp", "for (char** entry = environ; *entry; ++entry)")), 1)
        self.assertEqual(self.found("core/plan/plan.cpp", '  // as getenv("X") would'), [])


if __name__ == "__main__":
    unittest.main()
