#include "dojo/place.h"

#include <charconv>
#include <utility>

#include "base/text/text.h"

namespace anima::dojo {
namespace {

using Kind = PlaceStep::Kind;

Error no_place(std::string_view place, std::string_view why) {
  return {ErrorCode::kSyntax, "no place: " + std::string(why), std::string(place),
          "mail.inbox[0].from, mail.inbox[id=3].body, mail.inbox[].body"};
}

// What stands between brackets.
PlaceStep bracket_step(std::string_view inside) {
  if (inside.empty()) return {Kind::kEach, {}, {}, 0};
  if (const std::size_t equals = inside.find('='); equals != std::string_view::npos) {
    return {Kind::kRow, std::string(inside.substr(0, equals)),
            std::string(inside.substr(equals + 1)), 0};
  }
  PlaceStep step{Kind::kIndex, {}, {}, 0};
  const auto read = std::from_chars(inside.data(), inside.data() + inside.size(), step.index);
  if (read.ec != std::errc() || read.ptr != inside.data() + inside.size())
    return {Kind::kMember, std::string(inside), {}, 0};
  return step;
}

const Json* find_row(const Json& table, const PlaceStep& step) {
  for (const Json& row : table.as_array()) {
    const Json* member = row.find(step.name);
    if (member != nullptr && shown(*member) == step.value) return &row;
  }
  return nullptr;
}

const Json* take_step(const Json& from, const PlaceStep& step) {
  if (step.kind == Kind::kMember) return from.find(step.name);
  if (step.kind == Kind::kRow) return find_row(from, step);
  const JsonArray& items = from.as_array();
  return step.index < items.size() ? &items[step.index] : nullptr;
}

std::string text_of(const PlaceStep& step, std::size_t index) {
  if (step.kind == Kind::kMember) return step.name;
  if (step.kind == Kind::kRow) return "[" + step.name + "=" + step.value + "]";
  return "[" + std::to_string(index) + "]";
}

std::string joined(const std::string& to, const std::string& step) {
  return to.empty() || step.starts_with('[') ? to + step : to + "." + step;
}

void add_places(const Json& at, const std::vector<PlaceStep>& steps, std::size_t next,
                const std::string& so_far, std::vector<std::string>& out) {
  if (next == steps.size()) {
    out.push_back(so_far);
    return;
  }
  const PlaceStep& step = steps[next];
  if (step.kind != Kind::kEach) {
    if (const Json* there = take_step(at, step))
      add_places(*there, steps, next + 1, joined(so_far, text_of(step, step.index)), out);
    return;
  }
  for (std::size_t i = 0; i < at.as_array().size(); ++i)
    add_places(at.as_array()[i], steps, next + 1, joined(so_far, text_of(step, i)), out);
}

}  // namespace

Result<std::vector<PlaceStep>> parse_place(std::string_view text) {
  std::vector<PlaceStep> steps;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '[') {
      const std::size_t end = text.find(']', at);
      if (end == std::string_view::npos) return fail(no_place(text, "']' is missing"));
      steps.push_back(bracket_step(text.substr(at + 1, end - at - 1)));
      at = end + 1;
      if (at < text.size() && text[at] == '.') ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
    if (end == at) return fail(no_place(text, "a name is missing"));
    steps.push_back({Kind::kMember, std::string(text.substr(at, end - at)), {}, 0});
    at = end < text.size() && text[end] == '.' ? end + 1 : end;
  }
  return steps;
}

Result<const Json*> find_place(const Json& root, std::string_view place) {
  ANIMA_ASSIGN(const std::vector<PlaceStep> steps, parse_place(place));
  const Json* at = &root;
  for (const PlaceStep& step : steps) {
    if (step.kind == Kind::kEach) {
      return fail(ErrorCode::kInvalidArgument, "one place is wanted, and this names many",
                  std::string(place));
    }
    at = take_step(*at, step);
    if (at == nullptr)
      return fail(ErrorCode::kNotFound, "nothing stands there", std::string(place));
  }
  return at;
}

Result<Json*> find_place(Json& root, std::string_view place) {
  ANIMA_ASSIGN(const Json* found, find_place(std::as_const(root), place));
  return const_cast<Json*>(found);
}

Result<std::vector<std::string>> places_of(const Json& root, std::string_view place) {
  ANIMA_ASSIGN(const std::vector<PlaceStep> steps, parse_place(place));
  std::vector<std::string> out;
  add_places(root, steps, 0, {}, out);
  return out;
}

std::string shown(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

}  // namespace anima::dojo
