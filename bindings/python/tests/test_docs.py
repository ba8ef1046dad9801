"""What docs/python.md shows is so."""

import shutil

from conftest import DATA
from pages import run_page


def test_the_page_says_what_is_so(tmp_path, monkeypatch, capsys):
    for file in ("hosts.csv", "services.csv"):
        shutil.copy(DATA / file, tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space" / "work").mkdir(parents=True)
    (tmp_path / "space" / "work" / "old.txt").write_text("x")
    names = {"__name__": "__main__"}
    assert run_page(names, capsys, adapters=False) > 10
    names["agent"].close()
    names["memory"].close()
