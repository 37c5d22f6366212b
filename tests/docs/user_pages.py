"""The pages that people read who use kmux or add to it; designs are about what was thought at their time."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pages():
    yield from sorted(ROOT.glob("*.md"))
    for folder in ("docs", "examples", "integrations", "plugins"):
        yield from (page for page in sorted((ROOT / folder).rglob("*.md")) if "design" not in page.parts)


def own_pages():
    """Without those of plugins from outside, whose options, targets and variables are in their own manifests."""
    outside = ROOT / "examples" / "plugins"
    yield from (page for page in pages() if not page.is_relative_to(outside))
