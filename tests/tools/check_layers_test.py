#!/usr/bin/env python3
"""Plants each kind of fault in a small house and expects check_layers.py to find it, and nothing else."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "check_layers.py")

GOOD = {
    "include/anima/anima.h": "#pragma once\n#include <string>\n",
    "src/base/a.h": "#pragma once\n#include <string>\n",
    "src/base/a.cc": '#include "base/a.h"\n#include "base/detail/b.h"\n#include <spdlog/spdlog.h>\n',
    "src/base/detail/b.h": "#pragma once\n",
    "src/store/log.h": '#pragma once\n#include "base/a.h"\n',
    "src/kip/kip.h": '#pragma once\n#include "store/log.h"\n#include "anima/anima.h"\n',
    "src/sparql/sparql.h": '#pragma once\n#include "store/log.h"\n',
}


def check(changes):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**GOOD, **changes}.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as stream:
                stream.write(text)
        run = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout.splitlines()


class CheckLayers(unittest.TestCase):
    def expect_one(self, path, text, words):
        code, faults = check({path: text})
        self.assertEqual(code, 1, faults)
        self.assertEqual(len(faults), 1, faults)
        self.assertTrue(faults[0].startswith(path + ":"), faults)
        self.assertIn(words, faults[0])

    def test_a_good_house(self):
        self.assertEqual(check({}), (0, []))

    def test_up(self):
        self.expect_one("src/base/up.cc", '\n#include "store/log.h"\n', "goes up")

    def test_names_the_line(self):
        _, faults = check({"src/base/up.cc": '// first\n\n#include "store/log.h"\n'})
        self.assertTrue(faults[0].startswith("src/base/up.cc:3:"), faults)

    def test_sideways(self):
        self.expect_one("src/kip/side.h", '#include "sparql/sparql.h"\n', "goes sideways")

    def test_detail_of_another_room(self):
        self.expect_one("src/store/peek.cc", '#include "base/detail/b.h"\n', "detail")

    def test_a_room_inside_a_room_has_a_door(self):
        inner = {"src/govern/rules/policy.h": '#pragma once\n#include "govern/rules/detail/scope.h"\n',
                 "src/govern/rules/detail/scope.h": "#pragma once\n"}
        self.assertEqual(check({**inner, "src/tools/tool.cc": '#include "govern/rules/policy.h"\n'}), (0, []))
        code, faults = check({**inner, "src/tools/peek.cc": '#include "govern/rules/detail/scope.h"\n'})
        self.assertEqual((code, len(faults)), (1, 1), faults)
        self.assertIn("detail", faults[0])

    def test_what_lies_deeper_belongs_to_its_inner_room(self):
        inner = {"src/govern/rules/policy.h": "#pragma once\n",
                 "src/govern/rules/detail/scope.h": '#pragma once\n#include "govern/rules/policy.h"\n',
                 "src/govern/rules/policy.cc": '#include "govern/rules/detail/scope.h"\n'}
        self.assertEqual(check(inner), (0, []))
        code, faults = check({**inner, "src/govern/decide/executor.h": '#pragma once\n#include "govern/rules/policy.h"\n',
                              "src/govern/rules/detail/up.cc": '#include "govern/decide/executor.h"\n'})
        self.assertEqual((code, len(faults)), (1, 1), faults)
        self.assertIn("the folders go round in a circle", faults[0])

    def test_any_folder_inside_another_room(self):
        code, faults = check({"src/store/log/row.h": "#pragma once\n",
                              "src/kip/peek.cc": '#include "store/log/row.h"\n'})
        self.assertEqual((code, len(faults)), (1, 1), faults)
        self.assertIn("detail", faults[0])

    def test_circle_of_folders_inside_a_room(self):
        code, faults = check({"src/store/log/a.h": '#include "store/state/b.h"\n', "src/store/state/b.h": "",
                              "src/store/state/c.h": '#include "store/log/d.h"\n', "src/store/log/d.h": ""})
        self.assertEqual((code, len(faults)), (1, 1), faults)
        self.assertIn("folders go round in a circle", faults[0])

    def test_circle_of_files_in_one_room(self):
        code, faults = check({"src/store/x.h": '#include "store/y.h"\n', "src/store/y.h": '#include "store/z.h"\n',
                              "src/store/z.h": '#include "store/x.h"\n'})
        self.assertEqual((code, len(faults)), (1, 1), faults)
        self.assertIn("src/store/x.h -> src/store/y.h -> src/store/z.h -> src/store/x.h", faults[0])

    def test_file_that_includes_itself(self):
        self.expect_one("src/store/self.h", '#include "store/self.h"\n', "circle")

    def test_unknown_room(self):
        self.expect_one("src/attic/a.h", "#pragma once\n", "stands on no floor")

    def test_missing_file(self):
        self.expect_one("src/store/typo.cc", '#include "log.h"\n', "there is no log.h")

    def test_public_header_that_looks_inside(self):
        self.expect_one("include/anima/leak.h", '#include "store/log.h"\n', "public header")
        self.expect_one("include/anima/leak.h", '#include "base/detail/b.h"\n', "public header")

    def test_public_header_may_use_the_values_of_base(self):
        self.assertEqual(check({"include/anima/values.h": '#include "base/a.h"\n'}), (0, []))

    def test_third_party_far_from_home(self):
        self.expect_one("src/kip/db.cc", "#include <sqlite3.h>\n", "has its home in store")

    def test_third_party_in_a_door(self):
        self.expect_one("src/base/door.h", "#include <spdlog/spdlog.h>\n", "a door shows")

    def test_comments_do_not_count(self):
        self.assertEqual(check({"src/base/c.cc": '// #include "store/log.h"\n/*\n#include "store/log.h"\n*/\n'
                                                 'const char* s = "/*";\n#include "base/a.h"\n'}), (0, []))

    def test_include_after_a_comment_marker_in_a_string(self):
        self.expect_one("src/base/s.cc", 'const char* s = "/*";\n#include "store/log.h"\nconst char* t = "*/";\n',
                        "goes up")

    def test_the_real_house(self):
        root = os.path.join(os.path.dirname(SCRIPT), "..")
        run = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout)


if __name__ == "__main__":
    unittest.main()
