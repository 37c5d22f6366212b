import multiprocessing
import unittest

import kmux
import numpy as np
import programs

LIMIT = 60  # seconds, after which a child hangs


def _compile_and_call(number):
    kernel = kmux.compile(programs.scale(f"factor * x[i] + {number}"), target="cpu")
    return float(np.from_dlpack(kernel(np.ones(4, dtype=np.float32), 2.0))[0])


def _call(kernel):
    return float(kernel(np.ones(4, dtype=np.float32), 2.0)[0])


@kmux.jit(target="cpu")
def _scaled(number=1):
    return programs.scale(f"factor * x[i] * {number}")


def _compile_and_take(function):
    return _call(function(number=3))


_kernels = {}


def _call_the_parents():
    return float(np.from_dlpack(_kernels["two"](np.ones(4, dtype=np.float32), 2.0))[0])


class Fork(unittest.TestCase):
    def results(self, method, function, arguments):
        with multiprocessing.get_context(method).Pool(2) as pool:
            return pool.starmap_async(function, arguments).get(timeout=LIMIT)

    def test_forked_children_compile_while_the_parent_does(self):
        for repeat in range(5):
            self.assertEqual(_compile_and_call(repeat), 2.0 + repeat)  # its better tier is compiled meanwhile
            numbers = [repeat, 10 + repeat, 20 + repeat]
            self.assertEqual(
                self.results("fork", _compile_and_call, [(n,) for n in numbers]), [2.0 + n for n in numbers]
            )

    def test_spawned_children_compile(self):
        self.assertEqual(_compile_and_call(1), 3.0)
        self.assertEqual(self.results("spawn", _compile_and_call, [(1,), (2,)]), [3.0, 4.0])

    def test_spawned_children_take_kernels_and_jit_functions(self):  # C3.10
        kernel = kmux.compile(programs.scale(), target="cpu")
        self.assertEqual(self.results("spawn", _call, [(kernel,), (_scaled(3),)]), [2.0, 6.0])
        self.assertEqual(self.results("spawn", _compile_and_take, [(_scaled,)]), [6.0])

    def test_forked_children_call_what_the_parent_compiled(self):
        _kernels["two"] = kmux.compile(programs.scale(), target="cpu")
        self.assertEqual(self.results("fork", _call_the_parents, [(), ()]), [2.0, 2.0])


if __name__ == "__main__":
    unittest.main()
