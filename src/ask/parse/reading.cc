#include "ask/parse/reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace anima::ask {
namespace {

// Signs and keys only: what a reading says in a language is the pack's.
class Writer {
 public:
  explicit Writer(const Lexicon& lexicon, bool with_kinds = true)
      : lexicon_(lexicon), schema_(lexicon.schema()), with_kinds_(with_kinds) {}

  std::string set(const SetExpr& set) const {
    std::string text = types(set);
    if (!set.names.empty()) text += (text.empty() ? "" : " ") + names(set.names);
    const std::string rest = all(set.restrictions);
    if (!rest.empty()) text += " [" + rest + "]";
    if (set.best) text += " " + best(*set.best);
    if (set.numeral > 0) text += fmt::format(" ({})", set.numeral);
    return text;
  }

  std::string reading(const Reading& it) const {
    std::string text;
    switch (it.form) {
      case Reading::Form::kValue:
        text = attribute(it.attribute) + ": ";
        break;
      case Reading::Form::kCount:
        text = "# " + (it.attribute < 0 ? "" : attribute(it.attribute) + ": ");
        break;
      case Reading::Form::kExists:
        text = it.of_all ? "? every " + set(*it.of_all) + ": " : "? ";
        break;
      case Reading::Form::kFold:
        text = std::string(fold(it.fold)) + " " + attribute(it.attribute) + ": ";
        break;
      case Reading::Form::kGroup:
        text = std::string(fold(it.fold)) +
               (it.attribute < 0 ? "" : " " + attribute(it.attribute)) + ": ";
        break;
      default:
        break;
    }
    if (it.set && it.set->anything && !it.since.empty()) text += "*";
    if (it.form == Reading::Form::kEach)
      text += names(it.set->names) + " / " + all(it.set->restrictions);
    else if (it.set)
      text += set(*it.set);
    const bool of_groups = it.best && it.form == Reading::Form::kGroup;
    if (of_groups) text += it.best->most ? " max" : " min";
    if (it.having) text += fmt::format(" {} {}", sign(it.having->first), it.having->second);
    if (it.best && !of_groups) text += " " + best(*it.best);
    if (it.group) {
      text += " / ";
      text += it.group->attribute >= 0 ? attribute(it.group->attribute)
                                       : edge(it.group->edge) + " " + set(*it.group->groups);
    }
    if (it.other) text += " " + edge(it.fact) + " " + set(*it.other);
    if (it.without) text += " - " + set(*it.without);
    if (!it.since.empty()) text += fmt::format(" ({}..)", it.since);
    if (!it.valid_from.empty()) text += fmt::format(" ({}..{})", it.valid_from, it.valid_until);
    return text;
  }

 private:
  static std::string_view fold(Fold fold) {
    constexpr std::string_view kNames[] = {"sum", "avg", "min", "max", "count"};
    return kNames[static_cast<std::size_t>(fold)];
  }
  static std::string_view sign(Compare compare) {
    constexpr std::string_view kSigns[] = {"=", "!=", "<", "<=", ">", ">="};
    return kSigns[static_cast<std::size_t>(compare)];
  }

  std::string attribute(int index) const {
    return index < 0 ? "" : schema_.attributes[static_cast<std::size_t>(index)].key;
  }

  std::string edge(const Edge& edge) const {
    if (edge.predicate < 0) return {};
    const auto& name = schema_.predicates[static_cast<std::size_t>(edge.predicate)].name;
    return (edge.inverse ? "~" : "") + name + (edge.closure ? "+" : "");
  }

  std::string types(const SetExpr& set) const {
    if (!set.names.empty() || set.types.size() > 4) return {};
    std::string text;
    for (const TypeId type : set.types.ids())
      text += (text.empty() ? "" : "|") + schema_.types[type].name;
    return text;
  }

  std::string names(const std::vector<store::EntityId>& list) const {
    std::string text;
    for (const store::EntityId entity : list) text += (text.empty() ? "" : "|") + name(entity);
    return text;
  }

