#!/usr/bin/env python3
"""The scenarios of the adversarial suite keep to FORMAT.md, and the kept-apart third is as it was committed."""
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
checker = root / "tests" / "adversarial" / "check_format.py"
sys.exit(subprocess.run([sys.executable, str(checker)], check=False).returncode)
