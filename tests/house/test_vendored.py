"""What others wrote and our pages run is what it was when somebody looked at it."""

from __future__ import annotations

import hashlib
import re
import tomllib

from tests.house import tree

STATIC = tree.ROOT / "dashboard/static"
OURS = {
    "curves.css",
    "curves.js",
    "dashboard.css",
    "dashboard.js",
    "icon.svg",
    "vendored.toml",
}
ELSEWHERE = re.compile(r"""(?:src|href|action)\s*=\s*["']?(?:https?:)?//|\bstyle\s*=""")
INLINE = re.compile(
    r"<script(?![^>]*\bsrc=)|<style|\bon[a-z]+\s*=|\bhx-on", re.IGNORECASE
)


def vendored():
    """What the list says of each file."""
    said = tomllib.loads((STATIC / "vendored.toml").read_text(encoding="utf-8"))
    return {each["file"]: each for each in said["vendored"]}


def test_each_vendored_file_has_its_hash_and_licence():
    """A byte that changed is a script that nobody looked at."""
    for name, said in vendored().items():
        found = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()

        assert found == said["sha256"], name
        assert said["version"]
        assert said["licence"] in {"0BSD", "MIT"}


def test_each_file_is_ours_or_listed():
    """Licences that ask for it lie beside what they are of."""
    there = {each.name for each in STATIC.iterdir()}

    licences = {name for name in there if name.endswith(".LICENSE")}
    assert there - licences == OURS | set(vendored())
    for said in vendored().values():
        assert said["licence"] == "0BSD" or f"{said['name']}.LICENSE" in licences


def test_no_template_fetches_from_elsewhere_or_holds_a_script_or_style():
    """A browser would not run it, and say so in its console."""
    templates = list((tree.ROOT / "dashboard/templates").rglob("*.html"))

    assert templates
    for path in templates:
        text = path.read_text(encoding="utf-8")
        assert not ELSEWHERE.findall(text), path.name
        assert not INLINE.findall(text), path.name
        assert "|safe" not in re.sub(r"\s", "", text), path.name
