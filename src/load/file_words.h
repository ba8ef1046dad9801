// The words of languages in files that programs write: titles of columns, and what stands around a
// quotation in mail. Data: packs/load, a file a language; packs/load/en.toml says what each list
// is.
//
// A file of ours that does not load ends the program, as those of packs/language do; the tests load
// every one. Thread-safety: from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::load {

// Folded by `folded_line`.
struct FileWords {
  std::string language;
  std::vector<std::string> versions;
  std::vector<std::string> openings, wrote, separators, from, sent, subject;

  // Errors: kInvalidArgument, kSyntax, with the place.
  static Result<FileWords> from_toml(std::string_view text, std::string source);
};

const std::vector<FileWords>& file_words();  // of all languages

// Without case, compatible forms as one, white space at the ends cut.
std::string folded_line(std::string_view line);

// Whether the title of a column says that it holds versions: "os_version", "Release".
bool says_version(std::string_view title);

}  // namespace anima::load
