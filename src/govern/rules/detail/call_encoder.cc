#include "govern/rules/detail/call_encoder.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "govern/detect/text_pieces.h"
#include "govern/rules/detail/call_record.h"

namespace anima::govern::detail {
namespace {

using datalog::Code;
using datalog::PredicateId;

std::string_view tier_constant(Tier tier) {
  switch (tier) {
    case Tier::kReadOnly:
      return "/read_only";
    case Tier::kWriteSafe:
      return "/write_safe";
    case Tier::kWriteDestructive:
      return "/write_destructive";
    case Tier::kAdmin:
      return "/admin";
  }
  return "/admin";
}

// A path without the steps that change nothing of where it leads.
std::string plain_path(std::string_view path, std::string_view work_folder) {
  while (work_folder.size() > 1 && work_folder.ends_with('/')) work_folder.remove_suffix(1);
  bool absolute = path.starts_with('/');
  const std::string_view behind = path.substr(std::min(path.size(), work_folder.size()));
  if (absolute && !work_folder.empty() && path.starts_with(work_folder) &&
      (behind.empty() || behind[0] == '/')) {
    path = behind;
    absolute = false;
  }
  std::vector<std::string> steps;
  for (const std::string_view step : split(path, '/')) {
    if (step.empty() || step == ".") continue;
    if (step == ".." && !steps.empty() && steps.back() != "..") {
      steps.pop_back();
    } else {
      steps.emplace_back(step);
    }
  }
  return (absolute ? "/" : steps.empty() ? "." : "") + join(steps, "/");
}

bool names_argument(const CallRequest& request, std::string_view name) {
  return std::ranges::any_of(request.origins,
                             [&](const ArgumentOrigin& o) { return o.argument == name; });
}

}  // namespace

std::vector<datalog::BasePredicate> CallPredicates::declared() {
  return {{"call", 4},           {"argument", 3},  {"made_from", 4}, {"carried", 2},
          {"tier", 2},           {"finished", 2},  {"door", 2},      {"governs", 1},
          {"valued", 1},         {"message", 2},   {"floor", 2},     {"has_plan", 1},
          {"planned", 3},        {"ran", 3},       {"effect", 2},    {"role", 3},
          {"said", 2},           {"contact", 2},   {"within", 3},    {"value_from", 6},
          {"argument_value", 4}, {"leaves", 4},    {"meant", 4},     {"off_plan", 3},
          {"change", 3},         {"change_in", 4}, {"change_at", 3}, {"overrun", 2}};
}

CallPredicates CallPredicates::of(const datalog::Program& program) {
  return {program.find("call"),    program.find("argument"),   program.find("made_from"),
          program.find("carried"), program.find("tier"),       program.find("finished"),
          program.find("door"),    program.find("governs"),    program.find("valued"),
          program.find("message"), program.find("floor"),      program.find("has_plan"),
          program.find("planned"), program.find("ran"),        program.find("effect"),
          program.find("role"),    program.find("said"),       program.find("contact"),
          program.find("within"),  program.find("value_from"), program.find("argument_value"),
          program.find("leaves"),  program.find("meant"),      program.find("off_plan"),
          program.find("change"),  program.find("change_in"),  program.find("change_at"),
          program.find("overrun")};
}

std::vector<PredicateId> CallPredicates::all() const {
  return {call,    argument, made_from, carried, tier,      finished,   door,
          governs, valued,   message,   floor,   has_plan,  planned,    ran,
          effect,  role,     said,      contact, within,    value_from, argument_value,
          leaves,  meant,    off_plan,  change,  change_in, change_at,  overrun};
}

CallEncoder::CallEncoder(const CallPredicates& predicates, const PolicyScope& scope,
                         std::size_t count, std::shared_ptr<datalog::ValueTable> values,
                         std::string work_folder)
    : predicates_(predicates),
      scope_(scope),
      values_(std::move(values)),
      work_folder_(std::move(work_folder)),
      facts_(count) {
  for (std::size_t i = 0; i < trust_codes_.size(); ++i)
    trust_codes_[i] = values_->name("/" + std::string(trust_name(static_cast<Trust>(i))));
  for (std::size_t i = 0; i < tier_codes_.size(); ++i)
    tier_codes_[i] = values_->name(tier_constant(static_cast<Tier>(i)));
  no_text_ = values_->string("");
}

void CallEncoder::put(PredicateId predicate, std::initializer_list<Code> row) {
  if (predicate != datalog::kNone) facts_.put(predicate, {row.begin(), row.size()});
}

void CallEncoder::put_once(PredicateId predicate, std::initializer_list<Code> row) {
  if (predicate != datalog::kNone) facts_.put_new(predicate, {row.begin(), row.size()});
}

// A row whose third column is a text: only a text that some rule may read is kept.
void CallEncoder::put_text(PredicateId predicate, std::initializer_list<Code> row,
                           std::string_view text) {
  if (predicate == datalog::kNone) return;
  std::array<Code, 4> codes{};
  std::ranges::copy(row, codes.begin());
  if (scope_.keeps_text(predicate, {codes.data(), row.size()}))
    codes[kTextColumn] = values_->string(text);
  facts_.put(predicate, {codes.data(), row.size()});
}

// Every argument is there, be it long or an object: a rule that asks whether there is one must
// not be escaped by its form. Nor must one that looks for something in it by what stands before.
Code CallEncoder::text(std::string_view whole, std::string_view name, bool carried_only) {
  const std::size_t most = carried_only ? kLongestCarried : kLongestChoice;
  if (!carried_only && whole.size() > most) unseen_ = name;
  return values_->string(beginning_of(whole, most));
}

Code CallEncoder::scalar(const Json& value, std::string_view name, bool carried_only) {
  if (value.is_string()) return text(value.as_string(), name, carried_only);
  if (value.is_object()) return text(value.dump(), name, carried_only);
  if (value.is_bool()) return values_->boolean(value.as_bool());
  if (value.is_integer()) return values_->integer(value.as_integer());
  return values_->real(value.as_number());
}

void CallEncoder::put_argument(Code id, std::string_view name, const Json& value,
                               bool carried_only) {
  if (value.is_array()) {
    for (const Json& each : value.as_array()) put_argument(id, name, each, carried_only);
    return;
  }
  if (predicates_.argument == datalog::kNone || value.is_null()) return;
  std::array<Code, 3> row = {id, values_->string(name), no_text_};
  if (scope_.keeps_text(predicates_.argument, row))
    row[kTextColumn] = scalar(value, name, carried_only);
  facts_.put(predicates_.argument, row);
}

// Each recipient of a text that holds several, so that a rule about one is met by all of them.
void CallEncoder::put_recipients(Code id, std::string_view name, const Json& value) {
  if (value.is_array()) {
    for (const Json& each : value.as_array()) put_recipients(id, name, each);
  }
  if (predicates_.argument == datalog::kNone || !value.is_string()) return;
  const std::string& whole = value.as_string();
  if (whole.size() > kLongestChoice) return;  // it is not seen, and said to be
  for (const std::string_view each : recipients_in(whole)) {
    if (each != whole) put_argument(id, name, Json(std::string(each)), false);
  }
}

// Every step of the way as (folder, what is next in it). Of what git keeps only the first name: the
// hashes of objects say nothing; but what points to objects elsewhere has a name of its own.
void CallEncoder::put_path(Code id, Code kind, std::string_view path) {
  std::string folder;
  const std::vector<std::string_view> steps = split(path, '/');
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::string name = to_lower(steps[i]);
    const bool in_git = folder == ".git";
    const std::string_view rest =
        path.substr(static_cast<std::size_t>(steps[i].data() - path.data()));
    if (in_git && to_lower(rest) == "objects/info/alternates") name = "info/alternates";
    put_once(predicates_.change_in, {id, kind, values_->string(folder), values_->string(name)});
    if (in_git) return;
    if (i + 1 == steps.size()) put_once(predicates_.change_at, {id, kind, values_->string(name)});
    folder = std::move(name);
  }
}

