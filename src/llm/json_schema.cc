#include "llm/json_schema.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/text.h"

namespace anima::llm {
namespace {

constexpr std::size_t kMaxSchemaDepth = 64;
constexpr std::size_t kMaxViolations = 20;
constexpr std::size_t kMaxSteps = 200'000;
constexpr std::size_t kMaxPattern = 1000;
constexpr std::int64_t kPatternMemory = std::int64_t{1} << 20;

enum class Holds : std::uint8_t {
  kSchema,     // a schema, or true or false
  kSchemas,    // a list of them
  kSchemaMap,  // an object of them
  kCount,      // an integer, 0 or more
  kNumber,
  kText,
  kTexts,
  kFlag,
  kType,
  kValues,
  kAnything,
};

struct Keyword {
  std::string_view name;
  Holds holds;
};
constexpr std::array<Keyword, 36> kKeywords{{{"type", Holds::kType},
                                             {"properties", Holds::kSchemaMap},
                                             {"required", Holds::kTexts},
                                             {"additionalProperties", Holds::kSchema},
                                             {"items", Holds::kSchema},
                                             {"prefixItems", Holds::kSchemas},
                                             {"minItems", Holds::kCount},
                                             {"maxItems", Holds::kCount},
                                             {"uniqueItems", Holds::kFlag},
                                             {"enum", Holds::kValues},
                                             {"const", Holds::kAnything},
                                             {"anyOf", Holds::kSchemas},
                                             {"oneOf", Holds::kSchemas},
                                             {"allOf", Holds::kSchemas},
                                             {"not", Holds::kSchema},
                                             {"minimum", Holds::kNumber},
                                             {"maximum", Holds::kNumber},
                                             {"exclusiveMinimum", Holds::kNumber},
                                             {"exclusiveMaximum", Holds::kNumber},
                                             {"multipleOf", Holds::kNumber},
                                             {"minLength", Holds::kCount},
                                             {"maxLength", Holds::kCount},
                                             {"pattern", Holds::kText},
                                             {"$ref", Holds::kText},
                                             {"$defs", Holds::kSchemaMap},
                                             {"definitions", Holds::kSchemaMap},
                                             {"minProperties", Holds::kCount},
                                             {"maxProperties", Holds::kCount},
                                             {"title", Holds::kAnything},
                                             {"description", Holds::kAnything},
                                             {"default", Holds::kAnything},
                                             {"examples", Holds::kAnything},
                                             {"format", Holds::kAnything},
                                             {"$schema", Holds::kAnything},
                                             {"$id", Holds::kAnything},
                                             {"$comment", Holds::kAnything}}};

constexpr std::array<std::string_view, 7> kTypes{"null",   "boolean", "integer", "number",
                                                 "string", "array",   "object"};

std::string_view kind_of(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull:
      return "null";
    case Json::Kind::kBool:
      return "boolean";
    case Json::Kind::kInteger:
      return "integer";
    case Json::Kind::kDouble:
      return "number";
    case Json::Kind::kString:
      return "string";
    case Json::Kind::kArray:
      return "array";
    case Json::Kind::kObject:
      return "object";
  }
  return "null";
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "number") return value.is_number();
  if (type == "integer" && value.is_double())
    return std::isfinite(value.as_number()) && std::floor(value.as_number()) == value.as_number();
  return kind_of(value) == type;
}

std::string with_article(std::string_view type) {
  if (type == "null") return "null";
  const bool vowel = std::string_view("aeiou").find(type[0]) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", type);
}

// The schema that "#/$defs/x" names; null when there is none.
const Json* resolve_reference(const Json& root, std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  const Json* at = &root;
  reference.remove_prefix(1);
  while (!reference.empty()) {
    if (reference[0] != '/') return nullptr;
    reference.remove_prefix(1);
    const std::string_view step = reference.substr(0, reference.find('/'));
    at = at->find(replace_all(replace_all(step, "~1", "/"), "~0", "~"));
    if (at == nullptr) return nullptr;
    reference.remove_prefix(step.size());
  }
  return at;
}

bool are_texts(const Json& value) {
  return value.is_array() && std::ranges::all_of(value.as_array(), &Json::is_string);
}

bool is_type_list(const Json& value) {
  const auto known = [](const Json& each) {
    return each.is_string() && std::ranges::find(kTypes, each.as_string()) != kTypes.end();
  };
  if (value.is_string()) return known(value);
  return value.is_array() && !value.as_array().empty() &&
         std::ranges::all_of(value.as_array(), known);
}

RE2::Options pattern_options() {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kPatternMemory);
  return options;
}

