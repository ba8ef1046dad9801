#include "guard/argument_labels.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "govern/detect/text_pieces.h"
#include "guard/naming_words.h"
#include "guard/normal_value.h"
#include "guard/planned_values.h"
#include "guard/result_walk.h"

namespace anima::guard {
namespace {

using govern::ArgumentRole;
using govern::ArgumentValue;
using govern::FieldStep;
using govern::Trust;
using Kind = govern::FieldStep::Kind;

constexpr std::size_t kMostScalars = 2000;
constexpr std::size_t kShownBytes = 200;
constexpr std::size_t kWordsOfAText = 3;  // that name something; what has fewer says little

// "to" of the item of a list "to[]": a flat list is one argument.
std::string argument_name(const govern::Place& place) {
  std::string name = govern::text_of(place);
  while (name.ends_with("[]")) name.resize(name.size() - 2);
  return name;
}

// A scalar of the arguments, with the label of the named value that it was, if it was one.
struct Scalar {
  ScalarPlace at;
  Json value;
  std::optional<KnownValue> named = {};
};

// Puts the named values into the arguments, and gives all scalars of them.
class Resolver {
 public:
  explicit Resolver(const SessionValues& values) : values_(values) {}

  Result<Json> resolve(const Json& given, ScalarPlace& at) {
    if (const Json* name = given.find(kNamedValue);
        name != nullptr && given.as_object().size() == 1) {
      return put_named(*name, at);
    }
    if (given.is_array() && !given.as_array().empty()) return resolve_list(given, at);
    if (given.is_object() && !given.as_object().empty()) return resolve_object(given, at);
    ANIMA_TRY(add({at, given}));
    return given;
  }
  std::vector<Scalar>& scalars() { return scalars_; }

 private:
  Status add(Scalar scalar) {
    if (scalar.value.is_null() || scalar.value.is_array() || scalar.value.is_object()) return {};
    scalars_.push_back(std::move(scalar));
    if (scalars_.size() <= kMostScalars) return {};
    return fail(ErrorCode::kLimitExceeded, "the arguments of a call hold at most 2000 values");
  }

  Result<Json> put_named(const Json& name, const ScalarPlace& at) {
    if (!name.is_string())
      return fail(ErrorCode::kSyntax, "\"$value\" is the name of a value, a text");
    ANIMA_ASSIGN(Json value, values_.named(name.as_string()));
    ANIMA_ASSIGN(std::vector<LabelledScalar> scalars, values_.scalars_of(name.as_string()));
    for (LabelledScalar& each : scalars) {
      ScalarPlace place = at;
      place.place.insert(place.place.end(), each.at.place.begin(), each.at.place.end());
      place.items.insert(place.items.end(), each.at.items.begin(), each.at.items.end());
      ANIMA_TRY(add({std::move(place), std::move(each.value), std::move(each.label)}));
    }
    return value;
  }

  Result<Json> resolve_list(const Json& given, ScalarPlace& at) {
    Json list = Json::array();
    at.place.push_back({Kind::kItem});
    at.items.push_back(0);
    for (const Json& each : given.as_array()) {
      ANIMA_ASSIGN(Json item, resolve(each, at));
      list.push_back(std::move(item));
      ++at.items.back();
    }
    at.items.pop_back();
    at.place.pop_back();
    return list;
  }

  Result<Json> resolve_object(const Json& given, ScalarPlace& at) {
    Json object = Json::object();
    for (const auto& [name, each] : given.as_object()) {
      if (!at.place.empty()) {  // names of members are values, but for those of the arguments
        at.place.push_back({Kind::kKey});
        ANIMA_TRY(add({at, Json(name)}));
        at.place.pop_back();
      }
      at.place.push_back({Kind::kMember, name});
      ANIMA_ASSIGN(Json member, resolve(each, at));
      object.set(name, std::move(member));
      at.place.pop_back();
    }
    return object;
  }