void CallEncoder::put_changes(Code id, const CallChanges& changes) {
  const std::size_t most = std::min(changes.all.size(), kMostChangesJudged);
  for (std::size_t i = 0; i < most; ++i) {
    const CallChange& change = changes.all[i];
    const Code kind = values_->name("/" + change.kind);
    put_text(predicates_.change, {id, kind, no_text_}, change.path);
    if (change.leads_out)
      put_text(predicates_.change, {id, values_->name("/link_out"), no_text_}, change.path);
    put_path(id, kind, change.path);
  }
  for (const std::string& each : changes.overruns)
    put(predicates_.overrun, {id, values_->string(each)});
}

void CallEncoder::put_value(Code id, const ArgumentValue& value) {
  const Code argument = values_->string(value.argument), item = values_->integer(value.item);
  const Code field = values_->string(value.field);
  if (predicates_.value_from != datalog::kNone) {
    put(predicates_.value_from,
        {id, argument, item, values_->string(value.source), field, trust_code(value.trust)});
  }
  put(predicates_.argument_value, {id, argument, item, values_->string(value.value)});
  put(predicates_.role, {id, argument, values_->name("/" + value.role)});
  if (value.within) put(predicates_.within, {id, argument, item});
  if (value.off_plan) put(predicates_.off_plan, {id, argument, item});
  if (value.meant != Meant::kNo) {
    put(predicates_.meant,
        {id, argument, item, values_->name("/" + std::string(to_string(value.meant)))});
  }
  if (!value.said.empty()) put(predicates_.said, {id, values_->string(value.said)});
  if (value.contact) put(predicates_.contact, {id, values_->string(value.value)});
  for (const std::string& recipient : value.leaves_to)
    put(predicates_.leaves, {id, argument, field, values_->string(recipient)});
}

