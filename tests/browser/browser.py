"""Headless Chromium: a page as a person sees it, and all that it asked for or complained of."""
import json
import os
import shutil

MISSING = "Chromium, its driver or Selenium is missing. Install chromium chromium-driver python3-selenium."

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError as error:
    raise SystemExit(f"{error}. {MISSING}")

# The contrast of every text with what is behind it, as WCAG 2.2 defines it (1.4.3, "relative luminance").
CONTRASTS = """
const luminance = ([r, g, b]) => {
  const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const ground = (element) => {
  for (; element; element = element.parentElement) {
    const colour = numbers(getComputedStyle(element).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  const text = walker.currentNode.textContent.trim();
  if (!text || element.tagName === 'title' || !element.getClientRects().length) continue;
  const style = getComputedStyle(element);
  const ink = luminance(numbers(element instanceof SVGElement ? style.fill : style.color));
  const paper = luminance(ground(element));
  found.push([(Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05), text.slice(0, 60)]);
}
return found;
"""


class Browser:
    """One Chromium with one page. Everything is kept: what was asked of a network, what went to the console."""

    def __init__(self):
        chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
        if not chromium or not driver:
            raise SystemExit(MISSING)
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]:
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # its sandbox refuses root
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.run = self.driver.execute_script

    def open(self, path, width=1200, height=900, dark=False):
        self.size(width, height)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.get(path.resolve().as_uri())

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def find(self, selector):
        return self.driver.find_elements("css selector", selector)

    def texts(self, selector):
        return [element.text for element in self.find(selector)]

    def is_visible(self, element):
        return self.run("return arguments[0].checkVisibility()", element)

    def requests(self):
        """The addresses of all that was asked for since the last time."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def open_all_details(self):
        self.run("for (const details of document.querySelectorAll('details')) details.open = true")

    def contrasts(self):
        return self.run(CONTRASTS)

    def picture(self, path):
        self.driver.save_screenshot(str(path))

    def close(self):
        self.driver.quit()
