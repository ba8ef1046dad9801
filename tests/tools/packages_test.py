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
REMEDIES = {"icupkg": "apt-get install icu-devtools", "zsh": "apt-get install zsh", "man": "apt-get install man-db groff-base", "systemd-analyze": "apt-get install systemd"}


def there(tool):
    if shutil.which(tool):
        return True
    print(f"packages_test.py:1: Skipped\nneeds {tool}: {REMEDIES[tool]}", file=sys.stderr)
    return False


def run(*command, **options):
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False, **options)


# Prints a digest of what ICU makes of letters in Latin, and of where it cuts words of scripts that have dictionaries for that.
ICU_ANSWERS = r"""
import ctypes, hashlib, sys
release, seen = sys.argv[1], hashlib.sha256()
words, rules = ctypes.CDLL(f"libicuuc.so.{release}"), ctypes.CDLL(f"libicui18n.so.{release}")
def call(library, name, *given, kind=ctypes.c_int32):
    function = getattr(library, f"{name}_{release}")
    function.restype = kind
    return function(*given)
def wide(text, room=0):
    units = text.encode("utf-16-le")
    return (ctypes.c_uint16 * (len(units) // 2 + room)).from_buffer_copy(units + bytes(2 * room)), ctypes.c_int32(len(units) // 2)
error = ctypes.c_int(0)
name, length = wide("Any-Latin; Lower; NFD")
latin = ctypes.c_void_p(call(rules, "utrans_openU", name, length, 0, None, 0, None, ctypes.byref(error), kind=ctypes.c_void_p))
breaks = ctypes.c_void_p(call(words, "ubrk_open", 1, b"", None, 0, ctypes.byref(error), kind=ctypes.c_void_p))
assert latin.value and breaks.value and error.value <= 0, error.value
scripts = [range(0x0E01, 0x0E5B), range(0x0E81, 0x0EDF), range(0x1000, 0x109F), range(0x1780, 0x17F9), range(0x3041, 0x30FF),
           range(0x4E00, 0x9FFF), range(0xAC00, 0xD7A3), range(0x20, 0x2FFF), range(0x1F300, 0x1FAFF)]
texts = ["".join(chr(script[at * step % len(script)]) for at in range(600)) for script in scripts for step in (1, 7, 31, 101)]
texts += ["東京都に住んでいます。私は学生です。", "我住在北京，在清华大学学习。李明珠", "สวัสดีครับผมชื่อสมชายอยู่กรุงเทพ", "ខ្ញុំរស់នៅភ្នំពេញ", "ຂ້ອຍຢູ່ວຽງຈັນ", "Ada's 3.14, don't!"]
for text in texts:
    units, length = wide(text)
    call(words, "ubrk_setText", breaks, units, length, ctypes.byref(error))
    at = call(words, "ubrk_first", breaks)
    while at != -1:
        seen.update(b"%d:%d " % (at, call(words, "ubrk_getRuleStatus", breaks)))
        at = call(words, "ubrk_next", breaks)
    units, length = wide(text, 16 * len(text))
    limit = ctypes.c_int32(length.value)
    call(rules, "utrans_transUChars", latin, units, ctypes.byref(length), len(units), 0, ctypes.byref(limit), ctypes.byref(error))
    assert error.value <= 0, error.value
    seen.update(bytes(units)[:2 * length.value])
print(seen.hexdigest())
"""


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

    def test_icu_answers_the_same_without_what_the_wheel_leaves_out(self):
        if not there("icupkg"):
            return
        done = run(ROOT / "packaging/icu_data.sh", self.folder / "icu")
        self.assertEqual(done.returncode, 0, done.stderr)
        (cut,) = (self.folder / "icu").iterdir()
        self.assertLess(cut.stat().st_size, 5_000_000)
        release = cut.name.rsplit(".", 1)[1]
        answers = [run(sys.executable, "-c", ICU_ANSWERS, release, env={**os.environ, **where})
                   for where in ({}, {"LD_LIBRARY_PATH": str(cut.parent)})]
        self.assertEqual([each.returncode for each in answers], [0, 0], answers[0].stderr + answers[1].stderr)
        self.assertEqual(answers[0].stdout, answers[1].stdout)

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
