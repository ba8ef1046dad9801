#include "guard/values.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "guard/naming_words.h"
#include "guard/normal_value.h"
#include "guard/result_walk.h"

namespace anima::guard {
namespace {

using govern::FieldStep;
using govern::Trust;
using Kind = govern::FieldStep::Kind;

constexpr std::size_t kMostResultBytes = std::size_t{1} << 20;
constexpr std::size_t kMostSessionBytes = std::size_t{32} << 20;
constexpr std::size_t kMostValues = 500'000;

bool lies_in(const ScalarPlace& inner, const ScalarPlace& outer) {
  return inner.place.size() >= outer.place.size() && inner.items.size() >= outer.items.size() &&
         std::equal(outer.place.begin(), outer.place.end(), inner.place.begin()) &&
         std::equal(outer.items.begin(), outer.items.end(), inner.items.begin());
}

// The levels that objects of a result name for what lies in them.
class NamedLevels {
 public:
  explicit NamedLevels(const govern::ToolDeclaration& tool) : tool_(tool) {}

  void enter(const ScalarPlace& at, const Json& object) {
    leave(at);
    for (const govern::ResultField& field : tool_.fields) {
      if (field.trust_member.empty() || field.path.steps().size() != at.place.size() ||
          !field.path.covers(at.place))
        continue;
      const Json* named = object.find(field.trust_member);
      const auto trust = named != nullptr && named->is_string()
                             ? govern::parse_trust(named->as_string())
                             : std::nullopt;
      levels_.push_back({at, trust.value_or(Trust::kUntrusted)});
    }
  }

  Trust most(const ScalarPlace& at) {
    leave(at);
    Trust most = Trust::kSystem;
    for (const auto& [place, trust] : levels_) most = govern::lowest(most, trust);
    return most;
  }

 private:
  void leave(const ScalarPlace& at) {
    while (!levels_.empty() && !lies_in(at, levels_.back().first)) levels_.pop_back();
  }

