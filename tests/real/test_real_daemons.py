"""How the test bed itself behaves where something is missing, or does not start."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from real.daemons import HOST, answers, found, free_port, need, running, short_folder, until

PYTHON = sys.executable
SERVER = (
    "import http.server as h; h.HTTPServer(('{host}', {port}), h.SimpleHTTPRequestHandler).serve_forever()"
)


def test_a_test_whose_program_is_not_installed_skips_and_names_it() -> None:
    with pytest.raises(pytest.skip.Exception, match="needs felixtf: CONTRIBUTING"):
        need("sh", "felixtf")


def test_a_test_that_takes_root_skips_for_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(pytest.skip.Exception, match="needs root, to start sh"):
        need("sh", root=True)


def test_what_is_installed_is_found_and_needs_no_word() -> None:
    need("sh")
    assert found("sh")


def test_a_server_is_there_until_the_block_ends(tmp_path: Path) -> None:
    port = free_port()
    with running(
        [PYTHON, "-c", SERVER.format(host=HOST, port=port)], ports=[port], log=tmp_path / "log"
    ) as process:
        assert answers(port)
    assert not answers(port)
    assert process.returncode == -signal.SIGTERM


def test_a_server_that_ends_at_once_is_told_with_its_own_words(tmp_path: Path) -> None:
    command = [PYTHON, "-c", "raise SystemExit('no such setting')"]
    with (
        pytest.raises(AssertionError, match="no such setting"),
        running(command, ports=[free_port()], log=tmp_path / "log"),
    ):
        pass


def test_who_waits_in_vain_is_told_for_what() -> None:
    with pytest.raises(AssertionError, match="in vain for Godot"):
        until(lambda: False, "Godot", patience=0.05)


def test_a_folder_for_servers_has_a_short_name_and_is_gone_afterwards() -> None:
    with short_folder() as folder:
        assert len(str(folder)) < 40
        assert folder.stat().st_mode & 0o777 == 0o755
    assert not folder.exists()
