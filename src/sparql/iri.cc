#include "sparql/iri.h"

#include <algorithm>
#include <utility>

#include "sparql/detail/rdf_chars.h"

namespace anima::sparql {
namespace {

// RFC 3986 5.2.4. Appends the path without its dot segments; `out` ends before the path, and
// nothing before `floor` is touched.
void append_without_dots(std::string& out, std::string_view path) {
  const std::size_t floor = out.size();
  const auto drop_last_segment = [&] {
    const std::size_t slash = out.rfind('/');
    out.resize(slash == std::string::npos || slash < floor ? floor : slash);
  };
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../")) {
      path.remove_prefix(3);
      drop_last_segment();
    } else if (path == "/..") {
      path = "/";
      drop_last_segment();
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const std::size_t end = std::min(path.find('/', 1), path.size());
      out += path.substr(0, end);
      path.remove_prefix(end);
    }
  }
}

// RFC 3986 5.2.3.
std::string merged_path(const IriParts& base, std::string_view path) {
  std::string merged;
  if (base.authority && base.path.empty()) {
    merged = "/";
  } else {
    const std::size_t slash = base.path.rfind('/');
    if (slash != std::string_view::npos) merged = base.path.substr(0, slash + 1);
  }
  merged += path;
  return merged;
}

void append_part(std::string& out, std::string_view mark,
                 const std::optional<std::string_view>& part) {
  if (!part) return;
  out += mark;
  out += *part;
}

}  // namespace

bool has_iri_scheme(std::string_view text) { return detail::scheme_size(text) > 0; }

// RFC 3986 appendix B, by hand.
IriParts split_iri(std::string_view reference) {
  IriParts parts;
  if (const std::size_t size = detail::scheme_size(reference); size > 0) {
    parts.scheme = reference.substr(0, size);
    reference.remove_prefix(size + 1);
  }
  if (const std::size_t at = reference.find('#'); at != std::string_view::npos) {
    parts.fragment = reference.substr(at + 1);
    reference = reference.substr(0, at);
  }
  if (const std::size_t at = reference.find('?'); at != std::string_view::npos) {
    parts.query = reference.substr(at + 1);
    reference = reference.substr(0, at);
  }
  if (reference.starts_with("//")) {
    const std::size_t end = std::min(reference.find('/', 2), reference.size());
    parts.authority = reference.substr(2, end - 2);
    reference.remove_prefix(end);
  }
  parts.path = reference;
  return parts;
}

IriBase::IriBase(std::string iri) {
  if (has_iri_scheme(iri)) iri_ = std::move(iri);
}

// RFC 3986 5.2.2 and 5.3.
bool IriBase::resolve(std::string_view reference, std::string& out) const {
  if (has_iri_scheme(reference)) {
    out = reference;
    return true;
  }
  if (!given()) return false;
  const IriParts base = split_iri(iri_);
  const IriParts relative = split_iri(reference);
  out = *base.scheme;
  out.push_back(':');
  if (relative.authority) {
    append_part(out, "//", relative.authority);
    append_without_dots(out, relative.path);
    append_part(out, "?", relative.query);
  } else {
    append_part(out, "//", base.authority);
    if (relative.path.empty()) {
      out += base.path;
      append_part(out, "?", relative.query ? relative.query : base.query);
    } else {
      if (relative.path[0] == '/') {
        append_without_dots(out, relative.path);
      } else {
        append_without_dots(out, merged_path(base, relative.path));
      }
      append_part(out, "?", relative.query);
    }
  }
  append_part(out, "#", relative.fragment);
  return true;
}

Result<std::string> resolve_iri(std::string_view base, std::string_view reference) {
  std::string out;
  if (IriBase(std::string(base)).resolve(reference, out)) return out;
  return fail(ErrorCode::kInvalidArgument, "the IRI is relative and there is no base IRI",
              std::string(reference), "give a base IRI, or write the IRI with its scheme");
}

std::string file_iri(std::string_view absolute_path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  constexpr std::string_view kPathMarks = "/-._~!$&'()*+,;=:@";
  std::string out = "file://";
  for (const char c : absolute_path) {
    const auto byte = static_cast<unsigned char>(c);
    if (detail::is(c, detail::kAlphanumeric) || byte >= 0x80 ||
        kPathMarks.find(c) != std::string_view::npos) {
      out.push_back(c);
    } else {
      out.push_back('%');
      out.push_back(kDigits[byte >> 4]);
      out.push_back(kDigits[byte & 15]);
    }
  }
  return out;
}

}  // namespace anima::sparql
