#include "kip/detail/functions.h"

#include <re2/re2.h>

#include <span>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/text/text.h"
#include "kip/detail/schema.h"
#include "store/holds.h"
#include "store/number_key.h"

namespace anima::kip::detail {

using query::ColumnView;
using query::Truth;
using query::Values;
using store::Pattern;
using store::Predicate;
using store::PredicateClass;
using store::Triple;
using store::ValueKind;
using store::ValueView;

// --- dot paths -----------------------------------------------------------------------------------

namespace {

// One read for neighbouring rows of one entity: joins and groups bring them in runs.
template <typename Read>
void apply_to_runs(const ColumnView& entities, std::size_t rows, std::uint32_t* out,
                   const Read& read) {
  for (std::size_t i = 0; i < rows; ++i) {
    const Term term{entities[i]};
    if (i > 0 && entities[i - 1] == term.code) {
      out[i] = out[i - 1];
    } else {
      out[i] = term.is_entity() ? read(term.as_entity()) : 0;
    }
  }
}

class Field final : public query::Function {
 public:
  enum class Kind : std::uint8_t {
    kId,
    kType,
    kName,
    kSubject,
    kPredicate,
    kObject,
    kAttributes,
    kMetadata
  };
  Field(Kind kind, const char* name) : kind_(kind), name_(name) {}
  std::string name() const override { return name_; }

  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    const Snapshot& snapshot = values.snapshot();
    apply_to_runs(arguments[0], rows, out,
                  [&](EntityId entity) { return read(values, snapshot, entity).code; });
  }

 private:
  Term read(Values& values, const Snapshot& snapshot, EntityId entity) const {
    const bool link = snapshot.kind(entity) == store::EntityKind::kProposition;
    switch (kind_) {
      case Kind::kId:
        return values.string(id_text(snapshot, entity));
      case Kind::kType:
        return link ? Term{} : snapshot.name_term(snapshot.type_of(entity));
      case Kind::kName:
        return link ? Term{} : snapshot.name_term(entity);
      case Kind::kSubject:
        return link ? values.string(id_text(snapshot, snapshot.triple_of(entity).subject)) : Term{};
      case Kind::kPredicate:
        return link ? snapshot.name_term(snapshot.triple_of(entity).predicate.as_link()) : Term{};
      case Kind::kObject: {
        if (!link) return {};
        const Term object = snapshot.triple_of(entity).object;
        return object.is_entity() ? values.string(id_text(snapshot, object.as_entity())) : object;
      }
      case Kind::kAttributes:
        return values.json(attributes_of(snapshot, entity));
      case Kind::kMetadata:
        return values.json(metadata_of(snapshot, entity));
    }
    return {};
  }
  Kind kind_;
  const char* name_;
};

// ?x.attributes.key and ?x.metadata.key, with the rest of the path looked up inside the value.
class KeyedField final : public query::Function {
 public:
  KeyedField(bool metadata, const std::vector<std::string>& fields, const Snapshot& snapshot)
      : metadata_(metadata), key_(fields[1]), rest_(fields.begin() + 2, fields.end()) {
    const auto term = snapshot.find_string(key_);
    if (term) predicate_ = metadata ? Predicate::metadata(*term) : Predicate::attribute(*term);
    store::ValueView null;
    if (const auto code = snapshot.find(null)) null_ = code->code;
    several_graphs_ = metadata && key_ == "confidence" && snapshot.graphs().size() > 1;
    stored_ = predicate_.code != 0 && !(metadata && (key_ == "confidence" || key_[0] == '_'));
  }
  std::string name() const override { return (metadata_ ? "metadata." : "attributes.") + key_; }

  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    if (!stored_ || !rest_.empty()) {
      apply_to_runs(arguments[0], rows, out, [&](EntityId entity) { return read(values, entity); });
      return;
    }
    values.objects(predicate_, arguments[0], rows, out);
    for (std::size_t i = 0; i < rows; ++i) {
      if (out[i] == Values::kSeveral) {
        out[i] = read(values, Term{arguments[0][i]}.as_entity());
      } else if (out[i] == null_) {
        out[i] = 0;
      }
    }
  }

