#include "kip/detail/look_alike.h"

#include "base/json/json.h"
#include "base/text/text.h"

namespace anima::kip::detail {

using store::EntityId;
using store::Snapshot;

namespace {

// Without blanks at the ends and without what shows nothing.
std::string seen(std::string_view name) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const CodePoint point = decode_utf8(name, at);
    if (!hides_something(point.value)) out += name.substr(at, point.size);
    at += point.size;
  }
  return std::string(trim(out));
}

// The same letters in the same case, in whatever normal form.
bool are_alike(const std::string& a, const std::string& b) {
  return fold_case(a) == fold_case(b) && to_nfkc(a) == to_nfkc(b);
}

EntityId other_of(const Snapshot& now, EntityId made, const std::string& form) {
  const EntityId type = now.type_of(made);
  for (const EntityId each : now.concepts_labelled(form)) {
    if (each != made && now.type_of(each) == type && now.exists(each) &&
        are_alike(seen(now.name(each)), form)) {
      return each;
    }
  }
  return EntityId::kNone;
}

}  // namespace

std::optional<std::string> look_alike_warning(const Snapshot& now, EntityId made) {
  const std::string_view name = now.name(made);
  if (is_ascii(name) && trim(name).size() == name.size()) return std::nullopt;
  const std::string form = seen(name);
  if (const EntityId other = other_of(now, made, form); other != EntityId::kNone) {
    return "the new concept " + visible_text(quote_json(name)) + " looks like " +
           visible_text(quote_json(now.name(other))) +
           " (C:" + std::to_string(static_cast<std::uint32_t>(other)) +
           "), which is another one of its type: keep one of the two";
  }
  if (form == name) return std::nullopt;
  return "the name " + visible_text(quote_json(name)) +
         " has a blank at an end or a character that shows nothing: " +
         visible_text(quote_json(form)) + " is another name";
}

}  // namespace anima::kip::detail
