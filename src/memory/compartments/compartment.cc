#include "memory/compartments/compartment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/rooted_folder.h"
#include "base/json/json.h"
#include "base/json/toml.h"
#include "base/text/text.h"
#include "datalog/space_facts.h"
#include "memory/compartments/reasoner.h"
#include "memory/formats/triples_json.h"

namespace anima::memory {
namespace {

struct FaultName {
  CompartmentFault fault;
  std::string_view code;
  ErrorCode error;
  std::string_view help;
};
constexpr FaultName kFaults[] = {
    {CompartmentFault::kNotFound, "akh::compartment::not_found", ErrorCode::kNotFound,
     "run `anima compartment discover`, then `anima compartment list` shows what there is"},
    {CompartmentFault::kAlreadyLoaded, "akh::compartment::already_loaded",
     ErrorCode::kAlreadyExists, "unload it first"},
    {CompartmentFault::kInvalidManifest, "akh::compartment::invalid_manifest",
     ErrorCode::kInvalidArgument, "correct the file and load again: nothing was loaded"},
    {CompartmentFault::kIo, "akh::compartment::io", ErrorCode::kIo,
     "check that the file is there and may be read"},
    {CompartmentFault::kKindMismatch, "akh::compartment::kind_mismatch", ErrorCode::kDenied,
     "a Core compartment is unloaded only with --force"},
    {CompartmentFault::kNotLoaded, "akh::compartment::not_loaded", ErrorCode::kConflict,
     "load it first"},
    {CompartmentFault::kBadSignature, "akh::compartment::bad_signature", ErrorCode::kCorrupt,
     "get the pack again, or sign it with `anima compartment sign` if the change is yours"},
};

const FaultName& row_of(CompartmentFault fault) {
  for (const FaultName& row : kFaults) {
    if (row.fault == fault) return row;
  }
  return kFaults[0];
}

Unexpected<Error> invalid(std::string message, std::string where) {
  return fail(
      compartment_error(CompartmentFault::kInvalidManifest, std::move(message), std::move(where)));
}

class ManifestReader {
 public:
  ManifestReader(const TomlDocument& document, CompartmentManifest& out)
      : document_(document), out_(out) {}

  Status read() {
    static constexpr std::string_view kKeys[] = {
        "id",         "name",           "kind",        "description", "triples_file",
        "rules_file", "questions_file", "grammar_ref", "tags",        "synonyms"};
    for (const Error& error : unknown_toml_keys(document_, "", kKeys)) {
      out_.warnings.push_back(error.describe());
    }
    ANIMA_TRY(text("id", true, out_.id));
    if (!is_compartment_id(out_.id)) {
      return invalid(fmt::format("`id` is \"{}\"", out_.id), document_.where("id"));
    }
    ANIMA_TRY(text("name", true, out_.name));
    std::string kind;
    ANIMA_TRY(text("kind", true, kind));
    const auto known = compartment_kind(kind);
    if (!known) {
      return invalid(fmt::format("`kind` is \"{}\", not Core, Skill or Project", kind),
                     document_.where("kind"));
    }
    out_.kind = *known;
    ANIMA_TRY(text("description", false, out_.description));
    ANIMA_TRY(file("triples_file", out_.triples_file));
    ANIMA_TRY(file("rules_file", out_.rules_file));
    ANIMA_TRY(file("questions_file", out_.questions_file));
    ANIMA_TRY(text("grammar_ref", false, out_.grammar_ref));
    if (out_.grammar_ref.find('/') != std::string::npos || out_.grammar_ref.ends_with(".toml")) {
      ANIMA_TRY(file("grammar_ref", out_.grammar_ref));
    }
    ANIMA_TRY(synonyms());
    return tags();
  }

 private:
  Status text(std::string_view key, bool required, std::string& out) {
    const Json* found = document_.root.find(key);
    if (found == nullptr && !required) return {};
    if (found == nullptr) return invalid(fmt::format("`{}` is missing", key), document_.source);
    if (!found->is_string() || (required && trim(found->as_string()).empty())) {
      return invalid(fmt::format("`{}` must be a string that is not empty", key),
                     document_.where(key));
    }
    out = found->as_string();
    return {};
  }

  Status file(std::string_view key, std::string& out) {
    ANIMA_TRY(text(key, false, out));
    if (!out.empty() && !stays_inside(out)) {
      return invalid(fmt::format("`{}` leaves the compartment's folder: \"{}\"", key, out),
                     document_.where(key));
    }
    return {};
  }