 private:
  std::uint32_t read(Values& values, EntityId entity) const {
    if (metadata_ && key_[0] == '_') {
      const Json json = engine_metadata(values.snapshot(), entity, key_);
      return json.is_null() ? 0 : deeper(values, values.json(json).code);
    }
    const auto list = predicate_.code == 0
                          ? std::span<const std::uint32_t>{}
                          : values.snapshot().objects(entity, predicate_, values.scratch);
    if (metadata_ && key_ == "confidence" && (list.empty() || several_graphs_) &&
        values.snapshot().kind(entity) == store::EntityKind::kProposition) {
      const LinkConfidence confidence = confidence_of(values.snapshot(), entity, predicate_, list);
      if (confidence.number) return values.number(*confidence.number).code;
      return confidence.code.value_or(0);
    }
    if (list.empty()) return 0;
    if (list.size() == 1) return one(values, list[0]);
    const std::vector<std::uint32_t> all(list.begin(), list.end());
    const auto kept = store::holding_values(values.snapshot(), entity, predicate_, all);
    if (kept.size() == 1) return one(values, kept[0]);
    Json array{JsonArray{}};
    for (const std::uint32_t code : kept) array.push_back(json_of(values, code));
    return deeper(values, values.json(array).code);
  }

  std::uint32_t one(Values& values, std::uint32_t code) const {
    if (code == null_) return 0;
    return rest_.empty() ? code : deeper(values, code);
  }

  std::uint32_t deeper(Values& values, std::uint32_t code) const {
    if (rest_.empty() || code == 0) return code;
    const Json json = json_of(values, code);
    const Json* at = &json;
    for (const std::string& field : rest_) {
      at = at->find(field);
      if (at == nullptr || at->is_null()) return 0;
    }
    return values.json(*at).code;
  }

  bool metadata_;
  std::string key_;
  std::vector<std::string> rest_;
  Predicate predicate_;
  std::uint32_t null_ = Values::kSeveral;  // no code
  bool several_graphs_ = false;
  bool stored_ = false;  // nothing but what the store says
};

}  // namespace

Outcome<query::Expr> path_expression(const DotPath& path, query::Slot slot, VariableKind kind,
                                     const Snapshot& snapshot) {
  query::Expr variable = query::Expr::of_slot(slot);
  if (path.fields.empty()) {
    if (kind != VariableKind::kPredicate) return variable;
    return query::Expr::call(std::make_shared<Field>(Field::Kind::kName, "name"),
                             {std::move(variable)});
  }
  const std::string& first = path.fields[0];
  if ((first == "attributes" || first == "metadata") && path.fields.size() > 1) {
    return query::Expr::call(
        std::make_shared<KeyedField>(first == "metadata", path.fields, snapshot),
        {std::move(variable)});
  }
  struct Known {
    const char* name;
    Field::Kind field;
    bool of_concept, of_link;
  };
  static constexpr Known kFields[] = {
      {"id", Field::Kind::kId, true, true},
      {"type", Field::Kind::kType, true, false},
      {"name", Field::Kind::kName, true, false},
      {"subject", Field::Kind::kSubject, false, true},
      {"predicate", Field::Kind::kPredicate, false, true},
      {"object", Field::Kind::kObject, false, true},
      {"attributes", Field::Kind::kAttributes, true, true},
      {"metadata", Field::Kind::kMetadata, true, true},
  };
  for (const Known& known : kFields) {
    if (first != known.name) continue;
    const bool fits = kind == VariableKind::kLink
                          ? known.of_link
                          : kind == VariableKind::kUnknown || known.of_concept;
    if (!fits) {
      return refuse(Code::kInvalidSyntax,
                    std::string(kind == VariableKind::kLink ? "a link" : "a concept") +
                        " has no field ." + first,
                    kind == VariableKind::kLink
                        ? "a link has .id .subject .predicate .object .attributes .metadata"
                        : "a concept has .id .type .name .attributes .metadata",
                    path.place.offset);
    }
    if (path.fields.size() > 1) {
      return refuse(Code::kInvalidSyntax, "." + first + " has no parts", {}, path.place.offset);
    }
    return query::Expr::call(std::make_shared<Field>(known.field, known.name),
                             {std::move(variable)});
  }
  return refuse(Code::kInvalidSyntax, "there is no field ." + first,
                "keys of your own stand behind .attributes or .metadata: ?" + path.variable +
                    ".attributes." + first,
                path.place.offset);
}

