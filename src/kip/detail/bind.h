// Placeholders against parameters: typed values in, faults with places out. Thread-safety: one
// thread.
#pragma once

#include <string_view>

#include "kip/fault.h"
#include "kip/syntax.h"

namespace anima::kip::detail {

class Binder {
 public:
  // `parameters` may be null; it must outlive the binder and the views that it hands out.
  explicit Binder(const Json* parameters) : parameters_(parameters) {}

  // A string, or the string that the placeholder stands for.
  Outcome<std::string_view> text(const Atom& atom, const char* what) const;
  Outcome<std::int64_t> count(const Atom& atom, const char* what, std::int64_t minimum) const;
  // A whole value, placeholders inside it replaced.
  Outcome<Json> value(const Value& value) const;
  Outcome<const Json*> parameter(const std::string& name, Place place) const;

 private:
  const Json* parameters_;
};

}  // namespace anima::kip::detail
