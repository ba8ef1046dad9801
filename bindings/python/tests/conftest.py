from pathlib import Path

import pytest

import anima

OWNER = anima.Author("ada", trust=anima.Trust.OPERATOR)
DATA = Path(__file__).resolve().parents[3] / "examples" / "library" / "data"
HOSTS = 'FIND(?h.name, ?h.attributes.ram_gb) WHERE { ?h {type: "Host"} } ORDER BY ?h.name ASC'


@pytest.fixture
def memory():
    with anima.Memory.in_memory(author=OWNER) as opened:
        yield opened


@pytest.fixture
def homelab(memory):
    """Hosts and services, as examples/library has them."""
    memory.load(DATA / "hosts.csv", DATA / "services.csv")
    return memory


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "space"
    anima.Memory.open(path, create=True).close()
    return path
