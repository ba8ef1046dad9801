#include "request.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace anima::c {
namespace {

constexpr double kLongest = 1e9;  // seconds, which milliseconds in 64 bits hold

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

}  // namespace

Request::Request(const char* text) {
  if (text == nullptr) return;
  Result<Json> parsed = parse_json(text);
  if (!parsed) {
    first_ = fail(parsed.error());
  } else if (!parsed->is_object()) {
    wrong("a request is a JSON object");
  } else {
    members_ = *std::move(parsed);
  }
}

void Request::wrong(std::string message, std::string hint) {
  if (first_) first_ = fail(ErrorCode::kInvalidArgument, std::move(message), {}, std::move(hint));
}

void Request::require(std::string_view name) {
  if (members_.find(name) == nullptr && missing_.empty()) missing_ = name;
}

const Json* Request::find(std::string_view name) {
  known_.emplace_back(name);
  const Json* found = members_.find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string Request::text(std::string_view name) {
  require(name);
  return text_or(name);
}

std::string Request::text_or(std::string_view name, std::string_view otherwise) {
  const Json* found = find(name);
  if (found == nullptr) return std::string(otherwise);
  if (!found->is_string()) wrong(quoted(name) + " is a text");
  return found->as_string();
}

std::optional<std::string> Request::text_if_any(std::string_view name) {
  return find(name) == nullptr ? std::nullopt : std::optional(text_or(name));
}

std::vector<std::string> Request::texts(std::string_view name) {
  const Json* found = find(name);
  if (found == nullptr) return {};
  if (found->is_string()) return {found->as_string()};
  std::vector<std::string> texts;
  bool good = found->is_array();
  for (const Json& each : found->as_array()) {
    good = good && each.is_string();
    texts.push_back(each.as_string());
  }
  if (!good) wrong(quoted(name) + " is a text or an array of texts");
  return texts;
}

bool Request::flag(std::string_view name, bool otherwise) {
  const Json* found = find(name);
  if (found == nullptr) return otherwise;
  if (!found->is_bool()) wrong(quoted(name) + " is true or false");
  return found->as_bool();
}

std::uint64_t Request::count(std::string_view name) {
  require(name);
  return count_or(name, 0);
}

std::uint64_t Request::count_or(std::string_view name, std::uint64_t otherwise) {
  const Json* found = find(name);
  if (found == nullptr) return otherwise;
  if (!found->is_integer() || found->as_integer() < 0) wrong(quoted(name) + " is a whole number");
  return static_cast<std::uint64_t>(found->as_integer());
}

Json Request::json(std::string_view name) {
  const Json* found = find(name);
  return found == nullptr ? Json() : *found;
}

Json Request::object(std::string_view name) {
  const Json* found = find(name);
  if (found == nullptr) return Json::object();
  if (!found->is_object()) wrong(quoted(name) + " is an object");
  return *found;
}

TrustLevel Request::trust_or(std::string_view name, TrustLevel otherwise) {
  const Json* found = find(name);
  if (found == nullptr) return otherwise;
  constexpr std::array kLevels = {TrustLevel::kHostile,  TrustLevel::kUntrusted,
                                  TrustLevel::kStandard, TrustLevel::kVerified,
                                  TrustLevel::kOperator, TrustLevel::kSystem};
  const auto level = std::ranges::find(kLevels, found->as_string(),
                                       [](TrustLevel each) { return to_string(each); });
  if (level != kLevels.end()) return *level;
  wrong(quoted(name) + " is a level of trust",
        "hostile, untrusted, standard, verified, operator or system");
  return otherwise;
}

Author Request::author_or(const Author& otherwise) {
  const Json* found = find("author");
  if (found == nullptr) return otherwise;
  Author author = otherwise;
  if (found->is_string()) {
    author.name = found->as_string();
    return author;
  }
  Request members(found->dump().c_str());
  author.name = members.text_or("name", otherwise.name);
  author.source = members.text_or("source", otherwise.source);
  author.trust = members.trust_or("trust", otherwise.trust);
  if (const Status good = members.checked(); !good && first_) first_ = good;
  return author;
}

std::string Request::as_of() {
  const Json* found = find("as_of");
  if (found == nullptr) return {};
  if (found->is_integer()) return std::to_string(found->as_integer());
  if (!found->is_string() || found->as_string().empty())
    wrong("\"as_of\" is the number of an entry, or a time");
  return found->as_string();
}

CallLimits Request::limits(const anima_stop* stop) {
  CallLimits limits;
  if (stop != nullptr) limits.stop = stop->source.get_token();
  const Json* found = find("timeout");
  if (found == nullptr) return limits;
  const double seconds = found->as_number();
  if (!found->is_number() || !(seconds > 0)) {
    wrong("\"timeout\" is a number of seconds above 0");
    return limits;
  }
  limits.time = std::chrono::ceil<std::chrono::milliseconds>(
      std::chrono::duration<double>(std::min(seconds, kLongest)));
  return limits;
}

Status Request::checked() const {
  if (!first_) return first_;
  for (const JsonMember& each : members_.as_object()) {
    if (std::ranges::find(known_, each.first) != known_.end()) continue;
    std::string names;
    for (const std::string& name : known_) names += (names.empty() ? "" : ", ") + name;
    return fail(ErrorCode::kInvalidArgument, "unknown member " + quote_json(each.first), {},
                names.empty() ? "this call takes none" : "there are: " + names);
  }
  if (!missing_.empty())
    return fail(ErrorCode::kInvalidArgument, "the member " + quoted(missing_) + " is missing");
  return {};
}

}  // namespace anima::c
