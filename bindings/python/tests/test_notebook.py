"""The notebook of examples/python shows what is so: each cell prints what it holds as its output."""

import json

from conftest import DATA

FOLDER = DATA.parents[1] / "python"


def test_the_notebook_says_what_is_so(monkeypatch, capsys):
    monkeypatch.chdir(FOLDER)
    names = {"__name__": "__main__"}
    notebook = json.loads((FOLDER / "five_minutes.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        exec(compile("".join(cell["source"]), f"cell {cell['execution_count']}", "exec"), names)
        said = "".join(line for output in cell["outputs"] for line in output["text"])
        assert capsys.readouterr().out == said, cell["source"]