  const SessionValues& values_;
  std::vector<Scalar> scalars_;
};

// A value with its label, and what only the session needs of it.
struct Labelled {
  ArgumentValue value;
  ArgumentRole role = ArgumentRole::kPlain;
  ReaderSet readers;
  std::string normal;
  std::string name;  // of the argument that it lies in
};

class Labeller {
 public:
  Labeller(const govern::ToolDeclaration& tool, const Known& known)
      : tool_(tool), known_(known), planned_(known.planned) {
    add_schema_names(tool.arguments, names_);
  }

  void label(const Scalar& scalar) {
    // A member that the schema knows is the tool's own word.
    if (!scalar.at.place.empty() && scalar.at.place.back().kind == Kind::kKey &&
        names_.contains(scalar.value.as_string()))
      return;
    const govern::ArgumentUse use = tool_.use_of(scalar.at.place);
    if (use.role == ArgumentRole::kRecipient && scalar.value.is_string() && !scalar.named &&
        label_recipients(scalar, use))
      return;
    put(scalar, scalar.value, use);
  }

  std::vector<Labelled>& labelled() { return labelled_; }

 private:
  // Each of several that one text names; false: it names one, or is known as a whole.
  bool label_recipients(const Scalar& scalar, const govern::ArgumentUse& use) {
    const std::string& whole = scalar.value.as_string();
    const auto each = govern::recipients_in(whole);
    if (each.size() < 2 || known_.words.said(scalar.value) ||
        known_.values.find(normal_value(scalar.value)) != nullptr)
      return false;
    for (const std::string_view recipient : each) put(scalar, Json(recipient), use);
    return true;
  }

  void put(const Scalar& scalar, const Json& value, const govern::ArgumentUse& use) {
    Labelled made;
    made.role = use.role;
    made.normal = normal_value(value);
    if (!scalar.at.place.empty()) made.name = scalar.at.place[0].name;
    ArgumentValue& out = made.value;
    out.argument = argument_name(scalar.at.place);
    out.item = next_item_[out.argument]++;
    out.role = govern::to_string(use.role);
    const std::string text = value.is_string() ? value.as_string() : value.dump();
    out.value = beginning_of(text, kShownBytes);
    find_source(scalar, value, made);
    out.within = is_free(value, use, out.trust);
    labelled_.push_back(std::move(made));
  }

  void find_source(const Scalar& scalar, const Json& value, Labelled& made) const {
    ArgumentValue& out = made.value;
    auto said = known_.words.said(value);
    if (!said && made.role == ArgumentRole::kAmount) said = known_.words.said_as_word(made.normal);
    if (!said && is_choice(scalar.at, value) &&
        known_.words.all().contains(word_stem(value.as_string())))
      said = value.as_string();
    const KnownValue* found = scalar.named ? &*scalar.named : known_value(made);
    out.source = "model";
    out.trust = known_.floor;
    made.readers = known_.readers;
    if (found != nullptr) {
      out.source =
          found->call == 0 ? "contacts" : "call " + std::to_string(found->call) + " " + found->tool;
      out.field = found->field;
      out.trust = found->trust;
      out.contact = found->contact;
      out.meant = meant(made);
      made.readers = found->readers;
    }
    if (scalar.named) return;
    if (!said) {
      find_planned(made);
      return;
    }
    out.said = beginning_of(*said, kShownBytes);
    made.readers = nullptr;
    if (out.trust > known_.message) return;
    out.source = "message";
    out.field.clear();
    out.trust = known_.message;
  }

  // Whether the tool's schema lists the value as one of those that may stand there. Such a one is
  // the message's in any form of its word: "close it" says "closed".
  bool is_choice(const ScalarPlace& at, const Json& value) const {
    if (!value.is_string() || at.place.size() != 1) return false;
    const Json* properties = tool_.arguments.find("properties");
    const Json* schema = properties == nullptr ? nullptr : properties->find(at.place[0].name);
    const Json* listed = schema == nullptr ? nullptr : schema->find("enum");
    return listed != nullptr &&
           std::ranges::any_of(listed->as_array(), [&](const Json& each) { return each == value; });
  }

