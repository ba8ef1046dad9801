// Declarations of tools as JSON: every mistake is named with its member.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/text.h"
#include "govern/rules/tool_declaration.h"

namespace anima::govern {
namespace {

constexpr std::array<std::string_view, 12> kMembers = {
    "name",      "description", "effects", "tier",  "agents",  "timeout_seconds",
    "arguments", "results",     "roles",   "trust", "readers", "fields"};
constexpr std::array kEveryTier = {Tier::kReadOnly, Tier::kWriteSafe, Tier::kWriteDestructive,
                                   Tier::kAdmin};
constexpr double kLongestTimeout = 24 * 3600;

std::string tier_word(Tier tier) { return to_lower(to_string(tier)); }

std::string trust_words() {
  return "there are hostile, untrusted, standard, verified, operator, system";
}

Error wrong_member(std::string what, std::string_view where, std::string hint) {
  return Error{ErrorCode::kInvalidArgument, std::move(what), std::string(where), std::move(hint)};
}

Status only_members(const Json& json, std::span<const std::string_view> known,
                    std::string_view where) {
  for (const auto& [name, value] : json.as_object()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string near = did_you_mean(nearest_names(name, known));
    std::string all;
    for (const std::string_view each : known) all += (all.empty() ? "" : ", ") + std::string(each);
    const std::string place = where.empty() ? name : std::string(where) + "." + name;
    return fail(wrong_member("'" + name + "' is not known here", place,
                             near.empty() ? "there are: " + all : near));
  }
  return {};
}

Result<Trust> read_trust(const Json& json, std::string_view where) {
  const auto trust = json.is_string() ? parse_trust(json.as_string()) : std::nullopt;
  if (trust) return *trust;
  return fail(wrong_member("this is no level of trust", where, trust_words()));
}

Result<Readers> read_readers(const Json& json, std::string_view where) {
  Readers readers;
  if (json.is_string() && json.as_string() == "anyone") return readers;
  readers.kind = Readers::Kind::kOwner;
  if (json.is_string() && json.as_string() == "owner") return readers;
  readers.kind = Readers::Kind::kNamed;
  for (const Json& each : json.as_array()) {
    if (!each.is_string()) break;
    auto path = FieldPath::parse(each.as_string());
    if (!path) return fail(wrong_member(path.error().message, where, path.error().hint));
    readers.fields.push_back(*std::move(path));
  }
  if (!readers.fields.empty() && readers.fields.size() == json.as_array().size()) return readers;
  return fail(wrong_member("readers are \"anyone\", \"owner\" or fields that name them", where,
                           "for example [\"mails[].from\", \"mails[].to[]\"]"));
}

Json json_of(const Readers& readers) {
  if (readers.kind == Readers::Kind::kAnyone) return "anyone";
  if (readers.kind == Readers::Kind::kOwner) return "owner";
  Json fields = Json::array();
  for (const FieldPath& path : readers.fields) fields.push_back(path.text());
  return fields;
}

// "roles": {"to": "recipient", "amount": {"role": "amount", "most": 100}}
Result<ArgumentUse> read_use(const std::string& path, const Json& json) {
  const std::string where = "roles." + path;
  ArgumentUse use;
  ANIMA_ASSIGN(use.path, FieldPath::parse(path));
  const Json* name = json.is_object() ? json.find("role") : &json;
  const auto role =
      name != nullptr && name->is_string() ? parse_role(name->as_string()) : std::nullopt;
  if (!role) {
    return fail(wrong_member("this is no role of an argument", where,
                             "there are plain, recipient, address, handle, amount, date, command, "
                             "carried"));
  }
  use.role = *role;
  if (!json.is_object()) return use;
  constexpr std::array<std::string_view, 2> kKnown = {"role", "most"};
  ANIMA_TRY(only_members(json, kKnown, where));
  if (const Json* most = json.find("most")) {
    if (!most->is_number() || most->as_number() < 0)
      return fail(wrong_member("a limit is a number from 0 on", where + ".most", {}));
    use.most = most->as_number();
  }
  return use;
}

// "fields": {"mails[].from": "standard", "mails[].id": {"trust": "verified", "contact": true}}
Result<ResultField> read_field(const std::string& path, const Json& json) {
  const std::string where = "fields." + path;
  ResultField field;
  ANIMA_ASSIGN(field.path, FieldPath::parse(path));
  if (json.is_string()) {
    ANIMA_ASSIGN(field.trust, read_trust(json, where));
    return field;
  }
  if (!json.is_object()) {
    return fail(wrong_member("a field has a level of trust or an object", where,
                             "for example {\"trust\": \"standard\", \"contact\": true}"));
  }
  constexpr std::array<std::string_view, 4> kKnown = {"trust", "readers", "contact",
                                                      "trust_member"};
  ANIMA_TRY(only_members(json, kKnown, where));
  if (const Json* trust = json.find("trust")) {
    ANIMA_ASSIGN(field.trust, read_trust(*trust, where + ".trust"));
  }
  if (const Json* readers = json.find("readers")) {
    ANIMA_ASSIGN(field.readers, read_readers(*readers, where + ".readers"));
  }
  if (const Json* contact = json.find("contact")) {
    if (!contact->is_bool())
      return fail(wrong_member("this is true or false", where + ".contact", {}));
    field.contact = contact->as_bool();
  }
  if (const Json* member = json.find("trust_member")) {
    if (!member->is_string())
      return fail(wrong_member("this is the name of a member", where + ".trust_member", {}));
    field.trust_member = member->as_string();
  }
  return field;
}

Status read_effects(const Json& json, std::vector<ToolEffect>& effects) {
  for (const Json& each : json.as_array()) {
    const auto effect = each.is_string() ? parse_effect(each.as_string()) : std::nullopt;
    if (!effect) {
      return fail(wrong_member("'" + (each.is_string() ? each.as_string() : each.dump()) +
                                   "' is nothing that a tool does",
                               "effects",
                               "there are reads, marks, writes, sends, pays, deletes, runs"));
    }
    if (std::ranges::find(effects, *effect) == effects.end()) effects.push_back(*effect);
  }
  std::ranges::sort(effects);
  return {};
}

Status read_row(const Json& json, ToolDeclaration& made) {
  if (const Json* tier = json.find("tier")) {
    for (const Tier each : kEveryTier) {
      if (tier->is_string() && to_lower(tier->as_string()) == tier_word(each)) made.tier = each;
    }
    if (!made.tier) {
      return fail(wrong_member("this is no tier", "tier",
                               "there are read_only, write_safe, write_destructive, admin"));
    }
  }
  if (const Json* agents = json.find("agents")) {
    made.agents.clear();
    for (const Json& each : agents->as_array()) made.agents.push_back(each.as_string());
    const bool texts = std::ranges::all_of(agents->as_array(), &Json::is_string);
    if (!agents->is_array() || !texts)
      return fail(wrong_member("the allow-list is a list of names", "agents", "[\"*\"] is all"));
  }
  if (const Json* seconds = json.find("timeout_seconds")) {
    const double given = seconds->as_number();
    if (!seconds->is_number() || !(given > 0 && given <= kLongestTimeout))
      return fail(wrong_member("this is a number from 0 to 86400", "timeout_seconds", {}));
    made.timeout_milliseconds = static_cast<std::int64_t>(std::ceil(given * 1000));
  }
  return {};
}

// An object member, or nothing.
Result<const Json*> object_member(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  if (found == nullptr || found->is_object()) return found;
  return fail(wrong_member("'" + std::string(name) + "' is an object", name, {}));
}

Status read_text(const Json& json, std::string_view name, std::string& text) {
  const Json* found = json.find(name);
  if (found == nullptr) return {};
  if (!found->is_string())
    return fail(wrong_member("'" + std::string(name) + "' is a text", name, {}));
  text = found->as_string();
  return {};
}

}  // namespace

Result<ToolDeclaration> ToolDeclaration::from_json(const Json& json) {
  if (!json.is_object()) {
    return fail(wrong_member("a tool is declared by an object", {},
                             "at least {\"name\": \"..\", \"effects\": [\"reads\"]}"));
  }
  ANIMA_TRY(only_members(json, kMembers, {}));
  ToolDeclaration made;
  ANIMA_TRY(read_text(json, "name", made.name));
  ANIMA_TRY(read_text(json, "description", made.description));
  if (const Json* effects = json.find("effects")) ANIMA_TRY(read_effects(*effects, made.effects));
  ANIMA_TRY(read_row(json, made));
  if (const Json* schema = json.find("arguments")) made.arguments = *schema;
  if (const Json* schema = json.find("results")) made.results = *schema;
  ANIMA_ASSIGN(const Json* roles, object_member(json, "roles"));
  if (roles != nullptr) {
    for (const auto& [path, role] : roles->as_object()) {
      ANIMA_ASSIGN(ArgumentUse use, read_use(path, role));
      made.uses.push_back(std::move(use));
    }
  }
  if (const Json* trust = json.find("trust")) {
    ANIMA_ASSIGN(made.trust, read_trust(*trust, "trust"));
  }
  if (const Json* readers = json.find("readers")) {
    ANIMA_ASSIGN(made.readers, read_readers(*readers, "readers"));
  }
  ANIMA_ASSIGN(const Json* fields, object_member(json, "fields"));
  if (fields != nullptr) {
    for (const auto& [path, label] : fields->as_object()) {
      ANIMA_ASSIGN(ResultField field, read_field(path, label));
      made.fields.push_back(std::move(field));
    }
  }
  ANIMA_TRY(made.check());
  return made;
}

Json ToolDeclaration::to_json() const {
  Json did = Json::array(), allowed = Json::array();
  for (const ToolEffect effect : effects) did.push_back(to_string(effect));
  for (const std::string& agent : agents) allowed.push_back(agent);
  Json json =
      Json::object({{"name", name}, {"description", description}, {"effects", std::move(did)}});
  if (tier) json.set("tier", tier_word(*tier));
  json.set("agents", std::move(allowed));
  json.set("timeout_seconds", static_cast<double>(timeout_milliseconds) / 1000);
  if (!arguments.is_null()) json.set("arguments", arguments);
  if (!results.is_null()) json.set("results", results);
  Json roles = Json::object();
  for (const ArgumentUse& use : uses) {
    Json role = to_string(use.role);
    if (use.most) role = Json::object({{"role", to_string(use.role)}, {"most", *use.most}});
    roles.set(use.path.text(), std::move(role));
  }
  json.set("roles", std::move(roles));
  json.set("trust", trust_name(trust));
  json.set("readers", json_of(readers));
  Json labels = Json::object();
  for (const ResultField& field : fields) {
    Json label = Json::object();
    if (field.trust) label.set("trust", trust_name(*field.trust));
    if (field.readers) label.set("readers", json_of(*field.readers));
    if (field.contact) label.set("contact", *field.contact);
    if (!field.trust_member.empty()) label.set("trust_member", field.trust_member);
    labels.set(field.path.text(), std::move(label));
  }
  json.set("fields", std::move(labels));
  return json;
}

}  // namespace anima::govern
