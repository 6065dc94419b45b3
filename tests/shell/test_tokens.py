"""Tokens of the gateway: a client's name comes from one line of one file."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fixtures.cli import sigma
from workers.gateway import TokensUnusable, new_token, revoke_tokens
from workers.gateway.entrance.tokens import ClientTokens


@pytest.fixture
def path(tmp_path):
    """A file that is not there yet."""
    return tmp_path / "tokens"


def test_a_token_is_known_by_its_name_and_any_other_by_none(path):
    """Two clients, and a stranger whose token differs in its end."""
    tokens = {name: new_token(path, name) for name in ("ada", "ben")}
    known = ClientTokens(path)

    for name, token in tokens.items():
        assert known.client_of(token) == name
        assert known.client_of(token[:-1]) is None
    assert known.client_of("") is None
    assert known.client_of("ada") is None


def test_the_file_holds_no_token_and_is_its_owners(path):
    """Who reads it can ask nothing."""
    token = new_token(path, "ada")

    assert token not in path.read_text()
    assert known_line(path.read_text())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def known_line(text):
    """One name and one hash."""
    name, digest = text.split()
    return name == "ada" and len(bytes.fromhex(digest)) == 32


def test_a_line_that_is_deleted_lets_nobody_in_any_more(path):
    """And one that is added does, at once."""
    ada, known = new_token(path, "ada"), ClientTokens(path)
    assert known.client_of(ada) == "ada"

    path.write_text("# nobody\n")
    assert known.client_of(ada) is None

    ben = new_token(path, "ben")
    assert known.client_of(ben) == "ben"


@pytest.mark.parametrize("mode", [0o644, 0o620, 0o604])
def test_a_file_that_others_may_touch_lets_nobody_in(path, mode):
    """Somebody could have added a line."""
    token = new_token(path, "ada")
    path.chmod(mode)

    with pytest.raises(TokensUnusable, match="chmod 600"):
        ClientTokens(path).client_of(token)


@pytest.mark.parametrize(
    "text", ["ada\n", "ada xyz\n", "a/b " + "0" * 64, f"ada {'0' * 64} root"]
)
def test_nonsense_in_the_file_lets_nobody_in(path, text):
    """Neither who stands beside it: a line may have been cut."""
    token = new_token(path, "ben")
    with path.open("a") as out:
        out.write(text)

    with pytest.raises(TokensUnusable, match="line 2"):
        ClientTokens(path).client_of(token)


def test_an_operator_is_one_by_a_word_behind_the_hash(path):
    """Of the name, with any of its tokens; who has no such line is none."""
    ada, root = new_token(path, "ada"), new_token(path, "root", operator=True)
    known = ClientTokens(path)

    assert (known.client_of(ada), known.client_of(root)) == ("ada", "root")
    assert known.clients == {"ada", "root"}
    assert known.operators == {"root"}


def test_a_missing_file_says_who_makes_it(path):
    """No gateway starts without one."""
    with pytest.raises(TokensUnusable, match="sigma token new"):
        ClientTokens(path).refresh()


def test_the_verb_prints_the_token_once(path):
    """Its hash is in the file that the setting names."""
    told = sigma("token", "new", "ada", gateway_tokens=path)

    assert told.code == 0, told.err
    assert ClientTokens(path).client_of(told.out.strip()) == "ada"


def test_the_verb_makes_a_token_of_an_operator(path):
    """Only when it is asked to."""
    told = sigma("token", "new", "root", "--operator", "--file", path)

    assert told.code == 0, told.err
    known = ClientTokens(path)
    assert known.client_of(told.out.strip()) == "root"
    assert known.operators == {"root"}


@pytest.mark.parametrize("name", ["", "a b", "a/b", "é", "x" * 101])
def test_a_name_that_cannot_be_is_refused(path, name):
    """Nothing is written."""
    told = sigma("token", "new", name, "--file", path)

    assert told.code == 2
    assert "no token was made" in told.err
    assert not path.exists()


def test_without_a_file_nothing_is_made():
    """The verb says how to name one."""
    told = sigma("token", "new", "ada")

    assert told.code == 2
    assert "SIGMA_GATEWAY_TOKENS" in told.err


def test_a_revoked_token_lets_nobody_in_and_the_others_do(path):
    """At once, in a gateway that runs; comments, owner and mode stay."""
    path.write_text("# of the planners\n")
    path.chmod(0o640)
    ada, old, ben = (new_token(path, name) for name in ("ada", "ada", "ben"))
    known = ClientTokens(path)
    assert known.client_of(ada) == known.client_of(old) == "ada"

    told = sigma("token", "revoke", "ada", gateway_tokens=path)

    assert (told.code, told.out) == (0, "ada 2\n"), told.err
    assert known.client_of(ada) is known.client_of(old) is None
    assert known.client_of(ben) == "ben"
    assert path.read_text().startswith("# of the planners\nben ")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_who_has_tokens_is_listed_and_no_token(path):
    """Nor a hash."""
    tokens = [new_token(path, name) for name in ("ben", "ada", "ben")]

    told = sigma("token", "list", "--file", path)

    assert (told.code, told.out) == (0, "ada 1\nben 2\n"), told.err
    assert not any(token in told.out for token in tokens)


def test_who_has_no_token_is_named(path):
    """Nothing is changed; a name misspelt would stay let in."""
    token = new_token(path, "ada")

    told = sigma("token", "revoke", "adam", "--file", path)

    assert told.code == 2
    assert "'adam' has no token there" in told.err
    assert ClientTokens(path).client_of(token) == "ada"


def test_a_token_that_is_made_while_another_is_revoked_is_not_lost(path):
    """Twenty at once, each of both kinds."""
    names = [f"c{number}" for number in range(20)]
    for name in names:
        new_token(path, name)
    with ThreadPoolExecutor(8) as pool:
        made = pool.map(lambda name: new_token(path, f"{name}-new"), names)
        gone = pool.map(lambda name: revoke_tokens(path, name), names)
        tokens, numbers = list(made), list(gone)

    known = ClientTokens(path)
    assert numbers == [1] * len(names)
    assert [known.client_of(each) for each in tokens] == [f"{n}-new" for n in names]
    assert set(known.names()) == {f"{name}-new" for name in names}