  // What the plan says was written before anything was read.
  void find_planned(Labelled& made) const {
    ArgumentValue& out = made.value;
    if (planned_.has(made.name, made.normal)) {
      made.readers = nullptr;
      if (out.trust > known_.message) return;
      out.source = "plan";
      out.field.clear();
      out.trust = known_.message;
    } else {
      out.off_plan = out.source == "model" && planned_.is_whole(made.name);
    }
  }

  Meant meant(const Labelled& made) const {
    const bool removes =
        made.role == ArgumentRole::kHandle && tool_.has(govern::ToolEffect::kDeletes);
    const Meant meant = known_.values.meant(made.normal, tool_.name, known_.words);
    // Of what is removed only the row that the message calls by its whole name, where there is one.
    if (removes && meant == Meant::kSurely && known_.values.named_less(made.normal, known_.words))
      return Meant::kLikely;
    return meant;
  }

  // The same whole value again. Of what says nothing of itself only a handle is one of those that a
  // tool gave: to choose among them is what they are for.
  const KnownValue* known_value(const Labelled& made) const {
    const bool chosen = made.role == ArgumentRole::kHandle && !made.normal.starts_with("b:");
    if (!chosen && !says_something(made.normal)) return nullptr;
    return known_.values.find(made.normal);
  }

  // An amount is free up to the tool's limit, and up to what the message says where it says one.
  // Where it says none, nobody outside may have written what is paid.
  bool is_free(const Json& value, const govern::ArgumentUse& use, Trust trust) const {
    const std::string normal = normal_value(value);
    if (use.role == ArgumentRole::kDate) {
      constexpr std::size_t kPrefix = 2, kDay = 10;
      if (normal.starts_with("d:"))
        return known_.words.day_fits(std::string_view(normal).substr(kPrefix, kDay));
      return (value.is_string() && is_clock_time(value.as_string()));
    }
    if (use.role != ArgumentRole::kAmount || !use.most) return false;
    const bool said = known_.words.largest_number().has_value();
    if (!said && tool_.has(govern::ToolEffect::kPays) && !govern::at_least(trust, Trust::kStandard))
      return false;
    const double most = std::min(*use.most, known_.words.largest_number().value_or(*use.most));
    if (value.is_number()) return value.as_number() >= 0 && value.as_number() <= most;
    const auto number = value.is_string() ? normal_number(value.as_string()) : std::nullopt;
    if (!number || number->starts_with('-')) return false;
    const auto parsed = parse_json(*number);
    return parsed && parsed->as_number() <= most;
  }

