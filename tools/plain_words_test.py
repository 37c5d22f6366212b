#!/usr/bin/env python3
"""Tests plain_words.py: what counts as a comment, as a phrase of the dialect, and as a word of a contract."""
import pathlib
import unittest

import plain_words


def texts(*lines, name="a.h"):
    path = pathlib.Path(name)
    read = plain_words.prose_of if path.suffix == ".md" else plain_words.comments_of
    return [text for _, text in read(path, lines)]


class Comments(unittest.TestCase):
    def test_begin_where_code_ends(self):
        self.assertEqual(texts("int a;  // one", "/// two", "//! three"), ["one", "two", "three"])

    def test_are_not_in_strings(self):
        self.assertEqual(texts('auto url = "http://what.is/it";', 'f("//");  // four'), ["four"])

    def test_leave_code_out(self):
        self.assertEqual(texts("// Calls `what is` and returns.")[0].split(), ["Calls", "and", "returns."])

    def test_of_pages_leave_fences_out(self):
        self.assertEqual(texts("One.", "```", "what is code", "```", "Two.", name="a.md"), ["One.", "Two."])


class Phrases(unittest.TestCase):
    def test_of_the_dialect_are_found(self):
        for text in ("What is compiled", "a lock of its own", "nobody waits", "Whoever calls", "made anew", "in vain", "who wants it"):
            self.assertEqual(len(plain_words.phrases_in(text, True)), 1, text)

    def test_that_are_questions_are_found_in_comments_alone(self):
        self.assertEqual(plain_words.phrases_in("Is it the host?", True), ["t?"])
        self.assertEqual(plain_words.phrases_in("Is it the host?", False), [])

    def test_that_are_plain_are_not(self):
        for text in ("Returns true if the device is the host.", "the wholesale price", "whatever it costs", "renewed"):
            self.assertEqual(plain_words.phrases_in(text, True), [], text)


class Libraries(unittest.TestCase):
    def test_are_folders_of_two_names_in_core_and_plugins(self):
        for path, library in (("core/ir/a.h", "core/ir"), ("plugins/simt/transforms/a.h", "plugins/simt"), ("docs/design/a.md", "docs"), ("README.md", "pages")):
            self.assertEqual(plain_words.library_of(pathlib.Path(path)), library)


class Tree(unittest.TestCase):
    def test_has_comments_in_each_library(self):
        counts = plain_words.count(["core", "plugins"])
        self.assertTrue(all(one["words"] > 0 for one in counts.values()))


if __name__ == "__main__":
    unittest.main()
