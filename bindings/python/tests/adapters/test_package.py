"""What docs/python.md shows of the adapters, their docstrings, and what is said where a framework is missing."""

import asyncio
import inspect
import subprocess
import sys

import pytest
from pages import run_page
from typed import PYTHON, pyright_said

import anima
from anima.adapters import langgraph, llama_index, openai_agents

WITHOUT = """
import importlib, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in {"anima", *sys.stdlib_module_names}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
try:
    importlib.import_module("anima.adapters." + sys.argv[1])
except ImportError as error:
    print(error)
"""


def test_the_page_says_what_is_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run_page({"__name__": "__main__", "anima": anima, "asyncio": asyncio}, capsys, adapters=True) == 3


@pytest.mark.parametrize("name", ["langgraph", "llama_index", "openai_agents"])
def test_without_its_framework_it_says_what_to_install(name):
    said = subprocess.run([sys.executable, "-c", WITHOUT, name], capture_output=True, text=True, check=True).stdout
    extra = name.replace("_", "-")
    assert f'pip install "anima-memory[{extra}]"' in said
    project = (PYTHON.parents[1] / "pyproject.toml").read_text()
    assert f"\n{extra} = [" in project


def test_the_package_itself_needs_none_of_them():
    loaded = "import sys, anima, anima.aio, anima.adapters; print([n for n in sys.modules if n.startswith(('langgraph', 'llama', 'agents'))])"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout == "[]\n"


# What each framework asks for by its type, and what python.md gives it.
USE = """import anima
from agents.memory import Session
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore
from llama_index.core.memory import BaseMemory
from llama_index.core.storage.chat_store import BaseChatStore
from anima.adapters.langgraph import AnimaSaver, AnimaStore
from anima.adapters.llama_index import AnimaChatStore, AnimaMemory
from anima.adapters.openai_agents import AnimaSession
memory = anima.Memory.in_memory(author=anima.Author("ada", trust="operator"))
session: Session = AnimaSession("ada", memory)
store: BaseStore = AnimaStore(memory)
saver: BaseCheckpointSaver[str] = AnimaSaver(memory)
chats: BaseChatStore = AnimaChatStore(memory)
chat: BaseMemory = AnimaMemory.from_defaults(chat_store=chats, chat_store_key="ada")
"""


def test_pyright_is_strict_and_silent(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    pyright_said(tmp_path, [PYTHON / "anima" / "adapters", tmp_path / "use.py"])


def test_what_is_public_has_a_docstring():
    for module in (langgraph, llama_index, openai_agents):
        assert module.__doc__
        for name in module.__all__:
            assert inspect.getdoc(getattr(module, name)), name
