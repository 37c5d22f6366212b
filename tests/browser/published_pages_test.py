"""Opens the page of docs/reports in headless Chromium: it is small, whole and needs nothing from elsewhere."""
import argparse
import pathlib
import sys
import unittest

from browser import Browser

LARGEST = 300 * 1024  # with the picture
PHONE = 390  # pixels


class PublishedPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.pages = sorted(OPTIONS.reports.glob("*.html"))

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def names(self, page):
        self.browser.open(OPTIONS.reports / page)
        return self.browser.texts(".tallies .name"), set(self.browser.texts("table.overview tbody th a"))

    def test_are_small(self):
        self.assertEqual([page.name for page in self.pages], ["h200.html"])
        self.assertLessEqual(sum(path.stat().st_size for path in OPTIONS.reports.iterdir()), LARGEST)

    def test_of_an_h200_has_eight_programs_over_three_backends(self):
        backends, programs = self.names("h200.html")
        self.assertEqual(backends, ["nvrtc", "cuda", "cutedsl"])
        self.assertEqual(len(programs), 8)
        timed = self.browser.find("table.verdicts tr[data-backend]")
        self.assertEqual(len(timed), 3 * len(self.browser.find("table.verdicts")))

    def test_have_sources_and_resolutions_of_all(self):
        for page in self.pages:
            self.browser.open(page)
            timed = self.browser.find("table.verdicts tr[data-backend]")
            self.assertEqual(len(self.browser.find("details.text")) + len(self.browser.find(".again")), len(timed))
            self.assertEqual(len(self.browser.find("details.resolution")), len(self.browser.find("section")))

    def test_ask_nothing_of_a_network_and_fit_on_a_phone(self):
        self.browser.requests(), self.browser.complaints()
        for page in self.pages:
            self.browser.open(page, width=PHONE, height=844)
            asked = {address for address in self.browser.requests() if not address.startswith("data:")}
            self.assertEqual(asked, {page.resolve().as_uri()})
            self.assertEqual(self.browser.complaints(), [])
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), PHONE, page.name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
