// The marks of quotation of languages, each with the one that closes it.
#pragma once

#include <array>
#include <string_view>

namespace anima::language {

struct Quotes {
  std::string_view open, close;
};
inline constexpr std::array<Quotes, 9> kQuotes = {{{"\"", "\""},
                                                   {"“", "”"},
                                                   {"„", "“"},
                                                   {"«", "»"},
                                                   {"»", "«"},
                                                   {"《", "》"},
                                                   {"〈", "〉"},
                                                   {"「", "」"},
                                                   {"『", "』"}}};

}  // namespace anima::language