  const govern::ToolDeclaration& tool_;
  std::vector<std::pair<ScalarPlace, Trust>> levels_;
};

ReaderSet reader_set(const govern::Readers& readers, const Json& result, const ScalarPlace& at) {
  if (readers.kind == govern::Readers::Kind::kAnyone) return nullptr;
  auto set = std::make_shared<std::set<std::string>>();
  for (const govern::FieldPath& field : readers.fields) {
    for (const Json* each : scalars_at(result, field, at)) set->insert(normal_value(*each));
  }
  return set;
}

// Of a value that is known already: where it stood better, and who may read it anywhere.
void take_better(KnownValue& known, KnownValue other) {
  const bool contact = known.contact || other.contact;
  ReaderSet readers = known.readers, others = other.readers;
  if (readers != nullptr && others != nullptr) {
    auto all = std::make_shared<std::set<std::string>>(*readers);
    all->insert(others->begin(), others->end());
    readers = std::move(all);
  } else {
    readers = nullptr;
  }
  if (other.trust > known.trust) known = std::move(other);
  known.contact = contact;
  known.readers = std::move(readers);
}

// The names of members that the declaration knows; others are values themselves.
std::set<std::string, std::less<>> known_names(const govern::ToolDeclaration& tool) {
  std::set<std::string, std::less<>> names;
  add_schema_names(tool.results, names);
  for (const govern::ResultField& field : tool.fields) {
    for (const FieldStep& step : field.path.steps()) {
      if (step.kind == Kind::kMember) names.insert(step.name);
    }
    if (!field.trust_member.empty()) names.insert(field.trust_member);
  }
  return names;
}

// Every scalar of a result with its label.
void for_each_label(const GivenResult& given, const govern::ToolDeclaration& tool,
                    const std::function<void(const ScalarPlace&, const Json&, KnownValue)>& visit) {
  const auto names = known_names(tool);
  NamedLevels levels(tool);
  const auto label = [&](const ScalarPlace& at, const Json& value) {
    const govern::FieldLabel field = tool.label_of(at.place);
    KnownValue known;
    known.trust = govern::lowest(govern::lowest(field.trust, given.most), levels.most(at));
    if (const auto told = given.told.find(normal_value(value)); told != given.told.end())
      known.trust = govern::lowest(known.trust, told->second);
    known.contact = field.contact && known.trust >= Trust::kStandard;
    known.readers = reader_set(field.readers, given.result, at);
    known.call = given.call;
    known.tool = given.tool;
    known.field = govern::text_of(at.place);
    visit(at, value, std::move(known));
  };
  const auto enter = [&](const ScalarPlace& at, const Json& object) { levels.enter(at, object); };
  walk(given.result, {.scalar = label, .key = label, .object = enter, .known = &names});
}

bool holds_nothing(const Json& value) {
  return value.is_null() || value.is_array() || value.is_object();
}

}  // namespace

ReaderSet readers_of_both(const ReaderSet& a, const ReaderSet& b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  auto both = std::make_shared<std::set<std::string>>();
  std::ranges::set_intersection(*a, *b, std::inserter(*both, both->end()));
  return both;
}

SeenLabel seen_label(const GivenResult& given, const govern::ToolDeclaration& tool) {
  SeenLabel seen;
  for_each_label(given, tool, [&](const ScalarPlace&, const Json& value, const KnownValue& known) {
    if (holds_nothing(value)) return;
    seen.trust = govern::lowest(seen.trust, known.trust);
    seen.readers = readers_of_both(seen.readers, known.readers);
  });
  return seen;
}

void SessionValues::add(GivenResult given, const govern::ToolDeclaration& tool) {
  const std::size_t bytes = given.result.dump().size();
  if (bytes > kMostResultBytes) return;
  rows_.begin(given.tool, given.look_up, tool.acts());
  for_each_label(given, tool, [&](const ScalarPlace& place, const Json& value, KnownValue known) {
    if (holds_nothing(value) || known_.size() >= kMostValues) return;
    const std::string normal = normal_value(value);
    rows_.add(place, value, normal, known.trust);
    if (govern::at_least(known.trust, Trust::kStandard))
      shared_.add(value.is_string() ? value.as_string() : value.dump(), known.readers.get());
    const auto [at, is_new] = known_.try_emplace(normal, known);
    if (!is_new) take_better(at->second, std::move(known));
  });
  rows_.end();
  bytes_ += bytes;
  kept_.push_back({std::move(given), tool, bytes});
  while (bytes_ > kMostSessionBytes) {
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
}

void SessionValues::add_contact(const Json& value, Trust trust) {
  KnownValue known{.trust = trust, .contact = true};
  const auto [at, is_new] = known_.try_emplace(normal_value(value), known);
  if (!is_new) take_better(at->second, std::move(known));
}

bool SessionValues::was_read(const std::string& normal) const {
  return std::ranges::any_of(kept_, [&](const Kept& kept) {
    return !kept.tool.acts() && kept.given.told.contains(normal);
  });
}

bool SessionValues::read_with(const std::string& normal,
                              const std::vector<std::string>& words) const {
  const std::set<std::string_view> wanted(words.begin(), words.end());
  const auto has_word = [&](std::string_view text) {
    return std::ranges::any_of(naming_words(text),
                               [&](const std::string& word) { return wanted.contains(word); });
  };
  return std::ranges::any_of(kept_, [&](const Kept& kept) {
    if (kept.tool.acts() || !kept.given.told.contains(normal)) return false;
    bool found = false;
    walk(kept.given.result, {.scalar = [&](const ScalarPlace&, const Json& value) {
           found = found || (value.is_string() && has_word(value.as_string()));
         }});
    return found;
  });
}

const KnownValue* SessionValues::find(const std::string& normal) const {
  const auto found = known_.find(normal);
  return found == known_.end() ? nullptr : &found->second;
}

Result<SessionValues::Named> SessionValues::find_named(std::string_view name) const {
  const auto wrong = [&](std::string what) {
    return fail(ErrorCode::kSyntax, "'" + std::string(name) + "' names no value: " + what, {},
                "a call's number and a place in what it gave, for example 12.mails[0].from");
  };
  std::int64_t call = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), call);
  if (error != std::errc()) return wrong("it begins with no number of a call");
  const auto kept =
      std::ranges::find_if(kept_, [&](const Kept& each) { return each.given.call == call; });
  if (kept == kept_.end()) {
    return fail(ErrorCode::kNotFound, "nothing is kept of a call " + std::to_string(call), {},
                "what a session keeps is what its tools gave, up to 32 MiB");
  }
  Named found{&*kept, &kept->given.result, {}, {}};
  std::string_view rest = name.substr(static_cast<std::size_t>(end - name.data()));
  while (!rest.empty()) {
    if (rest[0] == '[') {
      std::size_t item = 0;
      const auto [behind, bad] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), item);
      const auto used = static_cast<std::size_t>(behind - rest.data());
      if (bad != std::errc() || used >= rest.size() || rest[used] != ']')
        return wrong("an item is written [0]");
      if (item >= found.value->as_array().size()) return wrong("there is no such item");
      found.value = &found.value->as_array()[item];
      found.place.push_back({Kind::kItem});
      found.items.push_back(item);
      rest.remove_prefix(used + 1);
    } else if (rest[0] == '.') {
      std::string member;
      std::size_t at = 1;
      for (; at < rest.size() && rest[at] != '.' && rest[at] != '['; ++at) {
        if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
        member.push_back(rest[at]);
      }
      const Json* inner = found.value->find(member);
      if (inner == nullptr) return wrong("there is no member '" + member + "'");
      found.value = inner;
      found.place.push_back({Kind::kMember, std::move(member)});
      rest.remove_prefix(at);
    } else {
      return wrong("a step is .name or [0]");
    }
  }
  return found;
}

Result<Json> SessionValues::named(std::string_view name) const {
  ANIMA_ASSIGN(const Named found, find_named(name));
  return *found.value;
}

Result<std::vector<LabelledScalar>> SessionValues::scalars_of(std::string_view name) const {
  ANIMA_ASSIGN(const Named found, find_named(name));
  const ScalarPlace from{found.place, found.items};
  const auto steps = static_cast<std::ptrdiff_t>(from.place.size());
  const auto items = static_cast<std::ptrdiff_t>(from.items.size());
  std::vector<LabelledScalar> scalars;
  for_each_label(found.kept->given, found.kept->tool,
                 [&](const ScalarPlace& at, const Json& value, KnownValue known) {
                   if (!lies_in(at, from) || holds_nothing(value)) return;
                   ScalarPlace within{{at.place.begin() + steps, at.place.end()},
                                      {at.items.begin() + items, at.items.end()}};
                   scalars.push_back({std::move(within), value, std::move(known)});
                 });
  return scalars;
}

}  // namespace anima::guard
