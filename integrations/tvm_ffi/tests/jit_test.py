import collections
import contextlib
import dataclasses
import enum
import fractions
import json
import pathlib
import pickle
import tempfile
import threading
import time
import types
import unittest
from datetime import timedelta

import kmux
import numpy as np
import programs
from kmux._jit_key import text_of


@kmux.jit(target="cpu")
def named(exponent=1):
    return programs.scale(" * ".join(["x[i]"] * exponent))


def plain(exponent=1):
    return named.function(exponent)


@kmux.jit
def eager_named(b: kmux.JitBuilder, x):
    return b.input("x", [b.symbol("n")])


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Tile:
    rows: int = 4


@dataclasses.dataclass
class SubTile(Tile):
    pass


class Mode(str, enum.Enum):
    FAST = "fast"


class OtherMode(str, enum.Enum):
    QUICK = "fast"


class Bits(enum.IntFlag):
    LOW = 1
    HIGH = 2


class Named(str):
    pass


Point = collections.namedtuple("Point", "x y")


def module_of(value):
    """An enum and a dataclass under the same names in another module."""
    made = types.ModuleType(f"module_{value}")
    text = f"import enum, dataclasses\nclass Colour(enum.Enum):\n  RED = {value}\n"
    exec(text + f"@dataclasses.dataclass\nclass Tile:\n  rows: int = {value}\n", made.__dict__)
    return made


def local_enum(value):
    return enum.Enum("Local", {"ONE": value}, module="local").ONE


class Key(unittest.TestCase):
    def test_tells_different_values_apart(self):
        first, second = module_of(1), module_of(2)
        values = [
            *(1, 1.0, True, "1", None, "None", 1j, 0.0, -0.0, float("inf"), "Infinity", fractions.Fraction(1)),
            *(Colour.RED, "Colour.RED", first.Colour.RED, second.Colour.RED, local_enum(1), local_enum(2)),
            *(Mode.FAST, OtherMode.QUICK, "fast", Named("fast"), np.str_("fast")),
            *(Bits.LOW, Bits.HIGH, Bits.LOW | Bits.HIGH, Bits(8), Bits(16)),
            *(Tile(), Tile(5), SubTile(), first.Tile(4), second.Tile(4)),
            *([1], [True], (1,), [[1]], [(1,)], (1, 2), Point(1, 2), {"a": 1}, [["a", 1]], {"a": 1, "b": 2}, {"b": 2, "a": 1}),
            *(np.dtype("float32"), np.dtype(">f4"), np.float32, np.float64, "float32"),
            *(np.float32(1), np.float64(1), np.int64(1), np.int32(1), np.bool_(True), np.complex64(1), np.complex128(1)),
            *(fractions.Fraction(1, 3), 1 / 3, fractions.Fraction(10**17 + 1, 10**17)),
        ]
        values.append({"builtins.tuple": [1]})  # as the key writes a tuple
        texts = [text_of(value) for value in values]
        self.assertEqual([texts[i] for i in range(len(texts)) if texts[i] in texts[:i]], [])
        for text in texts:
            json.loads(text)

    def test_equal_values_share_one(self):
        pairs = [(Mode.FAST, Mode("fast")), ((1, 2), (1, 2)), (np.int64(3), np.int64(3)), (Tile(), Tile(4))]
        pairs += [(float("nan"), float("nan")), (Bits(3), Bits.LOW | Bits.HIGH), ({"a": 1}, {"a": 1})]
        for one, other in pairs:
            self.assertEqual(text_of(one), text_of(other))

    def test_others_have_none(self):
        added = Named("fast")
        added.more = 1
        others = [object(), np.zeros(3), lambda: None, np.random.default_rng(1), np.poly1d([1, 2]), np.void(b"a"), int]
        for value in (*others, added, collections.defaultdict(int), {1}, b"a", [object()]):
            with self.assertRaises(TypeError):
                text_of(value)


