// ToolDeclaration: what a tool is, as data: what it takes and gives, what it does, what each of its
// arguments is for, and how far each field of its result may be trusted and who may read it.
//
//   {"name": "mail:send", "description": "Sends a mail.", "effects": ["sends"],
//    "arguments": {"type": "object", "properties": {"to": {"type": "array"}, "body": {}}},
//    "roles": {"to": "recipient", "body": "carried"}}
//   {"name": "mail:list", "effects": ["reads", "marks"], "trust": "untrusted",
//    "fields": {"mails[].id": "verified", "mails[].from": "standard",
//               "mails[].body": {"trust": "untrusted", "readers": ["mails[].from"]}}}
//
// Whoever brings tools makes these: a manifest, a pack, a program (agent/house/own_tools.h), a
// client of MCP servers. What a declaration leaves out is taken for the worst: a result is
// untrusted, an argument is one that chooses something. A declaration is the owner's word: text
// that came from a server may fill in names and schemas, never trust, readers or what is carried.
// Thread-safety: plain values, pure functions. Source: issue "any model", 3 and 4;
// docs/governance_values.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/rules/field_path.h"
#include "govern/rules/permissions.h"

namespace anima::govern {

// What a call does to the world. Reading and marking as read is free; all else acts.
enum class ToolEffect : std::uint8_t {
  kReads,
  kMarks,  // what reading leaves behind, such as "read" on a mail
  kWrites,
  kSends,
  kPays,
  kDeletes,
  kRuns,  // a program
};
std::string_view to_string(ToolEffect effect);
std::optional<ToolEffect> parse_effect(std::string_view name);
bool acts(ToolEffect effect);

// What an argument is for. All but kCarried choose something.
enum class ArgumentRole : std::uint8_t {
  kPlain,
  kRecipient,  // a person, an account or a group that gets something
  kAddress,    // of a machine that is talked to: a URL, a host
  kHandle,     // of a thing of the tool: an id, a path, a name
  kAmount,     // money or another number that costs
  kDate,       // a date or time: free where it reads as one
  kCommand,    // a program or a line that is run
  kCarried,    // is passed on as it stands and chooses nothing
};
std::string_view to_string(ArgumentRole role);
std::optional<ArgumentRole> parse_role(std::string_view name);

struct ArgumentUse {
  FieldPath path;  // "to", "recipients[]", "items[].account"
  ArgumentRole role = ArgumentRole::kPlain;
  std::optional<double> most = {};  // of an amount: free up to it
};

// Who may see a value.
struct Readers {
  enum class Kind : std::uint8_t { kAnyone, kOwner, kNamed };
  Kind kind = Kind::kAnyone;
  // Of kNamed: the fields of the same result that name them, the owner beside them. "mails[].from"
  // for a value of one mail means that mail's.
  std::vector<FieldPath> fields = {};
  bool operator==(const Readers&) const = default;
};

// How the places that a path covers are labelled; what it leaves open, a farther path says.
struct ResultField {
  FieldPath path;
  std::optional<Trust> trust = {};
  std::optional<Readers> readers = {};
  // The service vouches for it: a person of the address book, a channel, an account paid before.
  std::optional<bool> contact = {};
  // A member of the objects at this path that names a level of trust: no more than that has what
  // lies beneath, whatever the fields say.
  std::string trust_member = {};
};

struct FieldLabel {
  Trust trust = Trust::kUntrusted;
  Readers readers = {};
  bool contact = false;
};

struct ToolDeclaration {
  std::string name;
  std::string description = {};
  std::vector<ToolEffect> effects = {};     // in the order of the enumeration, at least one
  std::optional<Tier> tier = {};            // else by the effects: tier_of()
  std::vector<std::string> agents = {"*"};  // the allow-list
  std::int64_t timeout_milliseconds = 30'000;
  Json arguments = {};  // JSON schema of an object; null: nobody says
  Json results = {};    // JSON schema; null: nobody says
  std::vector<ArgumentUse> uses = {};
  Trust trust = Trust::kUntrusted;  // of what no field says
  Readers readers = {};
  std::vector<ResultField> fields = {};

  // The members that stand above. Errors: kInvalidArgument and kSyntax, whose `where` is the member
  // ("roles.to"), with the names that there are; those of check().
  static Result<ToolDeclaration> from_json(const Json& json);
  Json to_json() const;
  // Names, schemas (llm/json_schema.h), and that roles are those of arguments that there are.
  Status check() const;

  bool has(ToolEffect effect) const;
  bool acts() const;  // does more than reading and marking
  // Reading and marking is READ_ONLY; writing, sending, and paying up to a limit WRITE_SAFE; the
  // rest WRITE_DESTRUCTIVE.
  Tier tier_of() const;
  // The row for the executor. Its output has the least trust of any field.
  ToolPolicy policy() const;
  // The closest use that covers the argument; kPlain when there is none.
  ArgumentUse use_of(std::span<const FieldStep> argument) const;
  FieldLabel label_of(std::span<const FieldStep> place) const;
  // That the arguments are the tool's. Errors: kInvalidArgument with what is wrong, all of it.
  Status check_arguments(const Json& arguments) const;
};

// For a tool of which nobody said more than its row: effects by its tier, roles by the names that
// arguments usually have and what the row calls carried, results as the row trusts them.
ToolDeclaration declared_by_row(std::string_view description, const ToolPolicy& row,
                                const std::vector<std::string>& arguments);
// The role that an argument of this name usually has; never kCarried.
ArgumentRole usual_role(std::string_view argument);

}  // namespace anima::govern