namespace {

class Canonical final : public query::Function {
 public:
  std::string name() const override { return "value"; }
  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t i = 0; i < rows; ++i) {
      out[i] = arguments[0][i];
      const Term term{out[i]};
      if (out[i] == 0 || term.tag() == store::Tag::kInteger || term.tag() == store::Tag::kEntity)
        continue;
      out[i] = of_number(values, values.view(out[i]), out[i]);
    }
  }

 private:
  // Whatever a number was written as, one value has one code.
  static std::uint32_t of_number(Values& values, const ValueView& view, std::uint32_t code) {
    constexpr double kLeast = -9223372036854775808.0;
    const auto key = store::number_key(view);
    if (view.kind == ValueKind::kInteger || !key || key->is_nan()) return code;
    if (!key->beyond.empty()) return of_long_number(values, view, code);
    const double number = key->number;
    if (!(number >= kLeast && number < -kLeast)) return values.number(number).code;
    const auto whole = static_cast<std::int64_t>(number);
    return static_cast<double>(whole) == number ? values.integer(whole).code
                                                : values.number(number).code;
  }
  // Of more digits than a double tells apart. One that no Decimal holds stays as it is written.
  static std::uint32_t of_long_number(Values& values, const ValueView& view, std::uint32_t code) {
    const auto decimal = Decimal::parse(view.text);
    if (!decimal) return code;
    if (const auto whole = decimal->integer()) return values.integer(*whole).code;
    const std::string text = decimal->text();
    ValueView usual;
    usual.kind = ValueKind::kDecimal;
    usual.text = text;
    return values.intern(usual).code;
  }
};

}  // namespace

query::Expr canonical(query::Expr expr) {
  return query::Expr::call(std::make_shared<Canonical>(), {std::move(expr)});
}

// --- conditions

namespace {

using ConditionKind = anima::kip::Condition::Kind;

Truth truth(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

ValueView view_of(const Values& values, std::uint32_t code) {
  return code == 0 ? ValueView{} : values.view(code);
}

class Comparison final : public query::Condition {
 public:
  explicit Comparison(ConditionKind kind) : kind_(kind) {}
  std::string name() const override {
    static constexpr const char* kNames[] = {"equal",   "differs", "less",
                                             "at most", "greater", "at least"};
    return kNames[static_cast<std::size_t>(kind_) -
                  static_cast<std::size_t>(ConditionKind::kEqual)];
  }

  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    if (arguments[1].constant && arguments[1].data != nullptr &&
        numbers(values, arguments[0], arguments[1].data[0], rows, out))
      return;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint32_t a = arguments[0][i], b = arguments[1][i];
      if (is_equality()) {
        const bool equal =
            a == b || (a != 0 && b != 0 && query::equal_values(values.view(a), values.view(b)));
        out[i] = truth(equal == (kind_ == ConditionKind::kEqual));
      } else {
        const query::Comparison comparison =
            a == 0 || b == 0 ? query::Comparison{}
                             : query::compare_values(values.view(a), values.view(b));
        out[i] = truth(comparison.comparable && holds(comparison.sign));
        if (!comparison.comparable && a != 0 && b != 0) note_stray(values, a, b);
      }
    }
  }

 private:
  // A text beside a number is worth a warning.
  static void note_stray(Values& values, std::uint32_t a, std::uint32_t b) {
    double number = 0;
    if (values.number_of(a, &number)) values.note_stray(Values::StrayUse::kComparison, b);
    if (values.number_of(b, &number)) values.note_stray(Values::StrayUse::kComparison, a);
  }
  bool is_equality() const {
    return kind_ == ConditionKind::kEqual || kind_ == ConditionKind::kNotEqual;
  }
  bool holds(int sign) const {
    switch (kind_) {
      case ConditionKind::kEqual:
        return sign == 0;
      case ConditionKind::kNotEqual:
        return sign != 0;
      case ConditionKind::kLess:
        return sign < 0;
      case ConditionKind::kLessEqual:
        return sign <= 0;
      case ConditionKind::kGreater:
        return sign > 0;
      default:
        return sign >= 0;
    }
  }

  // Against a numeric constant: no views are built. False when the constant is no number.
  bool numbers(Values& values, const ColumnView& left, std::uint32_t constant, std::size_t rows,
               Truth* out) const {
    double limit = 0;
    if (!values.number_of(constant, &limit)) return false;
    constexpr double kExact = 9007199254740992.0;
    const ValueKind kind = values.view(constant).kind;
    if (kind != ValueKind::kInteger && kind != ValueKind::kDouble) return false;
    if (!(limit < kExact && limit > -kExact)) return false;
    for (std::size_t i = 0; i < rows; ++i) {
      double number = 0;
      if (values.number_of(left[i], &number)) {
        int sign = number < limit ? -1 : number > limit ? 1 : 0;
        // What is above the double that it is told by is no double itself.
        if (sign == 0 && Term{left[i]}.tag() != store::Tag::kInteger) {
          sign = query::compare_values(values.view(left[i]), values.view(constant)).sign;
        }
        out[i] = truth(number == number ? holds(sign) : kind_ == ConditionKind::kNotEqual);
      } else {
        out[i] = truth(kind_ == ConditionKind::kNotEqual);
        if (!is_equality()) values.note_stray(Values::StrayUse::kComparison, left[i]);
      }
    }
    return true;
  }

