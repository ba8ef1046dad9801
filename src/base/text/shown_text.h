// What a person sees of a text: for terminals, which obey some characters, and for decisions, where
// letters that are drawn alike make another name. Pure functions, linear.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anima {

// For a terminal: what would move the cursor, clear, hide, reorder or answer stands as \u{hex},
// bytes that are no UTF-8 as U+FFFD. Line ends, tabs and the colours that this program uses pass.
std::string terminal_text(std::string_view text);

// The characters of a text that a reader may take for others: letters of another alphabet beside
// Latin ones in a word, or in a word of three or more that could be all Latin, marks that stand on
// letters of their own, wide and mathematical forms, strokes that are no slash. Each once, in
// order.
std::vector<char32_t> look_alikes(std::string_view text);

}  // namespace anima