  // Words, or tables of words by language.
  Status synonyms() {
    const Json* found = document_.root.find("synonyms");
    if (found == nullptr) return {};
    if (!found->is_object())
      return invalid("`synonyms` must be a table", document_.where("synonyms"));
    for (const JsonMember& one : found->as_object()) {
      bool strings = one.second.is_string() || one.second.is_object();
      for (const JsonMember& inner : one.second.as_object())
        strings = strings && inner.second.is_string();
      if (!strings)
        return invalid("`synonyms` must hold strings", document_.where("synonyms." + one.first));
    }
    out_.synonyms = found->dump();
    return {};
  }

  Status tags() {
    const Json* found = document_.root.find("tags");
    if (found == nullptr) return {};
    if (!found->is_array()) return invalid("`tags` must be a list", document_.where("tags"));
    for (const Json& item : found->as_array()) {
      if (!item.is_string()) return invalid("`tags` must hold strings", document_.where("tags"));
      out_.tags.push_back(item.as_string());
    }
    return {};
  }

  const TomlDocument& document_;
  CompartmentManifest& out_;
};

Result<std::string> read_inside(const CompartmentManifest& manifest, const std::string& name,
                                CompartmentContent& content) {
  Result<std::string> text = read_of_pack(manifest.directory, name, std::uint64_t{1} << 30);
  if (!text) {
    return fail(compartment_error(CompartmentFault::kIo, text.error().message,
                                  join_path(manifest.directory, name)));
  }
  content.hashes[name] = sha256(*text);
  return text;
}

// One side of a TOML rule, `[["?x", "is-a", "?y"], ..]`, as Datalog atoms.
Result<std::vector<std::string>> rule_atoms(const Json* side, const std::string& where) {
  if (side == nullptr || !side->is_array() || side->as_array().empty()) {
    return invalid("a rule needs `if` and `then`, each a list of [subject, predicate, object]",
                   where);
  }
  std::vector<std::string> atoms;
  const auto argument = [](const std::string& text) {
    if (!text.starts_with("?")) return quote_json(text);
    std::string name = "V";
    for (const char c : text.substr(1)) {
      const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      name += word ? std::string(1, c) : fmt::format("0{:02x}", static_cast<unsigned char>(c));
    }
    return name;
  };
  for (const Json& item : side->as_array()) {
    const bool triple =
        item.is_array() && item.as_array().size() == 3 &&
        std::all_of(item.as_array().begin(), item.as_array().end(),
                    [](const Json& part) { return part.is_string() && !part.as_string().empty(); });
    if (!triple) return invalid("a rule's atom is no [subject, predicate, object]", where);
    const JsonArray& parts = item.as_array();
    if (parts[1].as_string().starts_with("?")) {
      return invalid("a rule's predicate cannot be a variable", where);
    }
    atoms.push_back(fmt::format("{}({}, {})", datalog::predicate_name(parts[1].as_string()),
                                argument(parts[0].as_string()), argument(parts[2].as_string())));
  }
  return atoms;
}

}  // namespace

std::string_view to_string(CompartmentKind kind) {
  switch (kind) {
    case CompartmentKind::kCore:
      return "Core";
    case CompartmentKind::kSkill:
      return "Skill";
    case CompartmentKind::kProject:
      return "Project";
  }
  return "Skill";
}

std::string_view to_string(CompartmentState state) {
  switch (state) {
    case CompartmentState::kDormant:
      return "Dormant";
    case CompartmentState::kLoaded:
      return "Loaded";
    case CompartmentState::kActive:
      return "Active";
  }
  return "Dormant";
}

std::optional<CompartmentKind> compartment_kind(std::string_view text) {
  for (const auto kind :
       {CompartmentKind::kCore, CompartmentKind::kSkill, CompartmentKind::kProject}) {
    if (text == to_string(kind)) return kind;
  }
  return std::nullopt;
}

Error compartment_error(CompartmentFault fault, std::string message, std::string where) {
  const FaultName& row = row_of(fault);
  return Error{row.error, fmt::format("{}: {}", row.code, message), std::move(where),
               std::string(row.help)};
}

std::optional<CompartmentFault> fault_of(const Error& error) {
  for (const FaultName& row : kFaults) {
    if (error.message.starts_with(row.code)) return row.fault;
  }
  return std::nullopt;
}

bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find('\\') != path.npos) return false;
  for (const std::string_view part : split(path, '/')) {
    if (part == ".." || part.empty()) return false;
  }
  return true;
}

