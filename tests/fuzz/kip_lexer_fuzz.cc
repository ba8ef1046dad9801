// Any bytes: the lexer must reach the end, token behind token, without losing or repeating a byte,
// and give every bad token a reason. What a string token decodes to is UTF-8.
#include <cstdlib>
#include <string>
#include <string_view>

#include "kip/detail/lexer.h"

namespace {

using anima::kip::detail::Lexer;
using anima::kip::detail::Token;
using anima::kip::detail::TokenKind;

void require(bool holds) {
  if (!holds) abort();
}

// Where the token's own text starts: a name stands behind its sigil.
std::size_t start_of(const Token& token) {
  const bool sigil = token.kind == TokenKind::kVariable || token.kind == TokenKind::kPlaceholder;
  return token.offset + (sigil ? 1 : 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Lexer lexer(text);
  std::size_t behind = 0;
  for (std::size_t count = 0;; ++count) {
    require(count <= size);
    const Token token = lexer.next();
    if (token.kind == TokenKind::kEnd) break;
    require(token.offset >= behind && !token.text.empty());
    require(token.text.data() == text.data() + start_of(token));
    behind = start_of(token) + token.text.size();
    require(behind <= size);
    require((token.kind == TokenKind::kBad) == (token.problem != nullptr));
    if (token.kind == TokenKind::kString) {
      std::string decoded;
      if (anima::kip::detail::decode_string(token.text, &decoded))
        require(anima::kip::detail::is_valid_utf8(decoded));
    }
  }
  require(lexer.next().kind == TokenKind::kEnd);
  return 0;
}
