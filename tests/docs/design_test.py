"""docs/design/README.md lists each design page once, in order, with a state."""
import re
import unittest

from user_pages import ROOT

ROW = re.compile(r"^\| \[(\d{4})\]\((\d{4}-[\w-]+\.md)\) \| \S.* \| (valid(?:; .+)?|superseded by \d{4}) \|$", re.M)


class Index(unittest.TestCase):
    def test_has_a_line_and_a_state_for_each_page(self):
        rows = ROW.findall((ROOT / "docs/design/README.md").read_text(encoding="utf-8"))
        pages = sorted(path.name for path in (ROOT / "docs/design").glob("[0-9]*.md"))
        self.assertEqual([name for _, name, _ in rows], pages)
        self.assertTrue(all(name.startswith(number) for number, name, _ in rows))

    def test_names_pages_that_exist(self):
        text = (ROOT / "docs/design/README.md").read_text(encoding="utf-8")
        numbers = {name[:4] for name in re.findall(r"\((\d{4}-[\w-]+\.md)\)", text)}
        self.assertLessEqual(set(re.findall(r"\b(\d{4})\b", text)), numbers)


if __name__ == "__main__":
    unittest.main()
