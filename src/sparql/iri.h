// IRI references and what they mean below a base: splitting, resolving, file names as IRIs.
//
// An IRI with a scheme stands for itself, byte for byte: "http://a/./b" stays as it is, so what is
// written reads back the same. A relative reference is resolved by the strict algorithm, dot
// segments removed. Characters are not judged here: grammars do that (is_absolute_iri of
// ntriples.h). Nothing is normalised beyond the algorithm: no case, no percent-encoding.
// Complexity: O(base + reference). Thread-safety: values and pure functions. Source: RFC 3986
// sections 3, 5.2, 5.3 and appendix B; RFC 3987 section 6.5 (the same over IRIs); RFC 8089 (file).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::sparql {

// The parts of a reference, as views into it. Absent and empty differ ("http:?" has an empty
// query).
struct IriParts {
  std::optional<std::string_view> scheme;     // without ":"
  std::optional<std::string_view> authority;  // without "//"
  std::string_view path;
  std::optional<std::string_view> query;     // without "?"
  std::optional<std::string_view> fragment;  // without "#"
};
IriParts split_iri(std::string_view reference);

// Whether the text begins with a scheme and ":": it is no relative reference.
bool has_iri_scheme(std::string_view text);

// The base of a document, split once. Without one, relative references have no meaning.
class IriBase {
 public:
  IriBase() = default;
  // Takes an IRI with a scheme; anything else is no base.
  explicit IriBase(std::string iri);

  bool given() const { return !iri_.empty(); }
  const std::string& text() const { return iri_; }

  // Puts the meaning of the reference into `out`. False when it is relative and there is no base;
  // `out` is unspecified then. `reference` must not view `out`.
  bool resolve(std::string_view reference, std::string& out) const;

 private:
  std::string iri_;
};

// The same for one reference. Errors: kInvalidArgument (relative without a base).
Result<std::string> resolve_iri(std::string_view base, std::string_view reference);

// "file://" and the absolute path, percent-encoded where an IRI needs it; letters beyond ASCII
// stay.
std::string file_iri(std::string_view absolute_path);

}  // namespace anima::sparql
