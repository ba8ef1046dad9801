#include "memory/detail/forgotten_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/text/words.h"
#include "memory/detail/escaped_text.h"

namespace anima::memory::detail {
namespace {

using language::NameForm;
using language::NameOccurrence;
using language::Token;

bool has_letter(std::string_view text) {
  language::WordReader reader;
  return std::ranges::any_of(reader.read(text), [](const Token& token) { return !token.digits; });
}

// What the program itself calls a member. A key that is data has other letters in it.
bool is_member_name(std::string_view key) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !key.empty() && key[0] >= 'a' && key[0] <= 'z' && std::ranges::all_of(key, fits);
}

// What governance, the council and the store decide by when they read the log again.
bool is_structural(std::string_view member) {
  constexpr std::array<std::string_view, 34> kMembers = {
      "action", "agent",  "at",         "ballot", "card",      "decision", "digest",
      "domain", "event",  "expires",    "hash",   "host",      "id",       "key",
      "kind",   "level",  "nonce",      "phase",  "operation", "risk",     "role",
      "seal",   "sealed", "severity",   "space",  "signature", "status",   "timestamp",
      "tool",   "trust",  "trustLevel", "type",   "use",       "voteId"};
  return std::ranges::find(kMembers, member) != kMembers.end() || member == "effective_trust";
}

// What was asked of a tool and what came of it: members are the tool's own there.
bool is_of_call(std::string_view member) {
  constexpr std::array<std::string_view, 4> kMembers = {"arguments", "changes", "input", "output"};
  return std::ranges::find(kMembers, member) != kMembers.end();
}

std::vector<std::string> without_case(std::vector<std::string> names) {
  for (std::string& name : names) name = same_written(name);
  return names;
}

// Whether a sign, and no blank, joins what it is between to the number `beside`: "1-2" is no part
// of "1-2-3". Nothing left of the value's own signs joins, too.
bool joins(std::string_view rest, bool own_signs, std::string_view beside) {
  const bool number =
      !beside.empty() && std::ranges::all_of(beside, [](char c) { return c >= '0' && c <= '9'; });
  if (!number) return false;
  return rest.empty() ? own_signs : rest == "-" || rest == "." || rest == ":";
}

// Of the names that a text begins with, the longest.
std::size_t longest_beginning(std::string_view text, const std::vector<std::string>& names) {
  std::size_t longest = 0;
  for (const std::string& name : names)
    if (text.starts_with(name)) longest = std::max(longest, name.size());
  return longest;
}

}  // namespace

std::string same_written(std::string_view text) {
  std::string blanks;
  const std::string written = to_nfc(text);
  for (std::size_t at = 0; at < written.size();) {
    const CodePoint point = decode_utf8(written, at);
    if (is_white_space(point.value)) {
      blanks += ' ';
    } else {
      blanks += written.substr(at, point.size);
    }
    at += point.size;
  }
  return fold_case(trim(blanks));
}

ForgottenNames::ForgottenNames(std::vector<std::string> names, std::vector<std::string> others)
    : names_(without_case(names)),
      other_names_(without_case(others)),
      finder_(names),
      others_(others) {
  for (const std::string& name : names) {
    if (has_letter(name)) continue;
    std::vector<Run> runs = runs_of(trim(name));
    if (runs.size() > 1) values_.push_back(std::move(runs));
  }
}

// Each number with the signs before it, and at the end what is behind the last one.
std::vector<ForgottenNames::Run> ForgottenNames::runs_of(std::string_view text) {
  language::WordReader reader;
  std::vector<Run> runs;
  std::size_t at = 0;
  for (const Token& token : reader.read(text)) {
    runs.push_back({to_nfkc(text.substr(at, token.begin - at)), std::string(token.folded),
                    token.begin, token.end});
    at = token.end;
  }
  runs.push_back({to_nfkc(text.substr(at)), {}, text.size(), text.size()});
  return runs;
}

// The signs are as they are written, between the numbers and around them.
bool ForgottenNames::is_value_at(const std::vector<Run>& value, const std::vector<Run>& text,
                                 std::size_t at) {
  const std::size_t last = value.size() - 1;
  if (at + last >= text.size() || !text[at].signs.ends_with(value[0].signs) ||
      !text[at + last].signs.starts_with(value[last].signs))
    return false;
  for (std::size_t i = 0; i < last; ++i) {
    if (value[i].word != text[at + i].word) return false;
    if (i > 0 && value[i].signs != text[at + i].signs) return false;
  }
  const std::string_view before = text[at].signs, behind = text[at + last].signs;
  const std::size_t own = value[0].signs.size(), own_behind = value[last].signs.size();
  return !(at > 0 && joins(before.substr(0, before.size() - own), own > 0, text[at - 1].word)) &&
         !joins(behind.substr(own_behind), own_behind > 0, text[at + last].word);
}

