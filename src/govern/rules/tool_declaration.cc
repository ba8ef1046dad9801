#include "govern/rules/tool_declaration.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"
#include "llm/json_schema.h"

namespace anima::govern {
namespace {

constexpr std::array<std::pair<ToolEffect, std::string_view>, 7> kEffectNames = {{
    {ToolEffect::kReads, "reads"},
    {ToolEffect::kMarks, "marks"},
    {ToolEffect::kWrites, "writes"},
    {ToolEffect::kSends, "sends"},
    {ToolEffect::kPays, "pays"},
    {ToolEffect::kDeletes, "deletes"},
    {ToolEffect::kRuns, "runs"},
}};

constexpr std::array<std::pair<ArgumentRole, std::string_view>, 8> kRoleNames = {{
    {ArgumentRole::kPlain, "plain"},
    {ArgumentRole::kRecipient, "recipient"},
    {ArgumentRole::kAddress, "address"},
    {ArgumentRole::kHandle, "handle"},
    {ArgumentRole::kAmount, "amount"},
    {ArgumentRole::kDate, "date"},
    {ArgumentRole::kCommand, "command"},
    {ArgumentRole::kCarried, "carried"},
}};

// What arguments of many services are called.
constexpr std::array<std::pair<std::string_view, ArgumentRole>, 44> kUsualRoles = {{
    {"to", ArgumentRole::kRecipient},
    {"cc", ArgumentRole::kRecipient},
    {"bcc", ArgumentRole::kRecipient},
    {"recipient", ArgumentRole::kRecipient},
    {"recipients", ArgumentRole::kRecipient},
    {"attendee", ArgumentRole::kRecipient},
    {"attendees", ArgumentRole::kRecipient},
    {"participants", ArgumentRole::kRecipient},
    {"email", ArgumentRole::kRecipient},
    {"user", ArgumentRole::kRecipient},
    {"users", ArgumentRole::kRecipient},
    {"channel", ArgumentRole::kRecipient},
    {"payee", ArgumentRole::kRecipient},
    {"iban", ArgumentRole::kRecipient},
    {"account", ArgumentRole::kRecipient},
    {"phone", ArgumentRole::kRecipient},
    {"ballot", ArgumentRole::kHandle},
    {"url", ArgumentRole::kAddress},
    {"uri", ArgumentRole::kAddress},
    {"host", ArgumentRole::kAddress},
    {"endpoint", ArgumentRole::kAddress},
    {"webhook", ArgumentRole::kAddress},
    {"domain", ArgumentRole::kAddress},
    {"id", ArgumentRole::kHandle},
    {"uid", ArgumentRole::kHandle},
    {"path", ArgumentRole::kHandle},
    {"name", ArgumentRole::kHandle},
    {"file", ArgumentRole::kHandle},
    {"filename", ArgumentRole::kHandle},
    {"folder", ArgumentRole::kHandle},
    {"directory", ArgumentRole::kHandle},
    {"amount", ArgumentRole::kAmount},
    {"price", ArgumentRole::kAmount},
    {"total", ArgumentRole::kAmount},
    {"date", ArgumentRole::kDate},
    {"start", ArgumentRole::kDate},
    {"end", ArgumentRole::kDate},
    {"from_date", ArgumentRole::kDate},
    {"to_date", ArgumentRole::kDate},
    {"command", ArgumentRole::kCommand},
    {"program", ArgumentRole::kCommand},
    {"script", ArgumentRole::kCommand},
    {"query", ArgumentRole::kPlain},
    {"code", ArgumentRole::kCommand},
}};

// Bytes of one of ours, and of what a person reads of it.
constexpr std::size_t kLongestToolName = 64;
constexpr std::size_t kLongestDescription = 16 * 1024;

bool names_a_tool(std::string_view name) {
  return !name.empty() && name.size() <= kLongestToolName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == ':' || c == '-' || c == '/';
  });
}

