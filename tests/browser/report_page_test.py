"""Opens pages of `kmux bench --html` in headless Chromium and looks at them as a person would."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

READABLE = 4.5  # WCAG 2.2, 1.4.3: contrast of text
PHONE = 390  # pixels
BENCHMARKS = {"context": {"num_cpus": 2}, "benchmarks": [
    {"name": f"call/{n}", "real_time": 20 + n + i, "time_unit": "ns", "cpu_time": 19} for n in (8, 64) for i in range(9)]}


class ReportPage(unittest.TestCase):
    """The page of a report that has all there is."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="kmux-browser-")
        folder = pathlib.Path(cls.folder.name)
        example, launch = folder / "example.json", folder / "launch.json"
        example.write_bytes(subprocess.run([OPTIONS.example], check=True, capture_output=True).stdout)
        launch.write_text(json.dumps(BENCHMARKS))
        cls.page, cls.measured, cls.benchmarks = folder / "example.html", folder / "cpu.html", folder / "launch.html"
        kmux("--from", example, "--html", cls.page)
        kmux("--from", launch, "--html", cls.benchmarks)
        kmux(OPTIONS.programs / "scale/scale.kmux.json", "--backends", "cpu,cpu:engine=host", "--axis", "n=1024,4096",
             "--time", "0.05", "--repetitions", "1", "--html", cls.measured)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def test_begins_with_an_overview(self):
        self.browser.open(self.page)
        self.assertEqual(self.browser.texts(".tallies .name"), ["slow", "quick", "third:option=with_a_long_value", "wrong"])
        self.assertEqual(len(self.browser.find("table.overview tbody tr")), 3)
        self.assertEqual(len(self.browser.find("table.overview svg.ratios circle")), 6)
        self.assertIn("2.00x faster", self.browser.texts("table.overview td.faster .word"))
        first = self.browser.find("table.overview")[0]
        self.assertLess(first.location["y"], 400, "it is on the first screen")

    def test_has_verdicts_bars_scaling_and_roofline(self):
        self.browser.open(self.page)
        self.assertEqual(len(self.browser.find("table.verdicts")), 3)
        self.assertEqual(self.browser.texts("#c0 table.verdicts td.faster .word"), ["2.00x faster"])
        self.assertEqual(self.browser.texts("#c0 table.verdicts td.wrong .word"), ["wrong"])
        self.assertIn("no device", self.browser.texts("#c0 .absent")[0])
        self.assertEqual(len(self.browser.find("#c0 figure.bars rect")), 3)
        self.assertEqual(len(self.browser.find("#c0 figure.bars line.whisker")), 3, "each bar has its interval")
        self.assertEqual(len(self.browser.find("figure.scaling polyline")), 3)
        self.assertEqual(len(self.browser.find("figure.roofline circle")), 9)
        for picture in self.browser.find("svg"):
            self.assertGreater(picture.size["height"], 10)

    def test_has_pairs_of_the_headline_open(self):
        self.browser.open(self.page)
        cells = self.browser.texts("#c0 table.pairs[data-column=device_hot] .word")
        self.assertEqual(cells, ["2.00x slower", "ambiguous", "2.00x faster", "2.00x faster", "ambiguous", "2.00x slower"])
        self.assertEqual(self.browser.texts("#c0 table.pairs[data-column=end_to_end] .word"), [""] * 6, "one click away")

    def opens(self, selector, inside):
        """One click on the summary shows what is inside."""
        details = self.browser.find(selector)[0]
        content = details.find_element("css selector", inside)
        self.assertFalse(self.browser.is_visible(content), selector)
        details.find_element("css selector", "summary").click()
        self.assertTrue(self.browser.is_visible(content), selector)
        return content.text

    def test_machine_resolution_and_definitions_open_on_a_click(self):
        self.browser.open(self.page)
        self.assertIn("a processor & more", self.opens("details.machine", "dl"))
        self.assertIn("back to back", self.opens("details.definitions", "dl"))
        table = self.opens("#c0 details.resolution", "table.resolution")
        self.assertIn("no device <here>", table)
        rows = self.browser.find("#c0 table.resolution tr[data-backend]")
        self.assertEqual([row.find_elements("css selector", "td")[0].text for row in rows], ["chosen", "no"])

    def test_launchers_and_sources_open_on_a_click(self):
        self.browser.open(self.page)
        launcher = self.opens("#c0 details.text", "pre")
        self.assertTrue(launcher.startswith("// launches scale_on_slow"), launcher[:80])
        self.assertIn("arguments[199] != nullptr && \"<shared>\"", launcher)
        self.assertEqual(len(self.browser.find("#c0 details.text")), 6, "a launcher and a source of each")

    def test_a_link_leads_to_lines_that_stand_elsewhere(self):
        self.browser.open(self.page)
        self.browser.find("#c0 details.text summary")[2].click()  # the launcher of the second backend
        link = self.browser.find("#c0 pre a.same")[0]
        self.assertIn("200 lines as in the launcher of scale on slow", link.text)
        first = self.browser.find("#c0 details.text pre")[0]
        self.assertFalse(self.browser.is_visible(first))
        link.click()
        self.assertTrue(self.browser.is_visible(first), "following a link opens the details around its target")

    def test_asks_nothing_of_a_network_and_complains_of_nothing(self):
        self.browser.requests(), self.browser.complaints()
        for page in (self.page, self.measured, self.benchmarks):
            self.browser.open(page)
            self.browser.open_all_details()
            self.assertEqual({address for address in self.browser.requests() if not address.startswith("data:")},
                             {page.resolve().as_uri()})
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual(self.browser.find("script"), [])

    def test_is_readable_in_light_and_dark(self):
        grounds = set()
        for dark in (False, True):
            for page in (self.page, self.measured, self.benchmarks):
                self.browser.open(page, dark=dark)
                self.browser.open_all_details()
                contrasts = self.browser.contrasts()
                self.assertGreater(len(contrasts), 30)
                self.assertEqual([found for found in contrasts if found[0] < READABLE], [], f"dark: {dark}")
            grounds.add(self.browser.run("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(grounds, {"rgb(255, 255, 255)", "rgb(20, 23, 26)"})

    def test_fits_on_a_phone(self):
        for page in (self.page, self.measured, self.benchmarks):
            self.browser.open(page, width=PHONE, height=844)
            self.browser.open_all_details()
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), PHONE, page.name)
        self.browser.open(self.page, width=PHONE, height=844)
        wide = self.browser.run("return [...document.querySelectorAll('.wide')].map(e => [e.scrollWidth, e.clientWidth])")
        self.assertTrue(any(inner > outer for inner, outer in wide), "wide tables scroll by themselves")

    def test_uses_the_whole_width_of_a_window_c3_12(self):
        """A table that fits into the window is shown whole, whatever the width of the text."""
        self.browser.open(self.page, width=1900)
        self.browser.run("document.querySelector('table.verdicts').style.width = '1500px'")
        wide = self.browser.run(
            "return [...document.querySelectorAll('.wide')].map(e => [e.scrollWidth, e.clientWidth])")
        self.assertGreaterEqual(max(inner for inner, _ in wide), 1500)
        self.assertEqual([(inner, outer) for inner, outer in wide if inner > outer], [])
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 1900)

    def test_of_a_real_run_has_both_engines(self):
        self.browser.open(self.measured)
        self.assertEqual(self.browser.texts(".tallies .name"), ["cpu", "cpu:engine=host"])
        self.assertEqual(len(self.browser.find("table.overview tbody tr")), 2)
        self.assertEqual(len(self.browser.find("figure.scaling polyline")), 2)
        self.assertIn("int", self.opens("#c0 details.text", "pre"))
        machine = self.opens("details.machine", "dl")
        self.assertIn("cores", machine)
        self.assertIn("toolchains cpu:engine=host", machine)

    def test_of_google_benchmark_has_its_benchmarks(self):
        self.browser.open(self.benchmarks)
        self.assertEqual(self.browser.texts("h1"), ["Benchmarks"])
        self.assertEqual(self.browser.texts("table.benchmarks tbody th"), ["call\narg0=8", "call\narg0=64"])
        self.assertIn("32.0 ns", self.browser.texts("table.benchmarks td.number")[0])
        self.assertIn("19.0 ns of a processor's time", self.browser.texts("table.benchmarks td.remarks")[0])
        self.assertEqual(len(self.browser.find("figure.scaling polyline")), 1)
        self.assertEqual(self.browser.texts("figure.scaling figcaption"), ["call over arg0"])

    def test_pictures_are_taken(self):
        """For people who look: each is in the build folder."""
        for name, width, dark in (("light", 1200, False), ("dark", 1200, True), ("phone", PHONE, False)):
            self.browser.open(self.page, width=width, height=1000, dark=dark)
            path = OPTIONS.pictures / f"report_{name}.png"
            self.browser.picture(path)
            self.assertGreater(path.stat().st_size, 10_000)


def kmux(*words):
    subprocess.run([OPTIONS.kmux, "bench", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("kmux", "example", "programs", "pictures"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
