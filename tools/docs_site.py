#!/usr/bin/env python3
"""Makes a site of the pages with mkdocs-material: docs_site.py OUT writes OUT/site, with the C++ reference if OUT/html has it.

The navigation has the headings of docs/README.md and the pages that its tables link. A dead link is an error.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import package_pages

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = pathlib.Path("docs/README.md")
SECTION = re.compile(r"^## (.*?)$(.*?)(?=^## |\Z)", re.M | re.S)
SETTINGS = {
    "site_name": "kmux",
    "docs_dir": "pages",
    "site_dir": "site",
    "use_directory_urls": False,
    "plugins": ["search"],
    "markdown_extensions": ["tables", "admonition", "md_in_html", {"toc": {"permalink": True}}, "pymdownx.superfences", "pymdownx.highlight"],
    "validation": {"nav": {"omitted_files": "ignore"}, "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "ignore"}},
    "theme": {
        "name": "material",
        "font": False,  # a page loads nothing from elsewhere
        "features": ["navigation.tabs", "navigation.sections", "navigation.indexes", "search.highlight", "content.code.copy"],
        "palette": [
            {"media": "(prefers-color-scheme: light)", "scheme": "default", "toggle": {"icon": "material/weather-night", "name": "dark"}},
            {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "toggle": {"icon": "material/weather-sunny", "name": "light"}},
        ],
    },
}


def title(root, page):
    """The first heading of a page."""
    return re.search(r"^# (.*)$", (root / page).read_text(encoding="utf-8"), re.M)[1].replace("`", "")


def pages_of(root, target):
    """The pages below `root` that a link of the index stands for: a page, and with the index of a folder the others there."""
    root = root.resolve()
    path = (root / INDEX.parent / target.partition("#")[0]).resolve()
    path = path / "README.md" if path.is_dir() else path
    others = sorted(path.parent.glob("*.md")) if path.name == "README.md" else []
    return [page.relative_to(root) for page in [path, *others] if page.suffix == ".md" and page.is_file() and page.is_relative_to(root)]


def navigation(root):
    """The sections of the index, each with its pages in order."""
    sections = [{"kmux": "README.md"}]
    for head, text in SECTION.findall((root / INDEX).read_text(encoding="utf-8")):
        pages = dict.fromkeys(page for match in package_pages.links(text) for page in pages_of(root, match["target"]))
        sections.append({head: [{title(root, page): page.as_posix()} for page in pages]})
    return sections


def make(root, out):
    """Writes OUT/site. Returns mkdocs's exit status."""
    pages = out / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    package_pages.main([str(pages), str(root)])
    sections = navigation(pages)
    if (out / "html").is_dir():
        shutil.copytree(out / "html", pages / "reference")
        sections.append({"C++ reference": "reference/index.html"})
    settings = out / "mkdocs.yml"  # JSON is YAML
    settings.write_text(json.dumps({**SETTINGS, "nav": sections}, indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--clean", "--config-file", str(settings)]
    return subprocess.run(command, check=False).returncode


def main(arguments):
    if len(arguments) != 1:
        print("usage: docs_site.py OUT", file=sys.stderr)
        return 2
    out = pathlib.Path(arguments[0]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    if subprocess.run([sys.executable, "-c", "import material"], capture_output=True, check=False).returncode != 0:
        print(f"needs mkdocs-material (the site is made with it). Run: {sys.executable} -m pip install mkdocs-material", file=sys.stderr)
        return 77
    if make(ROOT, out) != 0:
        print("the site cannot be made. mkdocs says why above.", file=sys.stderr)
        return 1
    print(f"{out}/site/index.html (with its search: {pathlib.Path(sys.executable).name} -m http.server --directory {out}/site)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
