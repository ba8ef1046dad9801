#include "guard/named_rows.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "guard/naming_words.h"

namespace anima::guard {
namespace {

using govern::Trust;
using Kind = govern::FieldStep::Kind;

constexpr std::size_t kLongestName = 48;   // bytes; a longer text tells, it does not name
constexpr std::size_t kWordsOfATitle = 2;  // one word is part of other names, too
constexpr std::size_t kMostRows = 200'000;
constexpr std::size_t kMostRowsOfValue = 64;

std::string_view service_of(std::string_view tool) {
  return tool.substr(0, std::min(tool.find_last_of(":/"), tool.size()));
}

// The place up to the last item that is an object.
std::string row_place(const ScalarPlace& at) {
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < at.place.size(); ++i) {
    if (at.place[i].kind == Kind::kItem && at.place[i + 1].kind != Kind::kItem) end = i + 1;
  }
  std::string text;
  std::size_t item = 0;
  for (std::size_t i = 0; i < end; ++i) {
    const bool is_item = at.place[i].kind == Kind::kItem;
    text += is_item ? "[" + std::to_string(at.items[item++]) + "]" : "." + at.place[i].name;
  }
  return text;
}

}  // namespace

void NamedRows::begin(std::string_view tool, LookUp look_up, bool acted) {
  results_.push_back({std::string(tool), std::move(look_up), acted});
}

void NamedRows::add(const ScalarPlace& at, const Json& value, const std::string& normal,
                    Trust trust) {
  if (rows_.size() >= kMostRows) return;
  GivenRows& given = results_.back();
  const auto [place, is_new] = given.rows.try_emplace(row_place(at), rows_.size());
  if (is_new) rows_.push_back({results_.size() - 1, place->first.empty(), {}, {}, {}, {}});
  Row& row = rows_[place->second];
  row.content += normal + "\n";
  std::vector<std::size_t>& rows = places_[normal];
  if (rows.size() < kMostRowsOfValue && (rows.empty() || rows.back() != place->second))
    rows.push_back(place->second);
  if (!value.is_string() || value.as_string().size() > kLongestName) return;
  const bool trusted = govern::at_least(trust, Trust::kStandard);
  auto& words = trusted ? row.trusted : row.others;
  std::vector<std::string> names = naming_words(value.as_string());
  if (trusted && names.size() >= kWordsOfATitle) row.titles.push_back(value.as_string());
  for (std::string& word : names) words.insert(std::move(word));
}

void NamedRows::end() {
  const GivenRows& given = results_.back();
  Frequency& frequency = frequencies_[given.tool];
  for (const auto& [place, number] : given.rows) {
    Row& row = rows_[number];
    if (frequency.seen.insert(std::hash<std::string>()(row.content)).second) {
      std::set<std::string, std::less<>> words = row.trusted;
      words.insert(row.others.begin(), row.others.end());
      for (const std::string& word : words) ++frequency.rows_with[word];
    }
    row.content = {};
  }
}

bool NamedRows::names_few(const GivenRows& given, const std::string& word) const {
  const Frequency& frequency = frequencies_.find(given.tool)->second;
  const auto found = frequency.rows_with.find(word);
  return found != frequency.rows_with.end() &&
         (frequency.seen.size() == 1 || found->second * 2 <= frequency.seen.size());
}

Meant NamedRows::meant_row(const Row& row, const OwnerWords& words) const {
  const GivenRows& given = results_[row.result];
  const LookUp& look_up = given.look_up;
  // What a container holds alone is not what was looked for.
  const bool found_alone =
      look_up.trusted && given.rows.size() == 1 && (row.whole || !look_up.words.empty());
  if (given.acted || found_alone) return Meant::kSurely;
  const auto named = [&](const std::string& word) {
    return words.names(word) && names_few(given, word);
  };
  const auto looked_up = [&](const std::string& word) {
    return look_up.words.contains(word) && words.names(word);
  };
  if (std::ranges::any_of(row.trusted, named)) return Meant::kSurely;
  if (look_up.trusted) {
    const bool all = words.means_all() && (std::ranges::any_of(row.trusted, looked_up) ||
                                           std::ranges::any_of(row.others, looked_up));
    return all ? Meant::kSurely : Meant::kLikely;
  }
  return std::ranges::any_of(row.others, named) ? Meant::kLikely : Meant::kNo;
}

bool NamedRows::is_called(const Row& row, const OwnerWords& words) {
  return std::ranges::any_of(
      row.titles, [&](const std::string& title) { return words.said(Json(title)).has_value(); });
}

bool NamedRows::named_less(const std::string& normal, const OwnerWords& words) const {
  const auto found = places_.find(normal);
  if (found == places_.end()) return false;
  std::set<std::string_view> tools;
  for (const std::size_t number : found->second) {
    if (is_called(rows_[number], words)) return false;
    tools.insert(results_[rows_[number].result].tool);
  }
  return std::ranges::any_of(rows_, [&](const Row& row) {
    return tools.contains(results_[row.result].tool) && is_called(row, words);
  });
}

bool NamedRows::row_has(const std::string& normal, const std::vector<std::string>& words) const {
  const auto found = places_.find(normal);
  if (found == places_.end()) return false;
  return std::ranges::any_of(found->second, [&](std::size_t number) {
    const Row& row = rows_[number];
    return std::ranges::any_of(words, [&](const std::string& word) {
      return row.trusted.contains(word) || row.others.contains(word);
    });
  });
}

Meant NamedRows::meant(const std::string& normal, std::string_view tool,
                       const OwnerWords& words) const {
  const auto found = places_.find(normal);
  if (found == places_.end()) return Meant::kNo;
  const std::string_view service = service_of(tool);
  const bool same = std::ranges::any_of(found->second, [&](std::size_t row) {
    return service_of(results_[rows_[row].result].tool) == service;
  });
  Meant best = Meant::kNo;
  for (const std::size_t row : found->second) {
    if (same && service_of(results_[rows_[row].result].tool) != service) continue;
    best = std::max(best, meant_row(rows_[row], words));
  }
  return best;
}

}  // namespace anima::guard
