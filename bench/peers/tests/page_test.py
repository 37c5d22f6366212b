import pathlib
import tempfile
import unittest

import page

PAGE = f"# Title\n\n{page.BEGIN}\nold\n{page.END}\n\nafter\n"


class Page(unittest.TestCase):
    def test_changes_what_is_between_its_markers(self):
        written = page.replaced(PAGE, "new\n", "p.md")
        self.assertEqual(written, f"# Title\n\n{page.BEGIN}\nnew\n{page.END}\n\nafter\n")
        self.assertEqual(page.replaced(written, "new\n", "p.md"), written)

    def test_says_which_marker_is_missing_or_twice(self):
        for text, count in ((PAGE.replace(page.END, ""), 0), (PAGE + page.END, 2)):
            with self.assertRaisesRegex(page.PageError, f"p.md has '{page.END}' {count} times"):
                page.replaced(text, "new\n", "p.md")

    def test_says_that_they_are_swapped(self):
        with self.assertRaisesRegex(page.PageError, "Swap them"):
            page.replaced(f"{page.END}\n{page.BEGIN}\n", "new\n", "p.md")

    def test_is_left_alone_if_it_cannot_take_the_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.md"
            path.write_text("no markers")
            with self.assertRaises(page.PageError):
                page.write(path, "new\n")
            self.assertEqual(path.read_text(), "no markers")


if __name__ == "__main__":
    unittest.main()
