// Labels for blank nodes that a document leaves without one, apart from all that it gives.
//
// Made labels are "g1", "g2" ..; a label of the document that looks like one, or like one that was
// moved out of the way, gets one more "u" before it ("g1" becomes "ug1", "ug1" becomes "uug1").
// Every other label stays. So no two nodes ever share a label, and nothing has to be remembered.
// Thread-safety: one thread.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace anima::sparql::rdf {

class BlankLabels {
 public:
  // Appends a label that was never given before.
  void append_new(std::string& out) { append_numbered(out, ++made_); }

  // Appends what stands for a label of the document.
  static void append_given(std::string& out, std::string_view label) {
    if (looks_made(label)) out.push_back('u');
    out += label;
  }
  static bool looks_made(std::string_view label) {
    const std::size_t at = std::min(label.find_first_not_of('u'), label.size());
    if (at + 1 >= label.size() || label[at] != 'g') return false;
    const std::string_view digits = label.substr(at + 1);
    return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

 private:
  static void append_numbered(std::string& out, std::uint64_t number) {
    char digits[24];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    out.push_back('g');
    out.append(digits, end);
  }

  std::uint64_t made_ = 0;
};

}  // namespace anima::sparql::rdf
