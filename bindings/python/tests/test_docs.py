"""The blocks of docs/python.md, run in order in one program; "#> text" is what a line prints."""

import contextlib
import re
import shutil

from conftest import DATA
from serving import serving

PAGE = DATA.parents[2] / "docs" / "python.md"


def test_the_page_says_what_is_so(tmp_path, monkeypatch, capsys):
    for file in ("hosts.csv", "services.csv"):
        shutil.copy(DATA / file, tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space" / "work").mkdir(parents=True)
    (tmp_path / "space" / "work" / "old.txt").write_text("x")
    names = {"__name__": "__main__"}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) > 10
    for block in blocks:
        expected = [each.strip() for line in block.splitlines() for each in line.split("#>")[1:]]
        with serving("space") if "anima.connect(" in block else contextlib.nullcontext():
            exec(compile(block, "docs/python.md", "exec"), names)
        assert capsys.readouterr().out.splitlines() == expected, block
    names["agent"].close()
    names["memory"].close()