  const govern::ToolDeclaration& tool_;
  const Known& known_;
  PlannedValues planned_;
  std::set<std::string, std::less<>> names_;
  std::map<std::string, std::int64_t, std::less<>> next_item_;
  std::vector<Labelled> labelled_;
};

// Who gets something by the call and may not read what it carries.
void find_leaving(const govern::ToolDeclaration& tool, std::vector<Labelled>& labelled,
                  const Known& known) {
  // A question that leaves the machine goes to somebody, too.
  const bool asks_others = !tool.acts() && tool.tier_of() != govern::Tier::kReadOnly;
  if (!tool.acts() && !asks_others) return;
  std::vector<std::pair<std::string, std::string>> gets;  // normal form, as it is shown
  for (const Labelled& each : labelled) {
    if (each.role == ArgumentRole::kRecipient || each.role == ArgumentRole::kAddress)
      gets.emplace_back(each.normal, each.value.value);
  }
  if (gets.empty() && (asks_others || tool.has(govern::ToolEffect::kSends)))
    gets.emplace_back("", "whoever " + tool.name + (asks_others ? " asks" : " reaches"));
  SharedWords::Words own = known.words.all();
  SharedWords::split(tool.name, own);
  for (Labelled& each : labelled) {
    if (each.readers == nullptr) continue;
    for (const auto& [normal, shown] : gets) {
      // What has only words that he may read tells him nothing.
      const bool told_nothing =
          each.value.source == "model" && each.normal.size() >= 2 &&
          !each.normal.starts_with("b:") &&
          known.values.shared().have_all(each.normal.substr(2),
                                         std::span<const std::string>(&normal, 1), own);
      if (told_nothing) continue;
      if (!each.readers->contains(normal) && normal != each.normal)
        each.value.leaves_to.push_back(shown);
    }
  }
}

// Whether the texts that the model wrote itself speak of what the message speaks of, or of whom
// they go to: one word in common is enough, for all texts of a call together. A short text need
// not. What goes to nobody speaks of what it takes the place of, where that was read.
void find_spoken(const govern::ToolDeclaration& tool, std::vector<Labelled>& labelled,
                 const Known& known) {
  const auto is_own = [](const Labelled& each) {
    return each.role == ArgumentRole::kCarried && each.value.source == "model";
  };
  std::vector<std::string> words;
  for (const Labelled& each : labelled) {
    if (!is_own(each) || !each.normal.starts_with("t:")) continue;
    for (std::string& word : naming_words(each.normal.substr(2))) words.push_back(std::move(word));
  }
  const bool spoken =
      std::ranges::any_of(words, [&](const std::string& word) { return known.words.names(word); });
  const bool addressed = std::ranges::any_of(labelled, [&](const Labelled& each) {
    return each.value.meant == Meant::kSurely && each.role != ArgumentRole::kCarried &&
           known.values.row_has(each.normal, words);
  });
  const auto replaces = [&](const Labelled& each) {
    return each.role == ArgumentRole::kHandle && known.values.was_read(each.normal);
  };
  const auto like_what_was_read = [&](const Labelled& each) {
    return each.role == ArgumentRole::kHandle && known.values.read_with(each.normal, words);
  };
  const bool kept_here = !tool.has(govern::ToolEffect::kSends) &&
                         !tool.has(govern::ToolEffect::kPays) &&
                         !tool.has(govern::ToolEffect::kRuns) &&
                         (std::ranges::none_of(labelled, replaces) ||
                          std::ranges::any_of(labelled, like_what_was_read));
  for (Labelled& each : labelled) {
    if (!is_own(each)) continue;
    const bool says_little = !each.normal.starts_with("t:") ||
                             naming_words(each.normal.substr(2)).size() < kWordsOfAText;
    if (spoken || addressed || says_little || kept_here) each.value.meant = Meant::kLikely;
  }
}

std::string origin_of(const ArgumentValue& value) {
  if (value.source == "model") return "the model's own words";
  return value.field.empty() ? value.source : value.source + ", " + value.field;
}

}  // namespace

bool has_named_value(const Json& arguments) {
  if (arguments.is_array()) return std::ranges::any_of(arguments.as_array(), has_named_value);
  if (!arguments.is_object()) return false;
  return std::ranges::any_of(arguments.as_object(), [](const JsonMember& each) {
    return each.first == kNamedValue || has_named_value(each.second);
  });
}

Result<LabelledArguments> label_arguments(const Json& arguments,
                                          const govern::ToolDeclaration& tool, const Known& known) {
  LabelledArguments out;
  Resolver resolver(known.values);
  ScalarPlace root;
  ANIMA_ASSIGN(out.arguments, resolver.resolve(arguments, root));
  Labeller labeller(tool, known);
  for (const Scalar& scalar : resolver.scalars()) labeller.label(scalar);
  find_leaving(tool, labeller.labelled(), known);
  find_spoken(tool, labeller.labelled(), known);
  out.look_up.trusted = !labeller.labelled().empty();
  for (Labelled& each : labeller.labelled()) {
    if (!govern::at_least(each.value.trust, known.message)) out.look_up.trusted = false;
    if (each.role == ArgumentRole::kPlain && each.normal.starts_with("t:")) {
      for (std::string& word : naming_words(each.normal.substr(2)))
        out.look_up.words.insert(std::move(word));
    }
    out.origins.push_back({each.name, origin_of(each.value), each.value.trust});
    const auto [at, is_new] = out.told.try_emplace(each.normal, each.value.trust);
    if (!is_new) at->second = govern::lowest(at->second, each.value.trust);
    out.values.push_back(std::move(each.value));
  }
  return out;
}

}  // namespace anima::guard