class SchemaCheck {
 public:
  explicit SchemaCheck(const Json& root) : root_(root) {}

  Status schema(const Json& schema, const std::string& place, std::size_t depth) {
    if (depth > kMaxSchemaDepth) return bad(place, "it is nested too deeply");
    if (schema.is_bool()) return {};
    if (!schema.is_object()) return bad(place, "it must be an object, true or false");
    for (const auto& [name, value] : schema.as_object()) {
      const auto found = std::ranges::find(kKeywords, name, &Keyword::name);
      const std::string inner = place + "/" + name;
      if (found == kKeywords.end())
        return bad(inner, "this keyword is not supported", near_keyword(name));
      ANIMA_TRY(keyword(*found, value, inner, depth));
    }
    return {};
  }

 private:
  static Status bad(const std::string& place, std::string what, std::string hint = {}) {
    return fail(ErrorCode::kInvalidArgument, "the JSON schema cannot be used: " + std::move(what),
                place, std::move(hint));
  }
  static std::string near_keyword(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Keyword& each : kKeywords) names.push_back(each.name);
    return did_you_mean(nearest_names(name, std::span<const std::string_view>(names)));
  }

  Status keyword(const Keyword& keyword, const Json& value, const std::string& place,
                 std::size_t depth) {
    switch (keyword.holds) {
      case Holds::kSchema:
        return schema(value, place, depth + 1);
      case Holds::kSchemas:
        if (!value.is_array() || value.as_array().empty())
          return bad(place, "it must be a list of schemas");
        for (std::size_t i = 0; i < value.as_array().size(); ++i) {
          ANIMA_TRY(schema(value.as_array()[i], fmt::format("{}/{}", place, i), depth + 1));
        }
        return {};
      case Holds::kSchemaMap:
        if (!value.is_object()) return bad(place, "it must be an object of schemas");
        for (const auto& [name, each] : value.as_object()) {
          ANIMA_TRY(schema(each, place + "/" + name, depth + 1));
        }
        return {};
      case Holds::kCount:
        return value.is_integer() && value.as_integer() >= 0
                   ? Status()
                   : bad(place, "it must be an integer, 0 or more");
      case Holds::kNumber:
        return number(keyword, value, place);
      case Holds::kText:
        return text(keyword, value, place);
      case Holds::kTexts:
        return are_texts(value) ? Status() : bad(place, "it must be a list of names");
      case Holds::kFlag:
        return value.is_bool() ? Status() : bad(place, "it must be true or false");
      case Holds::kType:
        return is_type_list(value)
                   ? Status()
                   : bad(place,
                         "it must be one or a list of null, boolean, integer, number, "
                         "string, array, object");
      case Holds::kValues:
        return value.is_array() && !value.as_array().empty()
                   ? Status()
                   : bad(place, "it must be a list of values");
      case Holds::kAnything:
        return {};
    }
    return {};
  }

  static Status number(const Keyword& keyword, const Json& value, const std::string& place) {
    if (!value.is_number()) return bad(place, "it must be a number");
    if (keyword.name == "multipleOf" && !(value.as_number() > 0))
      return bad(place, "it must be above 0");
    return {};
  }

  Status text(const Keyword& keyword, const Json& value, const std::string& place) const {
    if (!value.is_string()) return bad(place, "it must be a string");
    if (keyword.name == "$ref") {
      return resolve_reference(root_, value.as_string()) != nullptr
                 ? Status()
                 : bad(place, "it names nothing in this schema");
    }
    if (value.as_string().size() > kMaxPattern) return bad(place, "the pattern is too long");
    const RE2 pattern(value.as_string(), pattern_options());
    return pattern.ok() ? Status() : bad(place, "the pattern cannot be read: " + pattern.error());
  }

  const Json& root_;
};

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  std::vector<SchemaViolation> run(const Json& value) {
    check(root_, value, "$", 0);
    return std::move(violations_);
  }

 private:
  void add(const std::string& path, std::string message) {
    if (violations_.size() < kMaxViolations) violations_.push_back({path, std::move(message)});
  }

  // True when nothing is wrong; nothing is told.
  bool fits(const Json& schema, const Json& value, std::size_t depth) {
    std::vector<SchemaViolation> outer = std::exchange(violations_, {});
    check(schema, value, "$", depth + 1);
    const bool good = violations_.empty();
    violations_ = std::move(outer);
    return good;
  }

  void check(const Json& schema, const Json& value, const std::string& path, std::size_t depth) {
    if (++steps_ > kMaxSteps || depth > 4 * kMaxSchemaDepth)
      return add(path, "takes too long to be checked");
    if (schema.is_bool()) {
      if (!schema.as_bool()) add(path, "is not allowed");
      return;
    }
    if (const Json* reference = schema.find("$ref")) {
      const Json* named = resolve_reference(root_, reference->as_string());
      if (named != nullptr) check(*named, value, path, depth + 1);
    }
    check_type(schema, value, path);
    check_values(schema, value, path);
    if (value.is_object()) check_object(schema, value, path, depth);
    if (value.is_array()) check_array(schema, value, path, depth);
    if (value.is_string()) check_text(schema, value.as_string(), path);
    if (value.is_number()) check_number(schema, value.as_number(), path);
    check_branches(schema, value, path, depth);
  }

  void check_type(const Json& schema, const Json& value, const std::string& path) {
    const Json* type = schema.find("type");
    if (type == nullptr) return;
    std::vector<std::string> allowed;
    if (type->is_string()) allowed.push_back(type->as_string());
    for (const Json& each : type->as_array()) allowed.push_back(each.as_string());
    if (std::ranges::any_of(allowed, [&](const auto& each) { return is_of_type(value, each); }))
      return;
    std::vector<std::string> shown;
    for (const std::string& each : allowed) shown.push_back(with_article(each));
    add(path, fmt::format("must be {}, not {}", join(shown, " or "), with_article(kind_of(value))));
  }

  void check_values(const Json& schema, const Json& value, const std::string& path) {
    if (const Json* constant = schema.find("const"); constant != nullptr && *constant != value)
      add(path, "must be " + constant->dump());
    const Json* list = schema.find("enum");
    if (list == nullptr || std::ranges::find(list->as_array(), value) != list->as_array().end())
      return;
    add(path, "must be one of " + list->dump());
  }

  void check_object(const Json& schema, const Json& value, const std::string& path,
                    std::size_t depth) {
    static const Json kNothing = Json::object();
    const Json* given = schema.find("properties");
    const Json& properties = given == nullptr ? kNothing : *given;
    if (const Json* required = schema.find("required")) {
      for (const Json& name : required->as_array()) {
        if (value.find(name.as_string()) == nullptr)
          add(path + "." + name.as_string(), "is missing");
      }
    }
    const Json* others = schema.find("additionalProperties");
    for (const auto& [name, member] : value.as_object()) {
      const std::string inner = path + "." + name;
      if (const Json* property = properties.find(name)) {
        check(*property, member, inner, depth + 1);
      } else if (others != nullptr) {
        check(*others, member, inner, depth + 1);
      }
    }
    check_count(schema, "minProperties", "maxProperties", value.as_object().size(), "members",
                path);
  }

  void check_array(const Json& schema, const Json& value, const std::string& path,
                   std::size_t depth) {
    const JsonArray& items = value.as_array();
    const Json* first = schema.find("prefixItems");
    const Json* rest = schema.find("items");
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string inner = fmt::format("{}[{}]", path, i);
      if (first != nullptr && i < first->as_array().size()) {
        check(first->as_array()[i], items[i], inner, depth + 1);
      } else if (rest != nullptr) {
        check(*rest, items[i], inner, depth + 1);
      }
      if (violations_.size() >= kMaxViolations) return;
    }
    check_count(schema, "minItems", "maxItems", items.size(), "items", path);
    const Json* unique = schema.find("uniqueItems");
    if (unique == nullptr || !unique->as_bool()) return;
    for (std::size_t i = 1; i < items.size(); ++i) {
      steps_ += i;
      if (steps_ > kMaxSteps) return add(path, "takes too long to be checked");
      const auto end = items.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find(items.begin(), end, items[i]) != end)
        return add(fmt::format("{}[{}]", path, i), "is there twice");
    }
  }

  void check_count(const Json& schema, std::string_view least, std::string_view most,
                   std::size_t count, std::string_view what, const std::string& path) {
    const auto number = static_cast<std::int64_t>(count);
    if (const Json* low = schema.find(least); low != nullptr && number < low->as_integer())
      add(path, fmt::format("must have at least {} {}, not {}", low->as_integer(), what, number));
    if (const Json* high = schema.find(most); high != nullptr && number > high->as_integer())
      add(path, fmt::format("must have at most {} {}, not {}", high->as_integer(), what, number));
  }

  void check_text(const Json& schema, const std::string& text, const std::string& path) {
    check_count(schema, "minLength", "maxLength", count_code_points(text), "characters", path);
    const Json* pattern = schema.find("pattern");
    if (pattern == nullptr) return;
    const RE2 expression(pattern->as_string(), pattern_options());
    if (!RE2::PartialMatch(text, expression))
      add(path, fmt::format("must match the pattern {}", pattern->as_string()));
  }

  void check_number(const Json& schema, double number, const std::string& path) {
    const auto limit = [&](std::string_view name) { return schema.find(name); };
    if (const Json* low = limit("minimum"); low != nullptr && number < low->as_number())
      add(path, "must be at least " + low->dump());
    if (const Json* high = limit("maximum"); high != nullptr && number > high->as_number())
      add(path, "must be at most " + high->dump());
    if (const Json* low = limit("exclusiveMinimum"); low != nullptr && number <= low->as_number())
      add(path, "must be above " + low->dump());
    if (const Json* high = limit("exclusiveMaximum");
        high != nullptr && number >= high->as_number())
      add(path, "must be below " + high->dump());
    const Json* factor = limit("multipleOf");
    if (factor == nullptr) return;
    const double times = number / factor->as_number();
    if (std::abs(times - std::round(times)) > 1e-9 * std::max(1.0, std::abs(times)))
      add(path, "must be a multiple of " + factor->dump());
  }

  void check_branches(const Json& schema, const Json& value, const std::string& path,
                      std::size_t depth) {
    if (const Json* all = schema.find("allOf")) {
      for (const Json& each : all->as_array()) check(each, value, path, depth + 1);
    }
    const auto count = [&](const Json& branches) {
      return std::ranges::count_if(branches.as_array(),
                                   [&](const Json& each) { return fits(each, value, depth); });
    };
    if (const Json* any = schema.find("anyOf"); any != nullptr && count(*any) == 0) {
      if (any->as_array().size() == 1) {
        check(any->as_array()[0], value, path, depth + 1);  // says what is wrong
      } else {
        add(path, fmt::format("fits none of the {} forms of anyOf", any->as_array().size()));
      }
    }
    if (const Json* one = schema.find("oneOf")) {
      const auto fitting = count(*one);
      if (fitting != 1) add(path, fmt::format("fits {} forms of oneOf instead of one", fitting));
    }
    if (const Json* none = schema.find("not"); none != nullptr && fits(*none, value, depth))
      add(path, "has the form that is excluded");
  }

  const Json& root_;
  std::vector<SchemaViolation> violations_;
  std::size_t steps_ = 0;
};

