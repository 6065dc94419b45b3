"""Every Lua script says why it exists, what it is handed, and what it answers."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pkgutil import resolve_name

import pytest

from store import keys
from store.server.acl import USERS
from tests.house import tree

LUA = tree.ROOT / "store" / "lua"
SCRIPTS = sorted(LUA.glob("*.lua"))
PATTERNS = {name for key, name in vars(keys).items() if key.isupper()}
OF_THE_ADMIN = {"ledger_restore.lua"}  # `sigma ledger restore`: the admin may say all
SECTIONS = ["WHY LUA", "MODEL", "KEYS", "ARGV", "RETURNS", "COST"]


def header(path) -> str:
    """The comment at the top."""
    return path.read_text(encoding="utf-8").partition("]]")[0]


def body(path) -> str:
    """All but the header and the comments."""
    code = path.read_text(encoding="utf-8").partition("]]")[2]
    return re.sub(r"--.*", "", code)


def declared(path, name: str) -> tuple[set[int], int | None]:
    """Indices in the header, and from where on there may be any number."""
    fixed = {
        int(i) for i in re.findall(rf"^  {name}\[(\d+)\]", header(path), re.MULTILINE)
    }
    open_end = re.search(rf"^  {name}\[(\d+)…\]", header(path), re.MULTILINE)
    return fixed, int(open_end[1]) if open_end else None


def used(path, name: str) -> tuple[set[int], bool]:
    """Constant indices in the body, and whether others are computed."""
    indices = re.findall(rf"{name}\[([^\]]+)\]", body(path))
    return {int(i) for i in indices if i.isdigit()}, any(
        not i.isdigit() for i in indices
    )


def test_there_are_scripts():
    """An empty folder would pass every test below."""
    assert len(SCRIPTS) >= 10


@pytest.mark.parametrize("path", SCRIPTS, ids=tree.name)
def test_the_caption_names_the_file(path):
    """And says in one line what the script does."""
    first = path.read_text(encoding="utf-8").splitlines()[0]

    assert re.fullmatch(rf"--\[\[ {re.escape(path.name)} — .{{20,}}", first)


@pytest.mark.parametrize("path", SCRIPTS, ids=tree.name)
def test_the_sections_stand_in_order(path):
    """Why, model, keys, arguments, replies, cost."""
    found = re.findall(
        r"^  (WHY LUA|MODEL|KEYS|ARGV|RETURNS|COST)\b", header(path), re.MULTILINE
    )

    assert list(dict.fromkeys(found)) == SECTIONS


@pytest.mark.parametrize("name", ["KEYS", "ARGV"])
@pytest.mark.parametrize("path", SCRIPTS, ids=tree.name)
def test_what_is_used_is_declared_and_the_reverse(path, name):
    """Constant by constant; a computed index needs an open end, and that one it."""
    fixed, open_end = declared(path, name)
    constant, computed = used(path, name)

    assert constant == fixed | (constant & {open_end})
    assert fixed == set(range(1, len(fixed) + 1))
    assert computed is (open_end is not None)
    assert open_end in {None, len(fixed) + 1}


@pytest.mark.parametrize("path", SCRIPTS, ids=tree.name)
def test_its_keys_are_known(path):
    """Each pattern is one of ``store/keys.py``, and each declared key has one."""
    patterns = re.findall(r"sigma:\{<ds>:\S+", header(path))

    assert set(patterns) <= PATTERNS
    assert len(patterns) >= len(declared(path, "KEYS")[0])


@pytest.mark.parametrize("path", SCRIPTS, ids=tree.name)
def test_its_model_and_contract_exist(path):
    """The header points at code of the core and at the test that runs both."""
    model, test = re.search(
        r"MODEL\s+(sigmacount[\w.]+);\s+(\S+)", header(path)
    ).groups()
    package, room, module, *names = model.split(".")

    thing = resolve_name(f"{package}.{room}.{module}:{'.'.join(names)}")
    contract = (tree.ROOT / test).read_text(encoding="utf-8")

    assert thing.__doc__
    assert path.name in contract or named_by_a_pattern(path.name, contract)


def named_by_a_pattern(name: str, contract: str) -> bool:
    """Whether a contract names a script as one of several: ``lease_*.lua``."""
    patterns = re.findall(r"\w+\*\w*\.lua", contract)
    return any(fnmatch(name, pattern) for pattern in patterns)


@pytest.mark.parametrize("path", SCRIPTS, ids=tree.name)
def test_some_role_may_say_all_of_its_commands(path):
    """A script runs with the rights of whoever calls it: a worker, not the admin."""
    said = {c.lower() for c in re.findall(r"redis\.call\('(\w+)'", body(path))}

    roles = [
        user.name
        for user in USERS
        if said <= {rule.lstrip("+") for rule in user.commands.split()}
    ]

    assert said
    assert roles or path.name in OF_THE_ADMIN


@pytest.mark.parametrize("path", SCRIPTS, ids=tree.name)
def test_a_script_is_called(path):
    """A script that nobody calls is not tested by the walls around it."""
    callers = [
        code
        for code in tree.code()
        if f'"{path.stem}"' in code.read_text(encoding="utf-8")
    ]

    assert callers


@pytest.mark.parametrize("path", SCRIPTS, ids=tree.name)
def test_a_line_fits(path):
    """The same width as everywhere."""
    assert max(map(len, path.read_text(encoding="utf-8").splitlines())) <= 88