Result<std::string> read_of_pack(const std::string& directory, const std::string& name,
                                 std::uint64_t max_bytes) {
  ANIMA_ASSIGN(const RootedFolder folder, RootedFolder::open(directory));
  return folder.read_all(name, max_bytes);
}

bool is_compartment_id(std::string_view id) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (id.empty() || id.size() > 64 || !word(id.front())) return false;
  return std::all_of(id.begin(), id.end(), [&](char c) {
    return word(c) || c == '.' || c == '_' || c == ':' || c == '-';
  });
}

Result<CompartmentManifest> read_manifest(const std::string& directory) {
  const std::string path = join_path(directory, "compartment.toml");
  const Result<std::string> text =
      read_of_pack(directory, "compartment.toml", std::uint64_t{1} << 20);
  if (!text) return fail(compartment_error(CompartmentFault::kIo, text.error().message, path));
  const Result<TomlDocument> document = parse_toml(*text, path);
  if (!document) return invalid(document.error().message, document.error().where);
  CompartmentManifest manifest;
  manifest.directory = directory;
  manifest.hash = sha256(*text);
  ANIMA_TRY(ManifestReader(*document, manifest).read());
  return manifest;
}

Result<CompartmentContent> read_content(FileSystem& files, const CompartmentManifest& manifest) {
  CompartmentContent content;
  if (!manifest.triples_file.empty()) {
    ANIMA_ASSIGN(content.triples, read_inside(manifest, manifest.triples_file, content));
    const auto checked = read_triples_json(content.triples, manifest.triples_file,
                                           [](const TripleElement&) -> Status { return {}; });
    if (!checked) return invalid(checked.error().message, checked.error().where);
  }
  if (!manifest.rules_file.empty()) {
    ANIMA_ASSIGN(content.rules, read_inside(manifest, manifest.rules_file, content));
    if (extension(manifest.rules_file) == ".toml") {
      ANIMA_ASSIGN(content.rules, rules_from_toml(content.rules, manifest.rules_file));
    }
    const Status checked = check_rules(content.rules, manifest.rules_file);
    if (!checked) return invalid(checked.error().message, checked.error().where);
  }
  if (!manifest.questions_file.empty()) {
    ANIMA_ASSIGN(content.questions, read_inside(manifest, manifest.questions_file, content));
    const auto questions = parse_questions(content.questions, manifest.questions_file);
    if (!questions) return invalid(questions.error().message, questions.error().where);
  }
  const bool grammar_file = manifest.grammar_ref.find('/') != std::string::npos ||
                            manifest.grammar_ref.ends_with(".toml");
  content.grammar = manifest.grammar_ref;
  if (grammar_file) {
    ANIMA_ASSIGN(content.grammar, read_inside(manifest, manifest.grammar_ref, content));
  }
  const std::string psyche = join_path(manifest.directory, "psyche.toml");
  if (manifest.kind == CompartmentKind::kCore && file_exists(files, psyche)) {
    ANIMA_ASSIGN(content.psyche, read_inside(manifest, "psyche.toml", content));
  }
  return content;
}

Result<std::string> rules_from_toml(std::string_view toml, const std::string& source) {
  const Result<TomlDocument> document = parse_toml(toml, source);
  if (!document) return invalid(document.error().message, document.error().where);
  const Json* rules = document->root.find("rule");
  if (rules == nullptr || !rules->is_array()) return invalid("there is no [[rule]]", source);
  std::string text;
  for (std::size_t i = 0; i < rules->as_array().size(); ++i) {
    const Json& rule = rules->as_array()[i];
    const std::string where = document->where(fmt::format("rule[{}]", i));
    const Json* name = rule.find("name");
    if (name == nullptr || !name->is_string()) return invalid("a rule has no name", where);
    ANIMA_ASSIGN(const std::vector<std::string> body, rule_atoms(rule.find("if"), where));
    ANIMA_ASSIGN(const std::vector<std::string> heads, rule_atoms(rule.find("then"), where));
    const Json* confidence = rule.find("confidence");
    if (confidence != nullptr && !(confidence->is_number() && confidence->as_number() >= 0 &&
                                   confidence->as_number() <= 1)) {
      return invalid("a rule's confidence is a number from 0 to 1", where);
    }
    std::string title = name->as_string();
    std::replace(title.begin(), title.end(), '\n', ' ');
    text += fmt::format("# rule {}\n", title);
    for (const std::string& head : heads) {
      if (confidence != nullptr) text += fmt::format("# confidence: {}\n", confidence->dump());
      text += fmt::format("{} :- {}.\n", head, join(body, ", "));
    }
  }
  return text;
}

}  // namespace anima::memory