// That the schema of the arguments has a member of the path's first step.
Status check_use(const Json& schema, const ArgumentUse& use) {
  const std::string where = "roles." + use.path.text();
  if (use.path.steps().empty() || use.path.steps()[0].kind == FieldStep::Kind::kItem) {
    return fail(ErrorCode::kInvalidArgument, "a role is that of an argument, by its name", where,
                "for example {\"to\": \"recipient\"}");
  }
  if (use.most && use.role != ArgumentRole::kAmount)
    return fail(ErrorCode::kInvalidArgument, "only an amount has a limit", where);
  const Json* properties = schema.find("properties");
  if (properties == nullptr || use.path.steps()[0].kind != FieldStep::Kind::kMember) return {};
  const std::string& first = use.path.steps()[0].name;
  if (properties->find(first) != nullptr) return {};
  std::vector<std::string> names;
  for (const auto& [name, property] : properties->as_object()) names.push_back(name);
  const std::string near = did_you_mean(nearest_names(first, names));
  return fail(ErrorCode::kInvalidArgument, "there is no argument '" + first + "'", where,
              near.empty() ? "there are: " + join(names, ", ") : near);
}

Status check_one_schema(const Json& schema, std::string_view member) {
  if (schema.is_null()) return {};
  if (!schema.is_object())
    return fail(ErrorCode::kInvalidArgument, "a schema is an object", std::string(member));
  if (const Status good = llm::check_schema(schema); !good) {
    return fail(ErrorCode::kInvalidArgument, good.error().message,
                std::string(member) + good.error().where, good.error().hint);
  }
  return {};
}

}  // namespace

std::string_view to_string(ToolEffect effect) {
  return kEffectNames[static_cast<std::size_t>(effect)].second;
}

std::optional<ToolEffect> parse_effect(std::string_view name) {
  for (const auto& [effect, known] : kEffectNames) {
    if (known == name) return effect;
  }
  return std::nullopt;
}

bool acts(ToolEffect effect) {
  return effect != ToolEffect::kReads && effect != ToolEffect::kMarks;
}

std::string_view to_string(ArgumentRole role) {
  return kRoleNames[static_cast<std::size_t>(role)].second;
}

std::optional<ArgumentRole> parse_role(std::string_view name) {
  for (const auto& [role, known] : kRoleNames) {
    if (known == name) return role;
  }
  return std::nullopt;
}

ArgumentRole usual_role(std::string_view argument) {
  const std::string name = to_lower(argument);
  for (const auto& [known, role] : kUsualRoles) {
    if (known == name) return role;
  }
  if (name.ends_with("_id") || name.ends_with("_ids") || name.ends_with("_path") ||
      name.ends_with("_name") || name.ends_with("_file"))
    return ArgumentRole::kHandle;
  if (name.ends_with("_url") || name.ends_with("_uri")) return ArgumentRole::kAddress;
  if (name.ends_with("_email")) return ArgumentRole::kRecipient;
  return ArgumentRole::kPlain;
}

Status ToolDeclaration::check() const {
  if (!names_a_tool(name)) {
    return fail(ErrorCode::kInvalidArgument, "'" + name + "' is no name of a tool", "name",
                "up to 64 letters, digits and _ . : - /, for example mail:send");
  }
  if (description.size() > kLongestDescription)
    return fail(ErrorCode::kLimitExceeded, "a description has at most 16 KiB", "description");
  if (effects.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a tool says what it does", "effects",
                "for one that only reads: [\"reads\"]; there are reads, marks, writes, sends, "
                "pays, deletes, runs");
  }
  if (timeout_milliseconds < 1)
    return fail(ErrorCode::kInvalidArgument, "the time limit is above 0", "timeout_seconds");
  ANIMA_TRY(check_one_schema(arguments, "arguments"));
  ANIMA_TRY(check_one_schema(results, "results"));
  for (const ArgumentUse& use : uses) ANIMA_TRY(check_use(arguments, use));
  return {};
}

bool ToolDeclaration::has(ToolEffect effect) const {
  return std::ranges::find(effects, effect) != effects.end();
}

bool ToolDeclaration::acts() const {
  return std::ranges::any_of(effects, [](ToolEffect effect) { return govern::acts(effect); });
}

