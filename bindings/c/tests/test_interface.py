#!/usr/bin/env python3
"""The interface of C as its users have it: the header by itself, the list of symbols, a program in C11 and in C++."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIBRARY = pathlib.Path(os.environ["LIBANIMA"])
HEADER = (ROOT / "include/anima/anima.h").read_text(encoding="utf-8")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Interface(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def test_the_library_shows_what_the_header_declares(self):
        declared = set(re.findall(r"\b(anima_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)))
        lines = run("nm", "-D", "--defined-only", LIBRARY).splitlines()
        shown = {line.split()[-1].split("@")[0] for line in lines if line.split()[1] != "A"}
        shown = {name for name in shown if not name.startswith("_Z")}
        listed = set(re.findall(r"^ +(anima_\w+);", (ROOT / "bindings/c/anima.map").read_text(encoding="utf-8"), re.M))
        self.assertEqual(shown, declared)
        self.assertEqual(listed, declared)

    def test_of_cpp_it_shows_what_the_public_headers_declare(self):
        public = [*(ROOT / "include/anima").glob("*.h"), *(ROOT / "src/base" / name for name in ("expected.h", "result.h", "json/json.h"))]
        text = re.sub(r"//.*", "", "".join(each.read_text(encoding="utf-8") for each in public if each.name != "anima.h"))
        lines = run("nm", "-DC", "--defined-only", LIBRARY).splitlines()
        shown = [line.split(None, 2)[2].split("@")[0] for line in lines if "anima::" in line]
        self.assertGreater(len(shown), 150)
        declared = set(re.findall(r"\b(?:class|struct) (?:\[\[nodiscard\]\] )?(\w+)", text)) | set(re.findall(r"\b(\w+)\(", text))
        for name in shown:
            first = re.match(r"(?:vtable for |typeinfo for |typeinfo name for |guard variable for )?anima::(\w+)", name)
            self.assertTrue(first and first[1] in declared, name)

    def test_the_page_lists_every_call(self):
        page = (ROOT / "docs/c.md").read_text(encoding="utf-8")
        for call in re.findall(r"\bint (anima_\w+)\(", HEADER):
            self.assertIn(call, page)
        for member in re.findall(r'given\.\w+\("(\w+)"', "".join(each.read_text(encoding="utf-8") for each in (ROOT / "bindings/c/src").glob("*.cc"))):
            self.assertRegex(page, rf"[`\"]{member}[`\"]")

    def test_the_header_stands_alone(self):
        for name, command in {"c": ["cc", "-std=c99"], "cc": [os.environ.get("CXX", "c++"), "-std=c++11"]}.items():
            source = self.folder / f"alone.{name}"
            source.write_text("#include <anima/anima.h>\nint main(void) { return ANIMA_OK; }\n", encoding="utf-8")
            run(*command, *STRICT, "-I", ROOT / "include", "-c", source, "-o", self.folder / "alone.o")

    def test_a_program_in_c_works(self):
        program = self.folder / "first"
        run("cc", "-std=c11", *STRICT, "-I", ROOT / "include", ROOT / "bindings/c/tests/first.c", "-o", program, LIBRARY,
            f"-Wl,-rpath,{LIBRARY.parent}")
        self.assertRegex(run(program, self.folder / "space"), r"^\d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