  // "Mara"; where another thing has the name, "Mara (Person)".
  std::string name(store::EntityId entity) const {
    const store::Snapshot& snapshot = lexicon_.snapshot();
    std::string text(snapshot.name(entity));
    const bool shared =
        with_kinds_ &&
        std::ranges::any_of(snapshot.concepts_named(text), [&](store::EntityId other) {
          return other != entity && !schema_.types_of_entity(other).empty();
        });
    if (shared) text += fmt::format(" ({})", snapshot.name(snapshot.type_of(entity)));
    return text;
  }

  std::string all(const std::vector<Restriction>& list) const {
    std::string text;
    for (const Restriction& one : list) text += (text.empty() ? "" : ", ") + restriction(one);
    return text;
  }

  // A name that is a number is told from the number.
  std::string compared_with(const SetExpr& other) const {
    const std::string text = set(other);
    double number = 0;
    return reads_as_number(text, &number) ? "\"" + text + "\"" : text;
  }

  static std::string constant(const Constant& value) {
    if (value.kind == Constant::Kind::kFlag) return value.flag ? "true" : "false";
    if (value.clock) return value.written;
    return value.kind == Constant::Kind::kText ? value.text : fmt::format("{}", value.number);
  }

  std::string restriction(const Restriction& it) const {
    switch (it.kind) {
      case Restriction::Kind::kRelation:
        return edge(it.edge) + (it.nouns.empty() ? "" : " (" + join(it.nouns, "|") + ")") + " " +
               set(*it.target);
      case Restriction::Kind::kIn:
        return "in " + set(*it.target);
      case Restriction::Kind::kEvery:
        return edge(it.edge) + " every " + set(*it.target);
      case Restriction::Kind::kCount:
        return fmt::format("{} {} {} {}", edge(it.edge), sign(it.compare), constant(it.value),
                           set(*it.target));
      case Restriction::Kind::kAttribute:
        return fmt::format("{} {} {}", attribute(it.attribute), sign(it.compare),
                           constant(it.value));
      case Restriction::Kind::kHas:
        return attribute(it.attribute);
      case Restriction::Kind::kThan:
        return fmt::format("{} {} {}", attribute(it.attribute), sign(it.compare),
                           compared_with(*it.target));
      case Restriction::Kind::kFold:
        return fmt::format("{} {} {} {} {}", fold(it.fold), attribute(it.attribute), edge(it.edge),
                           sign(it.compare), constant(it.value));
      case Restriction::Kind::kSame: {
        std::string text = edge(it.edge) + " =";
        for (const Edge& step : it.path) text += " " + edge(step);
        return text;
      }
      case Restriction::Kind::kNot:
        return "not (" + all(it.parts) + ")";
      case Restriction::Kind::kAny: {
        std::string text;
        for (const auto& parts : it.alternatives) text += (text.empty() ? "" : " or ") + all(parts);
        return "(" + text + ")";
      }
      case Restriction::Kind::kNamed:
        if (it.rule >= 0) return schema_.rule_sets[static_cast<std::size_t>(it.rule)].name;
        return "= " + names(it.names);
    }
    return {};
  }

  std::string best(const Best& it) const {
    std::string by = it.by.attribute >= 0 && it.by.counted != nullptr
                         ? fmt::format("{} {} {}", fold(it.by.fold), attribute(it.by.attribute),
                                       edge(it.by.edge))
                     : it.by.attribute >= 0 ? attribute(it.by.attribute)
                                            : "# " + edge(it.by.edge) + " " + set(*it.by.counted);
    return fmt::format("{} {}{}", it.most ? "max" : "min", by,
                       it.take > 0 ? fmt::format(" x{}", it.take)
                                   : (it.rank > 1 ? fmt::format(" #{}", it.rank) : ""));
  }

  const Lexicon& lexicon_;
  const Schema& schema_;
  const bool with_kinds_;
};

}  // namespace

std::string describe(const Reading& reading, const Lexicon& lexicon) {
  return Writer(lexicon).reading(reading);
}

std::string describe_names(const Reading& reading, const Lexicon& lexicon) {
  return Writer(lexicon, false).reading(reading);
}

std::string describe(const SetExpr& set, const Lexicon& lexicon) {
  return Writer(lexicon).set(set);
}

}  // namespace anima::ask