class Jit(unittest.TestCase):
    def setUp(self):
        self.calls = []

        @kmux.jit(target="cpu")
        def power(exponent: int = 1, bias=0):
            self.calls.append(exponent)
            return programs.scale(" * ".join(["x[i]"] * exponent) + f" + {bias}" if exponent else "1")

        self.power = power

    def value(self, kernel):
        return np.from_dlpack(kernel(np.full(1, 3, "float32"), 0.0))[0]

    def test_makes_a_kernel_once(self):
        first = self.power(2)
        self.assertIs(self.power(2), first)
        self.assertIs(self.power(exponent=2, bias=0), first)
        self.assertEqual(self.value(first), 9)
        self.assertEqual(self.calls, [2])

    def test_other_types_are_other_arguments(self):
        self.power(1)
        self.power(True)
        self.power((1, True)[0], bias=0.0)
        self.assertEqual(len(self.calls), 3)

    def test_equal_values_of_other_types_are_other_arguments(self):
        def length(value):
            return len(type(value).__module__ + type(value).__qualname__)

        @kmux.jit(target="cpu")
        def typed(value):
            return programs.scale(f"x[i] * {length(value)}")

        for one, other in ((Mode.FAST, "fast"), ((1, 2), [1, 2]), (module_of(1).Colour.RED, Colour.RED), (np.int64(1), 1)):
            for value in (one, other):
                self.assertEqual(self.value(typed(value)), 3 * length(value))
            self.assertIs(typed(one), typed(one))

    def test_a_default_counts_with_the_value_that_it_has_now(self):
        factors = [1]

        @kmux.jit(target="cpu")
        def scaled(a, b=factors, *more, **named):
            return programs.scale(f"{a * sum(b)} * x[i]")

        first = scaled(1)
        self.assertIs(scaled(1), first)
        factors.append(2)
        second = scaled(1)
        self.assertIsNot(second, first)
        self.assertEqual(second(np.ones(1, "float32"), 1.0)[0], 3)
        self.assertIs(scaled(1, [1]), first)

    def test_fixed_defaults_are_found_without_a_key(self):
        for default in (1, 1.0, "a", (1, (2.0, None)), Colour.RED, np.float32, np.dtype("float32"), np.int64(1)):

            @kmux.jit(target="cpu")
            def copied(a, b=default, *more, **named):
                return programs.scale()

            copied(1, default, 2, c=3) if type(default) in (int, str) else copied(1)
            self.assertEqual(len(copied._seen), 1, default)

    def test_equal_programs_share_a_kernel(self):
        self.assertIs(self.power(1, 0), self.power(1, False + 0))

        @kmux.jit(target="cpu")
        def same(ignored):
            return programs.scale()

        self.assertIs(same(1), same(2))

    def test_is_pickled_by_its_name(self):  # C3.10
        self.assertIs(pickle.loads(pickle.dumps(named)), named)
        self.assertIs(pickle.loads(pickle.dumps(eager_named)), eager_named)
        again = pickle.loads(pickle.dumps(kmux.jit(target="cpu")(plain)))  # that has no name of its own
        self.assertEqual(again(2).name, "scale")
        self.assertEqual(again.options, {"target": "cpu"})

    def test_a_configuration_is_a_dict_or_a_tuple(self):  # C2.12
        message = r"configuration 1 of par_compile is 5 \(.*\). Write {'exponent': 5} or \(5,\)"
        with self.assertRaisesRegex(TypeError, message):
            self.power.par_compile([{"exponent": 1}, 5])
        with self.assertRaisesRegex(TypeError, "par_compile is 'ab'"):
            self.power.par_compile(["ab"])

    def test_leaves_out_what_fails(self):  # C1.2
        @kmux.jit(target="cpu")
        def some(width):
            if width == 3:
                raise ArithmeticError("three")
            return programs.scale("missing" if width == 2 else "x[i]")

        with self.assertWarns(kmux.CompileWarning) as caught, self.assertNoLogs("kmux", "WARNING"):
            good, bad, worse = some.par_compile([(1,), (2,), (3,)], ignore_error=True, num_workers=1)
        self.assertEqual((good.name, bad, worse), ("scale", None, None))
        texts = [str(warning.message) for warning in caught.warnings]
        self.assertRegex(texts[0], r"^some\(width=2\) is left out: .*missing")
        self.assertRegex(texts[1], r"^some\(width=3\) is left out: three")
        self.assertEqual((len(texts), caught.filename), (2, __file__))
        with self.assertRaises(ArithmeticError):
            some.par_compile([(3,)])

    def test_par_compile_takes_time_and_memory(self):  # C1.2
        (kernel,) = self.power.par_compile([(2,)], timeout=timedelta(seconds=100), memory_budget=1 << 30)
        self.assertEqual(self.value(kernel), 9)
        with self.assertRaisesRegex(ValueError, "timeout cannot be negative"):
            self.power.par_compile([(3,)], timeout=-1)
        with self.assertRaisesRegex(TypeError, "no option 'num_worker'.*Did you mean 'num_workers'"):
            self.power.par_compile([(3,)], num_worker=1)

    def test_writes_debug_files(self):  # C1.3
        with tempfile.TemporaryDirectory() as folder:

            @kmux.jit(target="cpu", debug_root_path=folder)
            def traced(width=1):
                return programs.scale("missing" if width == 2 else "x[i]")

            for width in (1, 2):
                with contextlib.suppress(kmux.CompileError):
                    traced(width)
            traced.par_compile([(1,)])
            good = pathlib.Path(folder, f"scale-{traced.program(1).digest[:12]}")
            self.assertEqual(kmux.load_program(good / "program" / "scale.kmux.json").name, "scale")
            self.assertEqual((good / "config.json").read_text(), '{"width":1}\n')
            self.assertIn("scale", (good / "launcher-cpu.txt").read_text())
            self.assertIn("def traced(width=1)", (good / "function.txt").read_text())
            bad = pathlib.Path(folder, f"scale-{traced.program(2).digest[:12]}")
            self.assertTrue((bad / "program" / "scale.c").exists())

    def test_a_wrong_option_is_found_before_a_call(self):
        with self.assertRaisesRegex(TypeError, "no option 'targt' .*Did you mean 'target'"):
            kmux.jit(targt="cpu")(lambda: None)
        with self.assertRaisesRegex(TypeError, "has no option 'num_worker' .*progress.*Did you mean 'num_workers'"):
            kmux.jit(lambda: None).par_compile([], num_worker=1)

    def test_needs_no_options(self):
        @kmux.jit
        def plain():
            "Its text."
            return programs.scale()

        self.assertEqual(plain.__doc__, "Its text.")
        self.assertEqual(plain().name, "scale")

    def test_gives_the_program_without_compiling(self):
        self.assertIn("x[i] * x[i]", self.power.program(2).files["scale.c"])
        self.assertEqual(self.power.cache_key(2), '{"bias":0,"exponent":2}')

    def test_several_are_a_list(self):
        for configurations in ({"exponent": 2}, "exponent", 2, b"2", np.ones(2)):
            with self.assertRaisesRegex(TypeError, "configurations are .* .a list of dicts or tuples is wanted.. Put it into a list"):
                self.power.par_compile(configurations)

    def test_compiles_several_at_once(self):
        two, three = self.power.par_compile([{"exponent": 2}, (3,)], num_workers=2)
        self.assertEqual((self.value(two), self.value(three)), (9, 27))
        self.assertIs(self.power(2), two)
        self.assertEqual(len(self.calls), 2)

    def test_hints_at_the_name_that_is_meant(self):
        with self.assertRaisesRegex(TypeError, "Did you mean 'exponent'"):
            self.power(exponnt=2)
        with self.assertRaisesRegex(TypeError, "parameter 'bias' holds a object"):
            self.power(2, bias=object())

    def test_arrays_hint_at_functions_of_tensors(self):
        @kmux.jit
        def unannotated(b, x):
            return b.input("x", [b.symbol("n")])

        for arguments in ((np.zeros(3),), (np.zeros(3), np.zeros(3))):
            with self.assertRaisesRegex(TypeError, "annotate its first parameter as kmux.JitBuilder"):
                unannotated(*arguments)
        with self.assertRaises(TypeError) as caught:
            unannotated(3)
        self.assertNotIn("JitBuilder", str(caught.exception))

    def test_an_error_says_which_call_it_was(self):
        @kmux.jit(target="cpu")
        def broken(width):
            return programs.scale("missing")

        with self.assertRaises(kmux.CompileError) as caught:
            broken(5)
        text = str(caught.exception) + "".join(getattr(caught.exception, "__notes__", []))
        self.assertIn("in jit function broken(width=5)", text)
        with self.assertRaises(kmux.CompileError):  # not remembered
            broken(5)

    def test_an_error_of_many_says_which_it_was(self):
        @kmux.jit(target="cpu")
        def sometimes(width):
            return programs.scale("missing" if width == 2 else "x[i]")

        with self.assertRaises(kmux.CompileError) as caught:
            sometimes.par_compile([(1,), (2,)])
        text = str(caught.exception) + "".join(getattr(caught.exception, "__notes__", []))
        self.assertIn("in jit function sometimes(width=2)", text)
        self.assertNotIn("sometimes(width=1)", text)

    def test_refuses_what_is_no_program(self):
        with self.assertRaisesRegex(TypeError, "it returned an object of type int"):
            kmux.jit(lambda: 3)()
        with self.assertRaisesRegex(TypeError, "jit decorates a int"):
            kmux.jit(3)

    def test_an_edited_header_gives_another_kernel(self):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "factor.h")

            @kmux.jit(target="cpu", include_dirs=[folder])
            def scale(tile=4):
                return programs.scale_of_header()

            def edit(factor):
                header.write_text(f"#define FACTOR {factor}\n")
                time.sleep(0.02)  # longer than a tick of the clock that stamps files
                return float(np.from_dlpack(scale()(np.ones(1, "float32")))[0])

            self.assertEqual([edit(factor) for factor in (2, 3, 2)], [2, 3, 2])
            kernel = scale()
            self.assertIs(scale(), kernel)
            self.assertTrue(kernel.is_up_to_date)
            header.unlink()
            self.assertFalse(kernel.is_up_to_date)

    def test_is_compiled_once_however_many_ask(self):
        kernels = []
        threads = [threading.Thread(target=lambda: kernels.append(self.power(4))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(map(id, kernels))), 1)
        self.assertEqual(self.calls, [4])


if __name__ == "__main__":
    unittest.main()
