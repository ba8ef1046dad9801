// Manual pages (man(7)) from what the verbs say of themselves. Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "cli/frame/verb.h"

namespace anima::cli {

// "anima-audit-verify.1"; of the program itself, "anima.1", when `verb` is empty.
std::string man_page_file(std::string_view verb);
// The page of a verb, from its row and the text of its --help.
std::string man_page(const Verb& verb, std::string_view help);
// The page of the program: the front page, and where the pages of the verbs are.
std::string man_page_of_program(std::string_view overview);

}  // namespace anima::cli
