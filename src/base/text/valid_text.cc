#include "base/text/valid_text.h"

#include "base/text/text.h"

namespace anima {

std::string valid_text(std::string_view bytes) {
  return is_valid_utf8(bytes) ? std::string(bytes) : to_utf8(to_utf32(bytes));
}

}  // namespace anima
