"""What pyright, strictly, says of sources."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[1]
TOOLS = PYTHON.parents[1] / "build" / "python_bindings" / "bin"


def pyright_said(folder, sources, leave_out=()):
    """Fails with what it finds fault with. `folder`: for its configuration, from where it takes paths: an absolute one it would
    pass over. Types of others are those of the environment that runs this."""
    pyright = shutil.which("pyright", path=TOOLS) or shutil.which("pyright")
    if pyright is None or shutil.which("node") is None:
        pytest.skip("needs packages from PyPI: ./dev setup test could not reach the registry")
    settings = {
        "include": [os.path.relpath(source, folder) for source in sources],
        "exclude": [os.path.relpath(source, folder) for source in leave_out],
        "typeCheckingMode": "strict",
        "extraPaths": [str(PYTHON)],
        "pythonVersion": "3.11",
        "reportMissingImports": "none",
        "reportMissingModuleSource": "none",
        "reportMissingTypeStubs": "none",
        "reportPrivateUsage": "none",  # the package's own rooms are private to others
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    ran = subprocess.run(
        [pyright, "-p", folder / "pyrightconfig.json", "--pythonpath", sys.executable],
        capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "PYRIGHT_PYTHON_GLOBAL_NODE": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    return ran.stdout