bool strict_object(const Json& schema) {
  const Json* properties = schema.find("properties");
  const Json* others = schema.find("additionalProperties");
  const Json* required = schema.find("required");
  if (others == nullptr || !others->is_bool() || others->as_bool() || required == nullptr)
    return false;
  return properties == nullptr ||
         std::ranges::all_of(properties->as_object(), [&](const auto& each) {
           return std::ranges::any_of(required->as_array(), [&](const Json& name) {
             return name.as_string() == each.first;
           });
         });
}

bool strict_parts(const Json& schema, std::size_t depth) {
  if (!schema.is_object() || depth > kMaxSchemaDepth) return false;
  const Json* type = schema.find("type");
  const bool object = schema.find("properties") != nullptr ||
                      (type != nullptr && type->is_string() && type->as_string() == "object");
  if (object && !strict_object(schema)) return false;
  for (const auto& [name, value] : schema.as_object()) {
    const auto found = std::ranges::find(kKeywords, name, &Keyword::name);
    if (found == kKeywords.end()) return false;
    // Strict mode knows anyOf alone of those that join forms.
    if (name == "oneOf" || name == "allOf" || name == "not" || name == "prefixItems") return false;
    const auto strict = [&](const Json& each) { return strict_parts(each, depth + 1); };
    if (name == "items" && !strict(value)) return false;
    if (found->holds == Holds::kSchemas && !std::ranges::all_of(value.as_array(), strict))
      return false;
    if (found->holds == Holds::kSchemaMap &&
        !std::ranges::all_of(value.as_object(),
                             [&](const auto& each) { return strict(each.second); }))
      return false;
  }
  return true;
}

}  // namespace

Status check_schema(const Json& schema) { return SchemaCheck(schema).schema(schema, "#", 0); }

std::vector<SchemaViolation> validate(const Json& schema, const Json& value) {
  return Validator(schema).run(value);
}

std::string describe(const std::vector<SchemaViolation>& violations) {
  std::string text;
  for (const SchemaViolation& each : violations) {
    if (!text.empty()) text += "; ";
    text += each.path + ": " + each.message;
  }
  return text;
}

bool is_strict(const Json& schema) {
  const Json* type = schema.find("type");
  return type != nullptr && type->is_string() && type->as_string() == "object" &&
         strict_parts(schema, 0);
}

}  // namespace anima::llm
