#!/usr/bin/env python3
"""take_picture.py PAGE PICTURE: a page as a picture, for README and docs. Needs Debian's chromium-driver and python3-selenium."""
import argparse
import pathlib

from browser import Browser


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--height", type=int, help="default: down to the end of the overview")
    parser.add_argument("--dark", action="store_true")
    options = parser.parse_args()
    browser = Browser()
    try:
        browser.open(options.page, options.width, dark=options.dark)
        end = browser.run("return Math.ceil(document.querySelector('.tallies ~ .legend').getBoundingClientRect().bottom)")
        browser.size(options.width, options.height or end + 12)
        browser.picture(options.picture)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
