#include "query/fading.h"

#include "query/values.h"

namespace anima::query {
namespace {

class FadedConfidence final : public Function {
 public:
  explicit FadedConfidence(const store::Fading& fading) : fading_(fading) {}
  std::string name() const override { return "faded confidence"; }

  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const store::Term term{arguments[0][row]};
      const auto faded = term.is_entity()
                             ? store::faded_confidence(values.snapshot(), term.as_entity(), fading_)
                             : std::nullopt;
      out[row] = faded ? values.number(*faded).code : 0;
    }
  }

 private:
  store::Fading fading_;
};

}  // namespace

std::shared_ptr<const Function> faded_confidence(const store::Fading& fading) {
  return std::make_shared<FadedConfidence>(fading);
}

Expr faded_confidence(Slot link, const store::Fading& fading) {
  return Expr::call(faded_confidence(fading), {Expr::of_slot(link)});
}

}  // namespace anima::query
