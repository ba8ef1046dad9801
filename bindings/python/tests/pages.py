"""The blocks of docs/python.md, run in order in one program; "#> text" is what a line prints."""

import contextlib
import re

from conftest import DATA
from serving import serving

PAGE = DATA.parents[2] / "docs" / "python.md"


def run_page(names, capsys, *, adapters):
    """Those that import an adapter, which need packages of others, or the rest. `names` are the program's."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    chosen = [block for block in blocks if ("anima.adapters" in block) == adapters]
    for block in chosen:
        expected = [each.strip() for line in block.splitlines() for each in line.split("#>")[1:]]
        with serving("space") if "anima.connect(" in block else contextlib.nullcontext():
            exec(compile(block, "docs/python.md", "exec"), names)
        assert capsys.readouterr().out.splitlines() == expected, block
    return len(chosen)
