#include "learn/learnable.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/packs.h"
#include "base/text/text.h"
#include "datalog/analyze.h"

namespace anima::learn {
namespace {

constexpr std::string_view kShippedFile = "packs/learn/learnable.mg";
constexpr std::string_view kForms =
    "learnable(/p, 1, [/string]), learnable_only_in(/p, /shard) and learnable_alias(/q, /p)";
constexpr std::size_t kMaxShardName = 32;

bool is_word(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' && std::ranges::all_of(text, fits);
}

// "/word" without its slash; empty when it is none.
std::string word_of(const datalog::ValueTable& values, datalog::Code code) {
  const datalog::ValueView view = values.view(code);
  if (view.kind != datalog::ValueKind::kName || view.text.empty()) return {};
  const std::string_view word = view.text.substr(1);
  return is_word(word) ? std::string(word) : std::string();
}

std::optional<ArgumentType> type_of(std::string_view name) {
  for (const ArgumentType type :
       {ArgumentType::kString, ArgumentType::kName, ArgumentType::kInteger, ArgumentType::kFloat,
        ArgumentType::kLanguageTopic}) {
    if (to_string(type) == name) return type;
  }
  return std::nullopt;
}

Unexpected<Error> no_fact(const std::string& file, const std::string& text) {
  return fail(ErrorCode::kInvalidArgument, text, file,
              "the facts of this file have the forms " + std::string(kForms));
}

Result<Learnable> learnable_of(const datalog::ValueTable& values,
                               std::span<const datalog::Code> row, const std::string& file) {
  Learnable learnable;
  learnable.predicate = row.size() == 3 ? word_of(values, row[0]) : std::string();
  if (learnable.predicate.empty()) return no_fact(file, "a learnable fact names no predicate");
  for (const datalog::Code code : values.list_items(row[2])) {
    const datalog::ValueView view = values.view(code);
    const auto type = view.kind == datalog::ValueKind::kName ? type_of(view.text) : std::nullopt;
    if (!type)
      return no_fact(file, "'" + values.text(code) + "' of " + learnable.predicate + " is no type");
    learnable.arguments.push_back(*type);
  }
  const datalog::ValueView arity = values.view(row[1]);
  const std::size_t count = learnable.arguments.size();
  if (count == 0 || count > kMaxArguments || arity.kind != datalog::ValueKind::kInt ||
      arity.number != static_cast<std::int64_t>(count)) {
    return no_fact(file, learnable.predicate + " has 1 to 8 arguments, as many as types");
  }
  return learnable;
}

bool is_language_topic(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < text.size() &&
         text.find(':', colon + 1) == std::string_view::npos &&
         text.find_first_of(" \t\n") == std::string_view::npos;
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./~%").find(c) != std::string_view::npos;
  };
  return text.size() > 1 && text[0] == '/' && text.back() != '/' &&
         text.find("//") == std::string_view::npos && std::ranges::all_of(text, fits);
}

// A double that is a whole number which an integer holds.
bool is_whole(double number) {
  return std::isfinite(number) && std::floor(number) == number && std::abs(number) < 9.0e15;
}

bool fits(ArgumentType type, const Json& value) {
  switch (type) {
    case ArgumentType::kString:
      return value.is_string();
    case ArgumentType::kName:
      return value.is_string() && is_name(value.as_string());
    case ArgumentType::kInteger:
      return value.is_integer() || (value.is_double() && is_whole(value.as_number()));
    case ArgumentType::kFloat:
      return value.is_number() && std::isfinite(value.as_number());
    case ArgumentType::kLanguageTopic:
      return value.is_string() && is_language_topic(value.as_string());
  }
  return false;
}

}  // namespace

std::string_view to_string(ArgumentType type) {
  switch (type) {
    case ArgumentType::kString:
      return "/string";
    case ArgumentType::kName:
      return "/name";
    case ArgumentType::kInteger:
      return "/int";
    case ArgumentType::kFloat:
      return "/float";
    case ArgumentType::kLanguageTopic:
      return "/language_topic";
  }
  return "/string";
}

