"""The script `anima`: the program that lies in this package."""

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).parent / "bin" / "anima"
    try:
        os.execv(program, ["anima", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"anima: cannot run {program}: {error.strerror}")
