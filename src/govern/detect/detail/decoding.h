// What may hide a text: look-alike and invisible characters, escapes, base64. Pure functions,
// linear.
#pragma once

#include <string>
#include <string_view>

namespace anima::govern::detail {

struct Folded {
  std::string
      text;  // compatibility forms, invisible characters dropped, look-alikes as Latin letters
  bool changed = false;
  bool disguised = false;  // it holds more plain letters than the text did
  bool split = false;  // blanks of other kinds, or bytes that are no text, stood between letters
  bool hidden_in_word =
      false;  // an invisible or foreign look-alike character stood inside a Latin word
};
Folded fold_look_alikes(std::string_view text);

struct Decoded {
  std::string text;
  bool changed = false;
  bool explained = true;  // everything that was decoded is plain text
};
// Percent, HTML, \u and \x escapes and runs of base64, once.
Decoded decode_once(std::string_view text);

bool has_encoded_run(
    std::string_view text);  // 24 characters or more of base64 that are no name, path or hash
bool has_escapes(std::string_view text);  // three percent escapes, or two of the other kinds

}  // namespace anima::govern::detail
