#include "memory/detail/forgotten_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/text/words.h"
#include "memory/detail/forgotten_things.h"

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

// A word of the program about whom or where something came from.
bool is_own_word(std::string_view member, const Json& value) {
  return value.is_string() && is_own_origin(value.as_string()) &&
         (is_structural(member) || is_origin_key(member) || member == "by" || member == "channel");
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

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

// What is beside a value where no blank parts them: "1-2" is no part of "1-2-3". Nothing left of
// the value's own signs joins, too.
Naming beside(std::string_view rest, bool own_signs, bool in_groups, std::string_view word) {
  if (rest.empty() && own_signs && is_number(word)) return Naming::kNot;
  return number_beside(rest, word, in_groups);
}

// "-128", and not "7-128" or "No.-128".
bool is_negative(std::string_view signs) {
  constexpr std::string_view kMinus = "\xe2\x88\x92", kBefore = " \t\n\r\f\v\x1f([{=:,;<>\"'";
  if (signs.ends_with(kMinus)) return true;
  if (!signs.ends_with('-')) return false;
  signs.remove_suffix(1);
  return signs.empty() || kBefore.find(signs.back()) != kBefore.npos;
}

// Between the groups of a value a hyphen of any kind is one.
std::string with_plain_hyphens(std::string signs) {
  for (const std::string_view hyphen :
       {"\xe2\x80\x90", "\xe2\x80\x91", "\xe2\x80\x92", "\xe2\x80\x93"})
    signs = replace_all(signs, hyphen, "-");
  return signs;
}

// Between groups of digits of one number.
bool joins_groups(std::string_view signs) {
  return signs == " " || signs == "-" || signs == "/" || signs == ") " || signs == " (" ||
         signs == ")" || signs == "(" || signs == ".";
}

// And each way in which an identifier may be written.
std::vector<std::string> with_spellings(std::vector<std::string> names) {
  std::vector<std::string> all;
  for (std::string& name : names) {
    std::vector<std::string> others = WholeToken(name).spellings();
    all.push_back(std::move(name));
    for (std::string& other : others) add_name(all, other);
  }
  return all;
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

ForgottenNames::ForgottenNames(std::vector<std::string> names, std::vector<std::string> others,
                               Doubt doubt)
    : doubt_(doubt),
      names_(without_case(names = with_spellings(names))),
      other_names_(without_case(others)),
      finder_(names),
      others_(others) {
  for (const std::string& name : names) {
    const language::PlainReading reading(name);
    const std::string_view text = trim(reading.seen());
    tokens_.emplace_back(text);
    if (text.empty() || has_letter(text)) continue;
    std::vector<Run> runs = runs_of(text);
    if (runs.size() > 1) {
      values_.push_back({std::move(runs), tokens_.size() - 1});
    } else {
      signs_.push_back(std::move(runs[0].signs));
    }
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
Naming ForgottenNames::value_at(const std::vector<Run>& value, const std::vector<Run>& text,
                                std::size_t at) {
  const std::size_t last = value.size() - 1;
  if (at + last >= text.size() || !text[at].signs.ends_with(value[0].signs) ||
      !text[at + last].signs.starts_with(value[last].signs))
    return Naming::kNot;
  for (std::size_t i = 0; i < last; ++i) {
    if (value[i].word != text[at + i].word) return Naming::kNot;
    if (i > 0 && with_plain_hyphens(value[i].signs) != with_plain_hyphens(text[at + i].signs))
      return Naming::kNot;
  }
  const std::string_view before = text[at].signs, behind = text[at + last].signs;
  const std::size_t own = value[0].signs.size(), own_behind = value[last].signs.size();
  const std::string_view rest = before.substr(0, before.size() - own);
  const bool joined = at > 0 && rest == "-", in_groups = last > 1;
  if (own == 0 && !joined && is_negative(rest)) return Naming::kNot;
  Naming naming =
      beside(behind.substr(own_behind), own_behind > 0, in_groups, text[at + last].word);
  if (at > 0) naming = std::min(naming, beside(rest, own > 0, in_groups, text[at - 1].word));
  return in_groups ? naming : std::min(naming, of_longer_number(text, at, at + last));
}

// A part of what is written in groups, as a phone number or an IBAN is, may be something else.
Naming ForgottenNames::of_longer_number(const std::vector<Run>& text, std::size_t first,
                                        std::size_t behind) {
  std::size_t from = first, to = behind;
  while (from > 0 && is_number(text[from - 1].word) && joins_groups(text[from].signs)) --from;
  while (to + 1 < text.size() && is_number(text[to].word) && joins_groups(text[to].signs)) ++to;
  if (from == first && to == behind) return Naming::kNames;
  const auto thousands = [&](std::size_t left, const Run& right) {
    return right.signs == " " && may_be_thousands(text[left].word, right.word);
  };
  if ((from < first && thousands(first - 1, text[first])) ||
      (to > behind && thousands(behind - 1, text[behind])))
    return Naming::kInDoubt;
  const bool word_before = from > 0 && text[from].signs == " ";
  const std::string_view word =
      word_before ? std::string_view(text[from - 1].word) : std::string_view();
  const bool country = word.size() == 4 && is_number(word.substr(2));  // "DE89"
  const bool dialled = text[from].signs.ends_with('+') || text[from].word.starts_with('0');
  return country || dialled ? Naming::kInDoubt : Naming::kNames;
}

void ForgottenNames::find_values(std::string_view text, Places& places) const {
  if (values_.empty()) return;
  const std::vector<Run> runs = runs_of(text);
  for (const Value& value : values_) {
    const std::size_t count = value.runs.size();
    for (std::size_t at = 0; at + count <= runs.size(); ++at) {
      Naming naming = value_at(value.runs, runs, at);
      if (naming == Naming::kNot) continue;
      const Place place{runs[at].begin, runs[at + count - 2].end};
      if (tokens_[value.name].is_one())
        naming = std::min(naming, tokens_[value.name].judge_at(text, place.begin, place.end));
      if (naming == Naming::kNot) continue;
      (naming == Naming::kInDoubt ? places.in_doubt : places.sure).push_back(place);
    }
  }
}

Naming ForgottenNames::another_at(std::string_view text, const NameOccurrence& place,
                                  const std::vector<NameOccurrence>& others) const {
  Naming most = Naming::kNot;
  for (const NameOccurrence& other : others) {
    if (other.begin > place.begin || other.end < place.end) continue;
    bool is_it = other.begin < place.begin || other.end > place.end;
    if (!is_it && other.form != place.form) {
      is_it = other.form < place.form;
    } else if (!is_it) {
      const std::string written = same_written(text.substr(place.begin, place.end - place.begin));
      is_it = longest_beginning(written, other_names_) > longest_beginning(written, names_);
    }
    if (!is_it) continue;
    // "I saw Ben. Berger came", and the same on two lines.
    const std::string_view rest = text.substr(place.end, other.end - place.end);
    const std::string_view front = text.substr(other.begin, place.begin - other.begin);
    const bool parted = rest.find('\n') != rest.npos || front.find('\n') != front.npos;
    most = std::max(most, other.in_doubt || parted ? Naming::kInDoubt : Naming::kNames);
  }
  return most;
}

void ForgottenNames::find_signs(std::string_view text, std::vector<Place>& places) const {
  constexpr std::string_view kBlanks = " \t\n\r\f\v\x1f";
  static_assert(kBlanks.back() == language::PlainReading::kAside);
  if (signs_.empty()) return;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    if (std::ranges::find(signs_, to_nfkc(text.substr(at, end - at))) != signs_.end())
      places.push_back({at, end});
    at = text.find_first_not_of(kBlanks, end);
  }
}

ForgottenNames::Places ForgottenNames::find(const language::PlainReading& reading) const {
  const std::string_view text = reading.text();
  const std::vector<NameOccurrence> named = finder_.find(reading);
  const std::vector<NameOccurrence> others =
      named.empty() || other_names_.empty() ? std::vector<NameOccurrence>() : others_.find(reading);
  Places places;
  for (const NameOccurrence& each : named) {
    const std::string_view written = text.substr(each.begin, each.end - each.begin);
    if (each.form == NameForm::kUnbroken && count_code_points(written) == 1) continue;
    const Naming whole = tokens_[each.name].judge_at(text, each.begin, each.end);
    if (whole == Naming::kNot) continue;
    const Naming another = another_at(text, each, others);
    if (another == Naming::kNames) continue;
    const bool in_doubt = each.in_doubt || whole == Naming::kInDoubt || another == Naming::kInDoubt;
    (in_doubt ? places.in_doubt : places.sure).push_back({each.begin, each.end});
  }
  find_values(text, places);
  find_signs(text, places.sure);
  if (doubt_ == Doubt::kIsTaken) {
    places.sure.insert(places.sure.end(), places.in_doubt.begin(), places.in_doubt.end());
    places.in_doubt.clear();
  }
  return places;
}

std::vector<ForgottenNames::Place> ForgottenNames::find_written(std::string_view text) const {
  const language::PlainReading reading(text);
  std::vector<Place> found = find(reading).sure;
  for (Place& place : found)
    place = {reading.written_begin(place.begin), reading.written_end(place.end)};
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

Naming ForgottenNames::judge(std::string_view text) const {
  const Places places = find(language::PlainReading(text));
  if (!places.sure.empty()) return Naming::kNames;
  return places.in_doubt.empty() ? Naming::kNot : Naming::kInDoubt;
}

std::string ForgottenNames::around_doubt(std::string_view text) const {
  constexpr std::size_t kBytesBefore = 40, kBytesBehind = 60;
  const language::PlainReading reading(text);
  const std::vector<Place> places = find(reading).in_doubt;
  const std::size_t at = places.empty() ? 0 : reading.written_begin(places.front().begin);
  std::size_t begin = at > kBytesBefore ? at - kBytesBefore : 0;
  std::size_t end = std::min(text.size(), at + kBytesBehind);
  // Between two letters, and where one can, between two words.
  const auto inside_letter = [&](std::size_t place) {
    return place < text.size() && (static_cast<unsigned char>(text[place]) & 0xc0) == 0x80;
  };
  while (inside_letter(begin)) --begin;
  while (inside_letter(end)) ++end;
  if (const std::size_t blank = text.find(' ', begin); begin > 0 && blank < at) begin = blank + 1;
  if (const std::size_t blank = text.rfind(' ', end); end < text.size() && blank > at) end = blank;
  std::string words(text.substr(begin, end - begin));
  for (char& c : words)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return (begin > 0 ? ".. " : "") + words + (end < text.size() ? " .." : "");
}

bool ForgottenNames::cut_in(std::string_view text, std::string_view whole) const {
  if (text.size() >= whole.size() || !whole.starts_with(text)) return false;
  return std::ranges::any_of(find_written(whole), [&](const Place& place) {
    return place.begin < text.size() && text.size() < place.end;
  });
}

bool ForgottenNames::shares_place(std::string_view part, std::string_view text) const {
  if (part.empty()) return false;
  const std::vector<Place> places = find_written(text);
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if (std::ranges::any_of(
            places, [&](const Place& place) { return at < place.end && place.begin < end; }))
      return true;
  }
  return false;
}

std::string ForgottenNames::without(std::string_view text) const {
  std::string rest;
  std::size_t at = 0;
  for (const Place& place : find_written(text)) {
    rest += text.substr(at, place.begin - at);
    rest += kForgotten;
    at = place.end;
  }
  rest += text.substr(at);
  return rest;
}

Naming ForgottenNames::judge_json(const Json& value, bool data) const {
  if (value.is_string()) return judge(value.as_string());
  Naming most = Naming::kNot;
  if (value.is_array()) {
    for (const Json& each : value.as_array()) most = std::max(most, judge_json(each, data));
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.as_object()) {
      if (!data && is_own_word(key, member)) continue;
      if (data || !is_member_name(key)) most = std::max(most, judge(key));
      most = std::max(most, judge_json(member, data || is_of_call(key)));
    }
  } else if (!values_.empty()) {
    most = judge(value.dump());
  }
  return most;
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

Naming ForgottenNames::judge_payload(std::string_view payload) const {
  const auto json = parse_json(payload);
  return json ? judge_json(*json, false) : judge(payload);
}

Naming ForgottenNames::judge_value(std::string_view json) const {
  const auto value = parse_json(json);
  return value ? judge_json(*value, true) : judge(json);
}

}  // namespace anima::memory::detail
