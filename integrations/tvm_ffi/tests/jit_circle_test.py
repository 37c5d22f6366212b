# SPDX-License-Identifier: Apache-2.0
"""Lazy jit functions whose kernels need each other, in one thread and in several."""

import threading
import time
import unittest

import kmux
import programs


class Circle(unittest.TestCase):
    def test_one_that_needs_itself_ends(self):
        @kmux.jit(target="cpu")
        def needs(depth: int):
            needs(max(depth - 1, 0))
            return programs.scale()

        for _ in range(2):
            with self.assertRaisesRegex(RecursionError, "needs calls itself with its own arguments"):
                needs(1)

    def test_those_that_need_each_other_end_in_any_thread(self):
        begun, errors, first = threading.Barrier(3), [], {"a", "b", "c"}

        def needing(name):
            @kmux.jit(target="cpu")
            def made(n: int):
                if name in first:
                    first.remove(name)
                    begun.wait(timeout=20)
                functions[name](n)
                return programs.scale()

            return made

        def run(function):
            try:
                function(1)
            except RecursionError as error:
                errors.append(str(error))

        functions = {}
        functions |= {"a": needing("b"), "b": needing("c"), "c": needing("a")}
        threads = [threading.Thread(target=run, args=(each,), daemon=True) for each in functions.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        self.assertFalse(any(thread.is_alive() for thread in threads))
        self.assertEqual(len(errors), 3)
        self.assertTrue(any("made is being made by a thread that waits for a kernel of this one" in error for error in errors), errors)

    def test_waiting_for_another_thread_is_no_circle(self):
        begun, made = threading.Event(), []

        @kmux.jit(target="cpu")
        def slow(n: int):
            begun.set()
            time.sleep(0.1)
            return programs.scale()

        @kmux.jit(target="cpu")
        def needs(n: int):
            begun.wait(timeout=20)
            return slow(n)._origin[0]

        threads = [threading.Thread(target=lambda each=each: made.append(each(1)), daemon=True) for each in (needs, slow, needs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        self.assertEqual(len(made), 3)


if __name__ == "__main__":
    unittest.main()