bool is_shard_name(std::string_view name) { return name.size() <= kMaxShardName && is_word(name); }

Result<LearnableTable> LearnableTable::shipped() {
  LearnableTable table;
  const auto text = pack_file(kShippedFile);
  ANIMA_CHECK(text.has_value());
  ANIMA_TRY(table.extend(*text, std::string(kShippedFile)));
  return table;
}

Status LearnableTable::extend(std::string_view facts, const std::string& name) {
  datalog::ValueTable values;
  ANIMA_ASSIGN(const datalog::Program program, datalog::compile(std::string(facts), values, name));
  if (!program.rules.empty()) return no_fact(name, "a rule stands among the facts");
  LearnableTable more = *this;
  std::vector<std::pair<std::string, std::string>> only, aliases;
  for (const datalog::Facts& each : program.facts) {
    const datalog::Predicate& predicate = program.predicates[each.predicate];
    for (std::uint64_t i = 0; i < each.rows; ++i) {
      const auto row = std::span<const datalog::Code>(each.codes)
                           .subspan(i * predicate.columns, predicate.columns);
      if (predicate.name == "learnable") {
        ANIMA_ASSIGN(Learnable learnable, learnable_of(values, row, name));
        const auto known = more.rows_.find(learnable.predicate);
        if (known != more.rows_.end() && known->second.arguments != learnable.arguments) {
          return fail(ErrorCode::kAlreadyExists,
                      learnable.predicate + " is learnable with other types already", name);
        }
        std::string key = learnable.predicate;
        more.rows_.try_emplace(std::move(key), std::move(learnable));
        continue;
      }
      const bool restricts = predicate.name == "learnable_only_in";
      if ((!restricts && predicate.name != "learnable_alias") || row.size() != 2)
        return no_fact(name, "'" + predicate.name + "' is no fact of this file");
      (restricts ? only : aliases).emplace_back(word_of(values, row[0]), word_of(values, row[1]));
    }
  }
  for (const auto& [predicate, shard] : only) {
    const auto row = more.rows_.find(predicate);
    if (row == more.rows_.end() || !is_shard_name(shard))
      return no_fact(name, "learnable_only_in names a predicate or shard that there is not");
    row->second.only_in = shard;
  }
  for (const auto& [alias, predicate] : aliases) {
    if (alias.empty() || more.rows_.contains(alias) || !more.rows_.contains(predicate))
      return no_fact(name, "learnable_alias names a predicate that there is not");
    more.aliases_.insert_or_assign(alias, predicate);
  }
  *this = std::move(more);
  return {};
}

const Learnable* LearnableTable::find(std::string_view predicate) const {
  const auto alias = aliases_.find(predicate);
  const auto row = rows_.find(alias == aliases_.end() ? predicate : alias->second);
  return row == rows_.end() ? nullptr : &row->second;
}

std::vector<const Learnable*> LearnableTable::all() const {
  std::vector<const Learnable*> list;
  for (const auto& [name, row] : rows_) list.push_back(&row);
  return list;
}

std::string wrong_arguments(const Learnable& declared, const Json& arguments) {
  const std::size_t wanted = declared.arguments.size();
  if (!arguments.is_array() || arguments.as_array().size() != wanted) {
    return declared.predicate + " takes an array of " + std::to_string(wanted) + " argument" +
           (wanted == 1 ? "" : "s");
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    if (fits(declared.arguments[i], arguments.as_array()[i])) continue;
    return "argument " + std::to_string(i + 1) + " of " + declared.predicate + " is a " +
           std::string(to_string(declared.arguments[i]));
  }
  return {};
}

Json canonical_arguments(const Learnable& declared, const Json& arguments) {
  Json canonical = Json::array();
  for (std::size_t i = 0; i < declared.arguments.size(); ++i) {
    const Json& value = arguments.as_array()[i];
    const bool whole = value.is_double() && is_whole(value.as_number());
    canonical.push_back(whole ? Json(static_cast<std::int64_t>(value.as_number())) : value);
  }
  return canonical;
}

}  // namespace anima::learn
