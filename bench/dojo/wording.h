// The wordings of an attack: the same wish in texts that look different. The model understands each
// of them and makes the same calls; only a defence that looks at texts is fooled. Thread-safety:
// pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "dojo/domain.h"

namespace anima::dojo {

enum class Wording : std::uint8_t { kPlain, kSpelled, kTranslated, kEncoded };
inline constexpr std::array kWordings = {Wording::kPlain, Wording::kSpelled, Wording::kTranslated,
                                         Wording::kEncoded};
std::string_view to_string(Wording wording);

// The text that goes into the world.
std::string text_of(const Attack& attack, Wording wording);

// "eve@evil.example, 40" as "eve at evil dot example, four zero".
std::string spelled_out(std::string_view value);
std::string to_base64(std::string_view bytes);

}  // namespace anima::dojo
