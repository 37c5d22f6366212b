"""The pages that people read who use kmux or add to it; designs are about what was thought at their time."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pages():
    yield from sorted(ROOT.glob("*.md"))
    for folder in ("docs", "examples", "integrations", "plugins"):
        yield from (page for page in sorted((ROOT / folder).rglob("*.md")) if "design" not in page.parts)
