"""Types, docstrings and what the package is made of."""

import doctest
import importlib
import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typed import pyright_said

import anima
import anima.aio

PACKAGE = Path(anima.__file__).parent
PYTHON = Path(__file__).resolve().parents[1]
MODULES = (
    "anima", "anima._agent", "anima._memory", "anima._rows", "anima._view", "anima._values", "anima._remote", "anima.aio",
)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_say_what_is_so(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_what_is_public_has_a_docstring():
    for name in anima.__all__:
        thing = getattr(anima, name)
        if inspect.isclass(thing):
            assert thing.__doc__, name


def test_asyncio_has_what_threads_have():
    for kind in ("Memory", "View", "Agent", "Connection", "RemoteView"):
        waited, plain = getattr(anima.aio, kind), getattr(anima, kind)
        public = {name for name in vars(plain) if not name.startswith("_")} - {"opened"}
        public = {name for name in public if not name.endswith("_at")}
        assert public <= set(dir(waited)) | {"memory"}, public - set(dir(waited))
        for name in public:
            if inspect.iscoroutinefunction(getattr(waited, name, None)) and callable(getattr(plain, name)):
                here = set(inspect.signature(getattr(plain, name)).parameters) - {"stop"}
                assert here == set(inspect.signature(getattr(waited, name)).parameters), (kind, name)


def test_the_types_are_those_of_the_extension():
    """_anima.pyi names what the extension has, no more and no less."""
    import ast

    from anima import _anima

    tree = ast.parse((PYTHON / "anima" / "_anima.pyi").read_text())
    said = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    there = {name for name, thing in vars(_anima).items() if inspect.isclass(thing)}
    assert set(said) == there
    for name, node in said.items():
        methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        has = {each for each in vars(getattr(_anima, name)) if not each.startswith("_") or each == "__len__"}
        assert methods - {"__init__"} == has, name


USE = """import anima
with anima.Memory.in_memory() as memory:
    rows = memory.find('FIND(?p)')
    first: anima.Row = rows[0]
    many: list[anima.Row] = rows[1:]
    for row in memory.ask('x', timeout=1.5): print(row['a'], first, many)
    for commit in memory.changes(): print(commit.added[0].subject.upper())
    reveal_type(memory.why('x').steps)
"""


def test_pyright_is_strict_and_silent(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    said = pyright_said(tmp_path, [PYTHON / "anima", tmp_path / "use.py"], leave_out=[PYTHON / "anima" / "adapters"])
    assert "tuple[ProofStep, ...]" in said


def test_pyright_reads_the_package(tmp_path):
    """It passes over what it is told by an absolute path, and says nothing then."""
    copy = tmp_path / "anima"
    shutil.copytree(PYTHON / "anima", copy, ignore=shutil.ignore_patterns("adapters"))
    (copy / "_rows.py").write_text((copy / "_rows.py").read_text() + "\nwrong: int = 'text'\n")
    with pytest.raises(AssertionError, match="wrong: int|_rows.py"):
        pyright_said(tmp_path, [copy])


def test_the_module_keeps_its_names_to_itself():
    """Another module may have other copies of the same libraries."""
    module = next(PACKAGE.glob("_anima*.so"))
    said = subprocess.run(["nm", "-D", "--defined-only", str(module)], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in said.stdout.splitlines()}
    assert "PyInit__anima" in names
    assert not [name for name in names if "5anima" in name or "sqlite" in name]


def test_the_version_is_that_of_the_library():
    project = (PYTHON.parents[1] / "CMakeLists.txt").read_text()
    assert f"project(anima VERSION {anima.__version__} " in project


def test_twine_takes_what_the_package_says_of_itself(tmp_path):
    """The metadata of the source distribution are those of the wheel."""
    build = "import sys, scikit_build_core.build as build; build.build_sdist(sys.argv[1])"
    root = PYTHON.parents[1]
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], check=True, cwd=root, capture_output=True)
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *tmp_path.glob("*.tar.gz")], check=True)


def test_what_the_environment_has_goes_together():
    subprocess.run([sys.executable, "-m", "pip", "check"], check=True)