Tier ToolDeclaration::tier_of() const {
  if (tier) return *tier;
  if (!acts()) return Tier::kReadOnly;
  const bool limited = std::ranges::any_of(uses, [](const ArgumentUse& use) {
    return use.role == ArgumentRole::kAmount && use.most.has_value();
  });
  const bool destroys =
      has(ToolEffect::kDeletes) || has(ToolEffect::kRuns) || (has(ToolEffect::kPays) && !limited);
  return destroys ? Tier::kWriteDestructive : Tier::kWriteSafe;
}

ToolPolicy ToolDeclaration::policy() const {
  ToolPolicy row{.tool = name,
                 .tier = tier_of(),
                 .agents = agents,
                 .timeout_milliseconds = timeout_milliseconds,
                 .output_trust = trust};
  for (const ArgumentUse& use : uses) {
    const bool whole = use.path.steps().size() == 1;
    if (whole && use.role == ArgumentRole::kCarried)
      row.carried.push_back(use.path.steps()[0].name);
  }
  for (const ResultField& field : fields)
    row.output_trust = lowest(row.output_trust, field.trust.value_or(row.output_trust));
  return row;
}

ArgumentUse ToolDeclaration::use_of(std::span<const FieldStep> argument) const {
  const ArgumentUse* closest = nullptr;
  for (const ArgumentUse& use : uses) {
    if (!use.path.covers(argument)) continue;
    if (closest == nullptr || use.path.closer_than(closest->path)) closest = &use;
  }
  return closest == nullptr ? ArgumentUse() : *closest;
}

FieldLabel ToolDeclaration::label_of(std::span<const FieldStep> place) const {
  const ResultField *trusts = nullptr, *reads = nullptr, *vouches = nullptr;
  const auto closer = [](const ResultField& field, const ResultField* known) {
    return known == nullptr || field.path.closer_than(known->path);
  };
  for (const ResultField& field : fields) {
    if (!field.path.covers(place)) continue;
    if (field.trust && closer(field, trusts)) trusts = &field;
    if (field.readers && closer(field, reads)) reads = &field;
    if (field.contact && closer(field, vouches)) vouches = &field;
  }
  return {trusts == nullptr ? trust : *trusts->trust, reads == nullptr ? readers : *reads->readers,
          vouches != nullptr && *vouches->contact};
}

Status ToolDeclaration::check_arguments(const Json& given) const {
  if (!given.is_object())
    return fail(ErrorCode::kInvalidArgument, "the arguments of a call are an object");
  if (arguments.is_null()) return {};
  const std::vector<llm::SchemaViolation> wrong = llm::validate(arguments, given);
  if (wrong.empty()) return {};
  return fail(ErrorCode::kInvalidArgument,
              "the arguments are not those of '" + name + "': " + llm::describe(wrong));
}

ToolDeclaration declared_by_row(std::string_view description, const ToolPolicy& row,
                                const std::vector<std::string>& arguments) {
  ToolDeclaration made;
  made.name = row.tool;
  made.description = description;
  made.tier = row.tier;
  made.agents = row.agents;
  made.timeout_milliseconds = row.timeout_milliseconds;
  made.trust = row.output_trust;
  switch (row.tier) {
    case Tier::kReadOnly:
      made.effects = {ToolEffect::kReads};
      break;
    case Tier::kWriteSafe:
      made.effects = {ToolEffect::kWrites, ToolEffect::kSends};
      break;
    case Tier::kWriteDestructive:
    case Tier::kAdmin:
      made.effects = {ToolEffect::kWrites, ToolEffect::kSends, ToolEffect::kDeletes};
      break;
  }
  for (const std::string& argument : arguments) {
    ArgumentRole role = usual_role(argument);
    if (is_carried(row, argument)) role = ArgumentRole::kCarried;
    // Its name as it stands, whatever marks it holds.
    std::string path;
    for (const char c : argument) {
      if (std::string_view(".[]{}*\\").find(c) != std::string_view::npos) path.push_back('\\');
      path.push_back(c);
    }
    if (auto parsed = FieldPath::parse(path); parsed && !parsed->steps().empty())
      made.uses.push_back({*std::move(parsed), role, std::nullopt});
  }
  return made;
}

}  // namespace anima::govern
