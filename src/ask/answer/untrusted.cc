#include "ask/answer/untrusted.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ask/answer/render.h"
#include "base/text/text.h"

namespace anima::ask {
namespace {

constexpr std::size_t kRowsBeside = 3;

// Calls what is given with every set, attribute and predicate of a reading.
struct Walk {
  std::function<void(const SetExpr&)> set;
  std::function<void(int)> attribute, predicate;

  void reading(const Reading& it) const {
    of(it.set);
    of(it.other);
    of(it.without);
    attribute(it.attribute);
    predicate(it.fact.predicate);
    if (it.group) {
      attribute(it.group->attribute);
      predicate(it.group->edge.predicate);
      of(it.group->groups);
    }
    if (it.best) of(*it.best);
  }

 private:
  void of(const SetRef& it) const {
    if (it == nullptr) return;
    set(*it);
    for (const Restriction& one : it->restrictions) of(one);
    if (it->best) of(*it->best);
  }
  void of(const Best& it) const {
    attribute(it.by.attribute);
    predicate(it.by.edge.predicate);
    of(it.by.counted);
  }
  void of(const Restriction& it) const {
    attribute(it.attribute);
    predicate(it.edge.predicate);
    for (const Edge& step : it.path) predicate(step.predicate);
    of(it.target);
    for (const Restriction& part : it.parts) of(part);
    for (const auto& parts : it.alternatives) {
      for (const Restriction& part : parts) of(part);
    }
  }
};

bool is_rows_of_things(const Reading& reading) {
  return (reading.form == Reading::Form::kList && !reading.set->best) ||
         reading.form == Reading::Form::kValue;
}

std::vector<JsonArray> beside(const std::vector<JsonArray>& rows,
                              const std::vector<JsonArray>& known) {
  std::vector<JsonArray> more;
  for (const JsonArray& row : rows) {
    if (std::find(known.begin(), known.end(), row) == known.end()) more.push_back(row);
  }
  return more;
}

std::string rows_text(const std::vector<JsonArray>& rows, const Pack& pack) {
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), kRowsBeside); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      text += (j > 0 ? " " : i > 0 ? "; " : "") + shown(rows[i][j]);
  }
  if (rows.size() > kRowsBeside)
    text += "; " + fill(pack, "more", {{"n", std::to_string(rows.size() - kRowsBeside)}});
  return text;
}

}  // namespace

std::string WeakWords::source_of(const WeakWord& word) const {
  store::Triple row;
  if (all_.snapshot().scan(word.uses).next({&row, 1}) == 0) return {};
  const auto said = all_.snapshot().assertions(row);
  if (said.empty()) return {};
  const store::EntryInfo entry = all_.snapshot().entry(said.front().born);
  return std::string(entry.source.empty() ? entry.author : entry.source);
}

std::vector<WeakWord> WeakWords::of(const Reading& reading) const {
  std::vector<WeakWord> words;
  if (trusted_ == nullptr) return words;
  const Schema &schema = all_.schema(), &known = trusted_->schema();
  const auto add = [&](const std::string& word, const store::Pattern& pattern) {
    const bool there = std::any_of(words.begin(), words.end(),
                                   [&](const WeakWord& one) { return one.word == word; });
    if (!there) words.push_back({word, pattern});
  };
  Walk walk;
  walk.attribute = [&](int index) {
    if (index < 0) return;
    const AttributeInfo& info = schema.attributes[static_cast<std::size_t>(index)];
    if (known.find_attribute(info.key) >= 0) return;
    store::Pattern pattern;
    if (const auto link = info.link ? all_.snapshot().find_predicate(info.key) : std::nullopt) {
      pattern.predicate = store::Predicate::link(*link);
    } else if (const auto key = all_.snapshot().find_string(info.key)) {
      pattern.predicate = store::Predicate::attribute(*key);
    }
    add(info.key, pattern);
  };
  walk.predicate = [&](int index) {
    if (index < 0) return;
    const PredicateInfo& info = schema.predicates[static_cast<std::size_t>(index)];
    if (known.find_predicate(info.name) >= 0) return;
    store::Pattern pattern;
    pattern.predicate = info.link;
    add(info.name, pattern);
  };
  walk.set = [&](const SetExpr& set) {
    if (set.anything || !set.names.empty() || set.types.size() != 1) return;
    const TypeInfo& type = schema.types[set.types.ids()[0]];
    if (type.name.empty() || known.find_type(type.name)) return;
    store::Pattern pattern;
    pattern.subject = type.id;
    pattern.predicate = store::kTypePredicate;
    add(type.name, pattern);
  };
  walk.reading(reading);
  return words;
}

std::size_t WeakWords::count(const Reading& reading) const {
  if (trusted_ == nullptr) return 0;
  std::set<store::EntityId> things;
  Walk walk;
  walk.attribute = walk.predicate = [](int) {};
  walk.set = [&](const SetExpr& set) {
    for (const store::EntityId thing : set.names) {
      if (trusted_->schema().types_of_entity(thing).empty()) things.insert(thing);
    }
  };
  walk.reading(reading);
  return of(reading).size() + things.size();
}

std::optional<UntrustedShare> share_of_untrusted(const Reading& reading, const Table& trusted,
                                                 const Table& everything) {
  UntrustedShare share;
  share.rows = beside(everything.rows, trusted.rows);
  const auto gone = beside(trusted.rows, everything.rows);
  if (share.rows.empty() && gone.empty()) return std::nullopt;
  if (!is_rows_of_things(reading) || !gone.empty()) share.rows = everything.rows;
  return share;
}

std::string told_beside(const Reading& reading, const Table& trusted, const Table& everything,
                        const UntrustedShare& share, const Pack& pack) {
  const std::string sources = share.sources.empty() ? "" : ": " + join(share.sources, ", ");
  const auto say = [&](std::string_view name, std::map<std::string, std::string> values) {
    values["sources"] = sources;
    return fill(pack, name, values);
  };
  if (reading.form == Reading::Form::kExists || reading.form == Reading::Form::kWhy) {
    const bool yes = !everything.rows.empty() && everything.rows[0][0].as_bool();
    return say(yes ? "untrusted_true" : "untrusted_false", {});
  }
  std::size_t more = 0;
  if (is_rows_of_things(reading) && beside(trusted.rows, everything.rows).empty())
    more = share.rows.size();
  if (reading.form == Reading::Form::kCount && !everything.rows.empty() && !trusted.rows.empty()) {
    const double difference = everything.rows[0][0].as_number() - trusted.rows[0][0].as_number();
    if (difference > 0) more = static_cast<std::size_t>(difference);
  }
  if (more > 0) return say("untrusted_more", {{"n", std::to_string(more)}});
  return say("untrusted_rows",
             {{"rows", everything.rows.empty() ? fill(pack, "untrusted_nothing", {})
                                               : rows_text(everything.rows, pack)}});
}

}  // namespace anima::ask
