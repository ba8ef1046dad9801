#!/usr/bin/env python3
"""What packages carry beside the program, as its own tools read it: completions, manual pages, units of systemd, the SBOM's tables.
A tool that is not there is told as test_skips.py reads it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANIMA = os.environ.get("ANIMA", "anima")
REMEDIES = {"zsh": "apt-get install zsh", "man": "apt-get install man-db groff-base", "systemd-analyze": "apt-get install systemd"}


def there(tool):
    if shutil.which(tool):
        return True
    print(f"packages_test.py:1: Skipped\nneeds {tool}: {REMEDIES[tool]}", file=sys.stderr)
    return False


def run(*command, **options):
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False, **options)


class Packages(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.environment = {**os.environ, "HOME": holder.name, "PATH": f"{pathlib.Path(ANIMA).parent}:{os.environ['PATH']}"}

    def script(self, shell):
        done = run(ANIMA, "completion", shell, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = self.folder / ("_anima" if shell == "zsh" else "anima")
        path.write_text(done.stdout, encoding="utf-8")
        return path

    def test_bash_completes(self):
        script = self.script("bash")
        self.assertEqual(run("bash", "-n", script).stderr, "")
        line = f"source {script}; COMP_WORDS=(anima audit ver); COMP_CWORD=2; _anima; echo ${{COMPREPLY[*]}}"
        self.assertEqual(run("bash", "--norc", "-c", line, env=self.environment).stdout, "verify\n")

    def test_zsh_completes_at_the_first_key(self):
        if not there("zsh"):
            return
        script = self.script("zsh")
        self.assertEqual(run("zsh", "-n", script).stderr, "")
        # A file of fpath is loaded by its first call, which must complete already.
        line = (f"fpath=({self.folder} $fpath); autoload -U _anima; words=(anima audit ver); CURRENT=3;"
                "_describe() { print -r -- $found }; _anima")
        self.assertIn("verify:", run("zsh", "-f", "-c", line, env=self.environment).stdout)
        line = f"compdef() {{ print -r -- defines $* }}; source {script}"
        self.assertEqual(run("zsh", "-f", "-c", line, env=self.environment).stdout, "defines _anima anima\n")

    def test_man_warns_of_nothing(self):
        if not there("man"):
            return
        done = run(ANIMA, "help", "--man", self.folder / "man1", env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        pages = sorted((self.folder / "man1").iterdir())
        self.assertGreater(len(pages), 100)
        read = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", *pages)
        self.assertEqual(read.stderr, "")
        names = run("lexgrog", *pages)
        self.assertEqual(names.returncode, 0, names.stdout + names.stderr)

    def test_systemd_understands_the_units(self):
        if not there("systemd-analyze"):
            return
        for unit in sorted((ROOT / "packaging/systemd").glob("*/anima.service")):
            text = unit.read_text(encoding="utf-8").replace("/usr/bin/anima", str(pathlib.Path(ANIMA).resolve()))
            # The page is in no path of man here.
            text = text.replace("Documentation=man:anima-serve(1)\n", "")
            copy = self.folder / unit.parent.name / unit.name
            copy.parent.mkdir()
            copy.write_text(text, encoding="utf-8")
            done = run("systemd-analyze", "verify", copy)
            self.assertEqual((done.returncode, done.stderr), (0, ""), unit)

    def test_the_system_unit_is_confined(self):
        if not there("systemd-analyze"):
            return
        done = run("systemd-analyze", "security", "--offline=true", "--threshold=20", ROOT / "packaging/systemd/system/anima.service")
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)

    def test_scripts_of_the_package_are_good(self):
        for name in ("postinst", "prerm", "postrm"):
            script = ROOT / "packaging/debian" / name
            self.assertTrue(os.access(script, os.X_OK), script)
            self.assertEqual(run("sh", "-n", script).stderr, "")


if __name__ == "__main__":
    unittest.main()