  ConditionKind kind_;
};

class TextTest final : public query::Condition {
 public:
  explicit TextTest(ConditionKind kind) : kind_(kind) {}
  std::string name() const override {
    return kind_ == ConditionKind::kContains     ? "contains"
           : kind_ == ConditionKind::kStartsWith ? "starts with"
                                                 : "ends with";
  }
  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t i = 0; i < rows; ++i) {
      const ValueView text = view_of(values, arguments[0][i]),
                      part = view_of(values, arguments[1][i]);
      out[i] = truth(is_text(text) && is_text(part) && holds(text.text, part.text));
    }
  }

 private:
  static bool is_text(const ValueView& view) {
    return view.kind == ValueKind::kString || view.kind == ValueKind::kLanguageString ||
           view.kind == ValueKind::kDateTime;
  }
  bool holds(std::string_view text, std::string_view part) const {
    switch (kind_) {
      case ConditionKind::kContains:
        return part.empty() ||
               ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
      case ConditionKind::kStartsWith:
        return text.starts_with(part);
      default:
        return text.ends_with(part);
    }
  }
  ConditionKind kind_;
};

std::unique_ptr<re2::RE2> compile_regex(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(8 << 20);
  return std::make_unique<re2::RE2>(pattern, options);
}

class RegexTest final : public query::Condition {
 public:
  explicit RegexTest(std::unique_ptr<re2::RE2> regex) : regex_(std::move(regex)) {}
  std::string name() const override { return "regex"; }
  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    std::string last_pattern;
    std::unique_ptr<re2::RE2> own;
    for (std::size_t i = 0; i < rows; ++i) {
      const ValueView text = view_of(values, arguments[0][i]);
      const re2::RE2* regex = regex_.get();
      if (regex == nullptr) {
        const ValueView pattern = view_of(values, arguments[1][i]);
        if (pattern.kind != ValueKind::kString) {
          out[i] = Truth::kFalse;
          continue;
        }
        if (own == nullptr || last_pattern != pattern.text) {
          last_pattern = pattern.text;
          own = compile_regex(last_pattern);
        }
        regex = own.get();
      }
      const bool is_text =
          text.kind == ValueKind::kString || text.kind == ValueKind::kLanguageString;
      out[i] = truth(
          is_text && regex->ok() &&
          re2::RE2::PartialMatch(re2::StringPiece(text.text.data(), text.text.size()), *regex));
    }
  }

 private:
  std::unique_ptr<re2::RE2> regex_;
};

class Membership final : public query::Condition {
 public:
  std::string name() const override { return "in"; }
  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint32_t code = arguments[0][i];
      bool found = false;
      for (std::size_t k = 1; k < arguments.size() && !found; ++k) {
        const std::uint32_t other = arguments[k][i];
        found = code == other || (code != 0 && other != 0 &&
                                  query::equal_values(values.view(code), values.view(other)));
      }
      out[i] = truth(found);
    }
  }
};

class NullTest final : public query::Condition {
 public:
  explicit NullTest(bool wants_null) : wants_null_(wants_null) {}
  std::string name() const override { return wants_null_ ? "is null" : "is not null"; }
  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t i = 0; i < rows; ++i) {
      out[i] = truth((view_of(values, arguments[0][i]).kind == ValueKind::kNull) == wants_null_);
    }
  }

 private:
  bool wants_null_;
};

}  // namespace

std::shared_ptr<const query::Condition> comparison(ConditionKind kind) {
  return std::make_shared<Comparison>(kind);
}
std::shared_ptr<const query::Condition> text_test(ConditionKind kind) {
  return std::make_shared<TextTest>(kind);
}
std::shared_ptr<const query::Condition> membership() { return std::make_shared<Membership>(); }
std::shared_ptr<const query::Condition> null_test(bool wants_null) {
  return std::make_shared<NullTest>(wants_null);
}

Outcome<std::shared_ptr<const query::Condition>> regex_test(const std::string* pattern,
                                                            Place place) {
  std::unique_ptr<re2::RE2> regex;
  if (pattern != nullptr) {
    regex = compile_regex(*pattern);
    if (!regex->ok()) {
      return refuse(Code::kInvalidSyntax,
                    "the regular expression does not parse: " + regex->error(),
                    "the syntax is RE2's: no look-around, no back-references; a backslash is "
                    "written \\\\ in a string",
                    place.offset);
    }
  }
  return std::shared_ptr<const query::Condition>(std::make_shared<RegexTest>(std::move(regex)));
}

}  // namespace anima::kip::detail
