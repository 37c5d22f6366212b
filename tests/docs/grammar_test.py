#!/usr/bin/env python3
"""The words and marks of the grammar in docs/text-form.md are those that the parser has in its sources, and the other way round."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "text-form.md").read_text(encoding="utf-8")
PARSER = "".join((ROOT / "core" / "ir" / "text" / name).read_text(encoding="utf-8")
                 for name in ("parse_program.cpp", "parse_body.cpp", "parse_steps.cpp", "reader.cpp"))
# Where the sources of the parser have words: single ones, and lists.
SINGLE = re.compile(r'\b(?:take|is|expect)\("([^"]+)"|\bword == "([^"]+)"')
LISTS = re.compile(r'(?:\bstd::vector<std::string>|\bin_?\.word\(|\breturn) ?\{("[^}]*)\}')
# Refused with a message of their own: what would round in several ways, and a launch with two brackets.
REFUSED = {"/", "%", "<<"}


def quoted(text):
    return set(re.findall(r'"([^"]+)"', text))


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]


def returned_by(function):
    """What a function of the parser has as its list."""
    return quoted(re.search(rf"{function}\(\) {{\n  return {{([^}}]*)}}", PARSER)[1])


class Grammar(unittest.TestCase):
    def test_has_the_words_of_the_parser(self):
        grammar = re.search(r"```ebnf\n(.*?)```", section("Grammar"), re.S)[1]
        single = {first or second for first, second in SINGLE.findall(PARSER)}
        known = single.union(*map(quoted, LISTS.findall(PARSER)))
        values = returned_by("dtype_words") | returned_by("function_words")  # of DTYPE and FUNCTION
        self.assertGreater(len(known), 80)
        self.assertEqual(quoted(grammar), known - (values - {"pointer"}) - REFUSED)

    def test_has_each_rule_that_it_names(self):
        grammar = re.search(r"```ebnf\n(.*?)```", section("Grammar"), re.S)[1]
        rules = set(re.findall(r"^(\w+) +=", grammar, re.M))
        self.assertEqual(set(re.findall(r"\b[a-z_]+\b", re.sub(r'"[^"]+"', "", grammar))), rules)

    def test_names_functions_and_operators_in_prose(self):
        operators = set(re.findall(r"\{ExprOp::k(\w+), (?:k\w+|\d+)\}", (ROOT / "core/ir/text/reader.h").read_text(encoding="utf-8")))
        self.assertEqual(len(operators), 16)
        words = set(re.findall(r"[a-z]+|[^\w\s`,;:().]+", " ".join(re.findall(r"`[^`]+`|[a-z]+", section("Expressions")))))
        for name in returned_by("function_words") | {"or", "and", "not", "==", "!=", "<", "<=", ">", ">=", "|", "^", "&", "<<", ">>", "+", "-", "*"}:
            self.assertIn(name, words)


if __name__ == "__main__":
    unittest.main()