void CallEncoder::put_values(Code id, const CallValues& values, std::string_view tool) {
  put(predicates_.valued, {id});
  put(predicates_.message, {id, values_->string(values.message)});
  put(predicates_.floor, {id, trust_code(values.floor)});
  if (values.has_plan) put(predicates_.has_plan, {id});
  for (const PlannedTool& each : values.planned)
    put(predicates_.planned, {id, values_->string(each.tool), values_->integer(each.most)});
  put(predicates_.ran, {id, values_->string(tool), values_->integer(values.ran)});
  for (const std::string& effect : values.effects)
    put(predicates_.effect, {id, values_->name("/" + effect)});
  for (const ArgumentValue& value : values.arguments) put_value(id, value);
}

void CallEncoder::encode(const CallRequest& request, const ToolPolicy& tool, Code id) {
  facts_.clear();
  unseen_.clear();
  put_text(predicates_.call,
           {id, values_->string(request.tool), no_text_, trust_code(request.trust)}, request.agent);
  put(predicates_.tier, {id, tier_codes_[static_cast<std::size_t>(tool.tier)]});
  if (!tool.door.empty()) put(predicates_.door, {id, values_->name("/" + tool.door)});
  if (tool.governs) put(predicates_.governs, {id});
  if (request.arguments.is_object()) {
    for (const auto& [name, value] : request.arguments.as_object()) {
      const Code named = values_->string(name);
      put_argument(id, name, value, is_carried(tool, name));
      // "./a" is the file of a rule that says "a".
      if (name == "path" && value.is_string()) {
        const std::string plain = plain_path(value.as_string(), work_folder_);
        if (plain != value.as_string()) put_argument(id, name, Json(plain), false);
      }
      if (name == "to") put_recipients(id, name, value);
      if (is_carried(tool, name)) put(predicates_.carried, {id, named});
      // Whatever nobody accounts for was made by the caller.
      if (!names_argument(request, name))
        put_text(predicates_.made_from, {id, named, no_text_, trust_code(request.trust)}, "caller");
    }
  }
  for (const ArgumentOrigin& origin : request.origins) {
    put_text(predicates_.made_from,
             {id, values_->string(origin.argument), no_text_, trust_code(origin.trust)},
             origin.source);
  }
  if (request.changes != nullptr) put_changes(id, *request.changes);
  if (request.values != nullptr) put_values(id, *request.values, request.tool);
}

}  // namespace anima::govern::detail
