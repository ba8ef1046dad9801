// An array of texts. Thread-safety: pure.
#pragma once

#include <span>
#include <string>

#include "base/json/json.h"

namespace anima {

inline Json text_array(std::span<const std::string> texts) {
  JsonArray array;
  array.reserve(texts.size());
  for (const std::string& text : texts) array.emplace_back(text);
  return Json(std::move(array));
}

}  // namespace anima
