// Any bytes load as a model or are refused; what loads judges any text with a risk in range.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "govern/detect/text_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using anima::govern::TextModel;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto model = TextModel::load(bytes, "fuzz")) {
    ANIMA_CHECK(model->save() == bytes);
    const int risk = model->judge("any text").risk_thousandths;
    ANIMA_CHECK(risk >= 100 && risk <= 700);
  }
  static const TextModel shipped = TextModel::shipped().value();
  const auto judged = shipped.judge(bytes);
  ANIMA_CHECK(judged.risk_thousandths >= 100 && judged.risk_thousandths <= 700);
  ANIMA_CHECK(judged.offset + judged.length <= size);
  return 0;
}