void ForgottenNames::find_values(std::string_view text, std::vector<Place>& places) const {
  if (values_.empty()) return;
  const std::vector<Run> runs = runs_of(text);
  for (const std::vector<Run>& value : values_) {
    for (std::size_t at = 0; at + value.size() <= runs.size(); ++at) {
      if (is_value_at(value, runs, at))
        places.push_back({runs[at].begin, runs[at + value.size() - 2].end});
    }
  }
}

bool ForgottenNames::is_another(std::string_view text, const NameOccurrence& place,
                                const std::vector<NameOccurrence>& others) const {
  return std::ranges::any_of(others, [&](const NameOccurrence& other) {
    if (other.begin > place.begin || other.end < place.end) return false;
    if (other.begin < place.begin || other.end > place.end) return true;
    if (other.form != place.form) return other.form < place.form;
    const std::string written = same_written(text.substr(place.begin, place.end - place.begin));
    return longest_beginning(written, other_names_) > longest_beginning(written, names_);
  });
}

void ForgottenNames::find_written(std::string_view text, std::vector<Place>& places) const {
  const std::vector<NameOccurrence> named = finder_.find(text);
  const std::vector<NameOccurrence> others =
      named.empty() || other_names_.empty() ? std::vector<NameOccurrence>() : others_.find(text);
  for (const NameOccurrence& each : named) {
    const std::string_view written = text.substr(each.begin, each.end - each.begin);
    if (each.form == NameForm::kUnbroken && count_code_points(written) == 1) continue;
    if (is_another(text, each, others)) continue;
    places.push_back({each.begin, each.end});
  }
  find_values(text, places);
}

// In order, those that overlap as one.
std::vector<ForgottenNames::Place> ForgottenNames::find(std::string_view text) const {
  std::vector<Place> found;
  find_written(text, found);
  if (const auto meant = meant_text(text)) {
    std::vector<Place> hidden;
    find_written(meant->text, hidden);
    for (const Place& place : hidden)
      found.push_back({meant->begins[place.begin], meant->begins[place.end]});
  }
  std::ranges::sort(found, {},
                    [](const Place& place) { return std::pair(place.begin, place.end); });
  std::vector<Place> places;
  for (const Place& place : found) {
    if (places.empty() || place.begin >= places.back().end) {
      places.push_back(place);
    } else {
      places.back().end = std::max(places.back().end, place.end);
    }
  }
  return places;
}

bool ForgottenNames::cut_in(std::string_view text, std::string_view whole) const {
  if (text.size() >= whole.size() || !whole.starts_with(text)) return false;
  return std::ranges::any_of(find(whole), [&](const Place& place) {
    return place.begin < text.size() && text.size() < place.end;
  });
}

std::string ForgottenNames::without(std::string_view text) const {
  std::string rest;
  std::size_t at = 0;
  for (const Place& place : find(text)) {
    rest += text.substr(at, place.begin - at);
    rest += kForgotten;
    at = place.end;
  }
  rest += text.substr(at);
  return rest;
}

bool ForgottenNames::in_json(const Json& value, bool data) const {
  if (value.is_string()) return in(value.as_string());
  if (value.is_array()) {
    return std::ranges::any_of(value.as_array(),
                               [&](const Json& each) { return in_json(each, data); });
  }
  if (!value.is_object()) return !values_.empty() && in(value.dump());
  return std::ranges::any_of(value.as_object(), [&](const JsonMember& member) {
    const std::string& key = member.first;
    return ((data || !is_member_name(key)) && in(key)) ||
           in_json(member.second, data || is_of_call(key));
  });
}

Json ForgottenNames::json_without(const Json& value, bool evidence) const {
  if (value.is_string()) return Json(without(value.as_string()));
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& each : value.as_array()) list.push_back(json_without(each, evidence));
    return list;
  }
  if (!value.is_object()) return value;
  Json object = Json::object();
  for (const JsonMember& member : value.as_object()) {
    const std::string& key = member.first;
    const bool stays = evidence && member.second.is_string() && is_structural(key);
    object.set(evidence && is_member_name(key) ? key : without(key),
               stays ? member.second : json_without(member.second, evidence && !is_of_call(key)));
  }
  return object;
}

Json ForgottenNames::evidence_without(const Json& record) const {
  return json_without(record, true);
}

bool ForgottenNames::in_payload(std::string_view payload) const {
  const auto json = parse_json(payload);
  return json ? in_json(*json, false) : in(payload);
}

bool ForgottenNames::in_value(std::string_view json) const {
  const auto value = parse_json(json);
  return value ? in_json(*value, true) : in(json);
}

}  // namespace anima::memory::detail
