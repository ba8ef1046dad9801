#include "memory/compartments/compartments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text/text.h"
#include "memory/compartments/knowledge_digest.h"
#include "memory/compartments/pack_signature.h"
#include "memory/compartments/reasoner.h"
#include "memory/formats/triples_json.h"
#include "memory/names.h"
#include "memory/provenance.h"
#include "store/act.h"
#include "store/own_graphs.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using store::EntityId;

constexpr std::string_view kType = "Compartment";

// The attributes of a compartment's concept: what a process needs to work with it without its
// folder.
struct Field {
  std::string_view key;
  std::string CompartmentManifest::*manifest;
  std::string CompartmentContent::*content;
};
constexpr Field kFields[] = {
    {"title", &CompartmentManifest::name, nullptr},
    {"description", &CompartmentManifest::description, nullptr},
    {"directory", &CompartmentManifest::directory, nullptr},
    {"triples_file", &CompartmentManifest::triples_file, nullptr},
    {"rules_file", &CompartmentManifest::rules_file, nullptr},
    {"questions_file", &CompartmentManifest::questions_file, nullptr},
    {"grammar_ref", &CompartmentManifest::grammar_ref, nullptr},
    {"synonyms", &CompartmentManifest::synonyms, nullptr},
    {"signed_by", &CompartmentManifest::signed_by, nullptr},
    {"rules", nullptr, &CompartmentContent::rules},
    {"questions", nullptr, &CompartmentContent::questions},
    {"psyche", nullptr, &CompartmentContent::psyche},
    {"grammar", nullptr, &CompartmentContent::grammar},
};

Status set_text(store::Transaction& transaction, EntityId entity, std::string_view key,
                std::string_view text, const store::AssertOptions& options) {
  if (text.empty()) return {};
  const store::Value value = store::Value::string(text);
  ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
  return transaction.set_attribute(entity, key, std::span(&term, 1), options);
}

Status set_count(store::Transaction& transaction, EntityId entity, std::string_view key,
                 std::uint64_t count, const store::AssertOptions& options) {
  const store::Value value = store::Value::of(static_cast<std::int64_t>(count));
  ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
  return transaction.set_attribute(entity, key, std::span(&term, 1), options);
}

// How far the entry is trusted that stated this attribute.
store::Trust trust_of(const store::Snapshot& view, EntityId entity, std::string_view key) {
  const auto term = view.attribute(entity, key);
  const auto name = view.find_string(key);
  if (!term || !name) return store::Trust::kUntrusted;
  const auto assertions = view.assertions({entity, store::Predicate::attribute(*name), *term});
  return assertions.empty() ? store::Trust::kUntrusted : view.entry(assertions.front().born).trust;
}

std::string read_text(const store::Snapshot& view, EntityId entity, std::string_view key) {
  const auto term = view.attribute(entity, key);
  return term ? std::string(view.value(*term).text) : std::string();
}

store::AssertOptions control_options(store::Transaction& transaction) {
  store::AssertOptions options;
  options.graph = transaction.graph(kCompartmentsGraph);
  return options;
}

Result<EntityId> control_concept(store::Transaction& transaction, const std::string& id,
                                 const store::AssertOptions& options) {
  ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kType, options));
  return transaction.upsert_concept(type, id, options);
}

// With the last compartment goes the word for them.
Status drop_type(store::Transaction& transaction, store::GraphId graph) {
  const std::array<store::GraphId, 1> only{graph};
  const store::Snapshot books = transaction.view().in_graphs(only);
  const auto type = books.find_type(kType);
  store::Scratch scratch;
  if (!type || !books.subjects(store::kTypePredicate, store::Term::entity(*type), scratch).empty())
    return {};
  return transaction.retract_concept(*type, graph, false);
}

// Writes the triples of one compartment, each with its provenance record. The number written.
Result<std::uint64_t> write_triples(store::Transaction& transaction,
                                    const CompartmentManifest& manifest,
                                    const std::string& triples) {
  store::AssertOptions options;
  options.graph = transaction.graph(compartment_graph(manifest.id));
  store::SymbolWriter symbols(transaction, options);
  ProvenanceBatch provenance(transaction);
  ANIMA_ASSIGN(const std::uint64_t count,
               read_triples_json(
                   triples, manifest.triples_file, [&](const TripleElement& element) -> Status {
                     store::Triple triple;
                     ANIMA_ASSIGN(triple.subject, symbols.entity(element.subject));
                     ANIMA_ASSIGN(const EntityId predicate, symbols.relation(element.predicate));
                     ANIMA_ASSIGN(const EntityId object, symbols.entity(element.object));
                     triple.predicate = store::Predicate::link(predicate);
                     triple.object = store::Term::entity(object);
                     ProvenanceRecord record;
                     record.derived = triple.subject;
                     record.sources = {predicate, object};
                     record.kind = ProvenanceKind::kCompartmentLoaded;
                     record.text = manifest.id;
                     record.text2 = manifest.triples_file;
                     record.confidence = element.confidence;
                     options.confidence = element.confidence;
                     options.provenance = provenance.add(std::move(record));
                     return transaction.assert_link(triple, options).map([](EntityId) {});
                   }));
  ANIMA_TRY(provenance.write());
  return count;
}

Status write_control(store::Transaction& transaction, const Compartment& compartment,
                     const CompartmentContent& content, std::uint64_t count) {
  const store::AssertOptions options = control_options(transaction);
  const CompartmentManifest& manifest = compartment.manifest;
  ANIMA_ASSIGN(const EntityId entity, control_concept(transaction, manifest.id, options));
  for (const Field& field : kFields) {
    const std::string& text =
        field.manifest != nullptr ? manifest.*field.manifest : content.*field.content;
    ANIMA_TRY(set_text(transaction, entity, field.key, text, options));
  }
  ANIMA_TRY(set_text(transaction, entity, "kind", to_string(manifest.kind), options));
  ANIMA_TRY(set_text(transaction, entity, "tags", join(manifest.tags, "\n"), options));
  ANIMA_TRY(set_count(transaction, entity, "triple_count", count, options));
  return set_text(transaction, entity, "state", to_string(CompartmentState::kLoaded), options);
}

// What the space holds of a loaded compartment.
Compartment read_control(const store::Snapshot& view, EntityId entity) {
  Compartment compartment;
  compartment.manifest.id = std::string(view.name(entity));
  for (const Field& field : kFields) {
    std::string& text = field.manifest != nullptr ? compartment.manifest.*field.manifest
                                                  : compartment.content.*field.content;
    text = read_text(view, entity, field.key);
  }
  compartment.manifest.kind =
      compartment_kind(read_text(view, entity, "kind")).value_or(CompartmentKind::kSkill);
  compartment.rules_trust = trust_of(view, entity, "rules");
  compartment.words_trust = trust_of(view, entity, "synonyms");
  const std::string tags = read_text(view, entity, "tags");
  if (!tags.empty()) {
    for (const std::string_view tag : split(tags, '\n'))
      compartment.manifest.tags.emplace_back(tag);
  }
  if (const auto count = view.attribute(entity, "triple_count")) {
    compartment.triple_count = static_cast<std::uint64_t>(view.value(*count).integer);
  }
  compartment.state = read_text(view, entity, "state") == to_string(CompartmentState::kActive)
                          ? CompartmentState::kActive
                          : CompartmentState::kLoaded;
  return compartment;
}

// The loaded compartments of a space, by their control concepts. What another graph says of these
// is no word of the manager's: rules are taken from nobody else.
std::vector<Compartment> read_loaded(const store::Snapshot& all) {
  const store::Snapshot view = store::in_graph(all, kCompartmentsGraph);
  std::vector<Compartment> loaded;
  const auto type = view.find_type(kType);
  if (!type) return loaded;
  store::Pattern pattern;
  pattern.predicate = store::kTypePredicate;
  pattern.object = store::Term::entity(*type);
  pattern.predicate_class = store::PredicateClass::kStructural;
  store::Cursor cursor = view.scan(pattern);
  store::Triple batch[64];
  for (std::size_t count = cursor.next(batch); count != 0; count = cursor.next(batch)) {
    for (std::size_t i = 0; i < count; ++i) loaded.push_back(read_control(view, batch[i].subject));
  }
  return loaded;
}

// A link to nothing is listed, and no file is there.
bool lists(FileSystem& files, const std::string& directory, std::string_view name) {
  const auto entries = files.list(directory);
  return entries && std::ranges::find(*entries, name, &DirectoryEntry::name) != entries->end();
}

}  // namespace

CompartmentManager::CompartmentManager(store::Space& space, FileSystem& files, std::string base)
    : space_(space), files_(files), base_(std::move(base)) {}

Result<std::size_t> CompartmentManager::discover() {
  discovery_errors_.clear();
  const Result<std::vector<DirectoryEntry>> entries = files_.list(base_);
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return std::size_t{0};
    return fail(compartment_error(CompartmentFault::kIo, entries.error().message, base_));
  }
  std::size_t found = 0;
  std::map<std::string, std::string> seen;  // id -> directory, of this walk
  for (const DirectoryEntry& entry : *entries) {
    const std::string directory = join_path(base_, entry.name);
    if (!lists(files_, directory, "compartment.toml")) continue;
    Result<CompartmentManifest> manifest = read_manifest(directory);
    if (!manifest) {
      discovery_errors_.push_back(manifest.error());
      continue;
    }
    const auto [first, fresh] = seen.emplace(manifest->id, directory);
    if (!fresh) {
      discovery_errors_.push_back(compartment_error(
          CompartmentFault::kInvalidManifest,
          fmt::format("the id \"{}\" is taken by {}", manifest->id, first->second), directory));
      continue;
    }
    const std::string id = manifest->id;
    if (compartments_.count(id) != 0) continue;
    compartments_[id].manifest = std::move(*manifest);
    ++found;
  }
  return found;
}

Result<std::string> CompartmentManager::add(const std::string& directory) {
  ANIMA_ASSIGN(CompartmentManifest manifest, read_manifest(directory));
  const std::string id = manifest.id;
  const auto known = compartments_.find(id);
  if (known == compartments_.end() || known->second.state == CompartmentState::kDormant) {
    compartments_[id].manifest = std::move(manifest);
  }
  return id;
}

Result<std::string> CompartmentManager::create(const std::string& id, CompartmentKind kind) {
  if (!is_compartment_id(id)) {
    return fail(compartment_error(CompartmentFault::kInvalidManifest,
                                  fmt::format("\"{}\" cannot be an id", id)));
  }
  const std::string directory = join_path(base_, id);
  const std::string path = join_path(directory, "compartment.toml");
  if (file_exists(files_, path)) {
    return fail(ErrorCode::kAlreadyExists, "there is a compartment already", directory);
  }
  ANIMA_TRY(files_.make_directories(directory));
  ANIMA_TRY(replace_file(files_, join_path(directory, "triples.json"),
                         "[\n  {\"subject\": \"Earth\", \"predicate\": \"orbits\", "
                         "\"object\": \"Sun\", \"confidence\": 1.0}\n]\n"));
  ANIMA_TRY(
      replace_file(files_, path,
                   fmt::format("id = \"{}\"\nname = \"{}\"\nkind = \"{}\"\ndescription = \"\"\n"
                               "triples_file = \"triples.json\"\ntags = []\n",
                               id, id, to_string(kind))));
  ANIMA_TRY(add(directory).map([](const std::string&) {}));
  return directory;
}

Status CompartmentManager::refresh() {
  for (auto& [id, compartment] : compartments_) {
    compartment.state = CompartmentState::kDormant;
    compartment.triple_count = 0;
    compartment.content = {};
  }
  ANIMA_ASSIGN(const store::Snapshot view, space_.snapshot());
  for (Compartment& loaded : read_loaded(view)) {
    const std::string id = loaded.manifest.id;
    compartments_[id] = std::move(loaded);
  }
  // A graph that an import filled is a compartment too, though nothing was discovered for it.
  for (const store::GraphId graph : view.graphs()) {
    const std::string_view name = view.graph_name(graph);
    if (!name.starts_with(kCompartmentPrefix) || view.graph_size(graph) == 0) continue;
    const std::string id(name.substr(kCompartmentPrefix.size()));
    Compartment& compartment = compartments_[id];
    if (compartment.state != CompartmentState::kDormant) continue;
    compartment.manifest.id = id;
    if (compartment.manifest.name.empty()) compartment.manifest.name = id;
    compartment.state = CompartmentState::kLoaded;
    compartment.triple_count = view.graph_size(graph);
  }
  return {};
}

Status CompartmentManager::start(const store::Origin& origin) {
  ANIMA_TRY(discover().map([](std::size_t) {}));
  ANIMA_TRY(refresh());
  for (const Compartment* core : by_kind(CompartmentKind::kCore)) {
    const std::string id = core->manifest.id;
    if (core->state == CompartmentState::kDormant) {
      ANIMA_ASSIGN(const bool unloaded, was_unloaded(id));
      if (unloaded) continue;
      if (Status loaded = load(id, origin); !loaded) {
        discovery_errors_.push_back(loaded.error());
        continue;
      }
    }
    ANIMA_TRY(activate(id, origin));
  }
  return {};
}

// The space knows it, and holds it no more.
Result<bool> CompartmentManager::was_unloaded(const std::string& id) const {
  ANIMA_ASSIGN(const store::Snapshot now, space_.snapshot());
  const store::Snapshot view = store::in_graph(now, kCompartmentsGraph);
  const auto type = view.known_concept(store::kConceptType, kType);
  const auto entity = type ? view.known_concept(*type, id) : std::nullopt;
  return entity && !view.exists(*entity) && !view.history(*entity).empty();
}

std::vector<CompartmentManager::ChangedPsyche> CompartmentManager::changed_psyches() const {
  std::vector<ChangedPsyche> changed;
  if (base_.empty()) return changed;
  for (const auto& [id, compartment] : compartments_) {
    const CompartmentManifest& manifest = compartment.manifest;
    if (manifest.kind != CompartmentKind::kCore || manifest.directory.empty()) continue;
    const bool active = compartment.state == CompartmentState::kActive;
    // One that could not be loaded may be so for its psyche.
    if (!active &&
        (compartment.state != CompartmentState::kDormant || was_unloaded(id).value_or(true)))
      continue;
    const std::string path = join_path(manifest.directory, "psyche.toml");
    const std::string& read = compartment.content.psyche;
    if (!file_exists(files_, path)) {
      const bool gone = file_exists(files_, join_path(manifest.directory, "compartment.toml"));
      if (active && gone && !read.empty()) changed.push_back({id, path, {}, {}});
      continue;
    }
    auto text = read_of_pack(manifest.directory, "psyche.toml", std::uint64_t{1} << 20);
    if (!text) {
      changed.push_back({id, path, {}, std::move(text).error()});
    } else if (active && *text != read) {
      changed.push_back({id, path, std::move(*text), {}});
    }
  }
  return changed;
}

Status CompartmentManager::note_psyche(const ChangedPsyche& file, const store::Origin& origin) {
  ANIMA_ASSIGN(Compartment * compartment, known(file.compartment));
  ANIMA_TRY(space_
                .write(origin,
                       [&](store::Transaction& transaction) -> Status {
                         const store::AssertOptions options = control_options(transaction);
                         ANIMA_ASSIGN(const EntityId entity,
                                      control_concept(transaction, file.compartment, options));
                         return set_text(transaction, entity, "psyche", file.text, options);
                       })
                .map([](const store::Receipt&) {}));
  compartment->content.psyche = file.text;
  return {};
}

Result<Compartment*> CompartmentManager::known(const std::string& id) {
  const auto found = compartments_.find(id);
  if (found != compartments_.end()) return &found->second;
  std::vector<std::string> ids;
  for (const auto& [other, unused] : compartments_) ids.push_back(other);
  Error error = compartment_error(CompartmentFault::kNotFound,
                                  fmt::format("there is no compartment \"{}\"", id));
  const std::string near = did_you_mean(nearest_names(id, ids));
  if (!near.empty()) error.hint = near;
  return fail(std::move(error));
}

Result<std::string> CompartmentManager::bring(const std::string& directory,
                                              const store::Origin& origin) {
  ANIMA_ASSIGN(const std::string id, add(directory));
  return store::as_whole_act(space_, [&]() -> Result<std::string> {
    if (find(id)->state == CompartmentState::kDormant) ANIMA_TRY(load(id, origin));
    ANIMA_TRY(activate(id, origin));
    return id;
  });
}

Status CompartmentManager::load(const std::string& id, const store::Origin& origin) {
  ANIMA_ASSIGN(Compartment * compartment, known(id));
  if (compartment->state != CompartmentState::kDormant) {
    return fail(compartment_error(CompartmentFault::kAlreadyLoaded,
                                  fmt::format("\"{}\" is {}", id, to_string(compartment->state))));
  }
  ANIMA_ASSIGN(const CompartmentContent content, read_content(files_, compartment->manifest));
  ANIMA_ASSIGN(const auto signer, check_pack(files_, compartment->manifest, content));
  const bool accepted =
      signer && std::find(accepted_.begin(), accepted_.end(), *signer) != accepted_.end();
  compartment->manifest.signed_by =
      signer ? to_hex(*signer) + (accepted ? " (accepted)" : "") : std::string();
  std::uint64_t count = 0;
  store::Origin from = origin;
  from.trust = std::min(origin.trust, accepted ? store::Trust::kVerified : store::Trust::kStandard);
  if (from.source.empty()) from.source = compartment->manifest.directory;
  ANIMA_TRY(space_
                .write(from,
                       [&](store::Transaction& transaction) -> Status {
                         if (!content.triples.empty()) {
                           ANIMA_ASSIGN(count, write_triples(transaction, compartment->manifest,
                                                             content.triples));
                         }
                         if (!content.rules.empty()) {
                           ANIMA_TRY(check_rule_names(
                               transaction.view(), rules(),
                               {id, compartment->manifest.rules_file, content.rules, from.trust}));
                         }
                         return write_control(transaction, *compartment, content, count);
                       })
                .map([](const store::Receipt&) {}));
  compartment->state = CompartmentState::kLoaded;
  compartment->triple_count = count;
  compartment->content = content;
  compartment->rules_trust = from.trust;
  compartment->words_trust = from.trust;
  compartment->content.triples.clear();
  return {};
}

Status CompartmentManager::set_state(Compartment& compartment, CompartmentState state,
                                     const store::Origin& origin) {
  ANIMA_TRY(space_
                .write(origin,
                       [&](store::Transaction& transaction) -> Status {
                         const store::AssertOptions options = control_options(transaction);
                         ANIMA_ASSIGN(
                             const EntityId entity,
                             control_concept(transaction, compartment.manifest.id, options));
                         return set_text(transaction, entity, "state", to_string(state), options);
                       })
                .map([](const store::Receipt&) {}));
  compartment.state = state;
  return {};
}

Status CompartmentManager::activate(const std::string& id, const store::Origin& origin) {
  ANIMA_ASSIGN(Compartment * compartment, known(id));
  if (compartment->state == CompartmentState::kActive) return {};
  if (compartment->state == CompartmentState::kDormant) {
    return fail(
        compartment_error(CompartmentFault::kNotLoaded, fmt::format("\"{}\" is Dormant", id)));
  }
  return set_state(*compartment, CompartmentState::kActive, origin);
}

Status CompartmentManager::deactivate(const std::string& id, const store::Origin& origin) {
  ANIMA_ASSIGN(Compartment * compartment, known(id));
  if (compartment->state != CompartmentState::kActive) return {};
  return set_state(*compartment, CompartmentState::kLoaded, origin);
}

Status CompartmentManager::unload(const std::string& id, const store::Origin& origin, bool force) {
  ANIMA_ASSIGN(Compartment * compartment, known(id));
  if (compartment->state == CompartmentState::kDormant) return {};
  return drop(*compartment, origin, force).map([](const store::Receipt&) {});
}

Result<store::Receipt> CompartmentManager::drop(Compartment& compartment,
                                                const store::Origin& origin, bool force) {
  const std::string id = compartment.manifest.id;
  if (compartment.manifest.kind == CompartmentKind::kCore && !force) {
    return fail(
        compartment_error(CompartmentFault::kKindMismatch,
                          fmt::format("\"{}\": expected Skill or Project, actual Core", id)));
  }
  ANIMA_ASSIGN(const store::Receipt receipt,
               space_.write(origin, [&](store::Transaction& transaction) -> Status {
                 ANIMA_TRY(transaction.drop_graph(transaction.graph(compartment_graph(id))));
                 const store::AssertOptions options = control_options(transaction);
                 ANIMA_ASSIGN(const EntityId entity, control_concept(transaction, id, options));
                 ANIMA_TRY(transaction.retract_concept(entity, options.graph, true));
                 return drop_type(transaction, options.graph);
               }));
  compartment.state = CompartmentState::kDormant;
  compartment.triple_count = 0;
  compartment.content = {};
  return receipt;
}

Result<CompartmentManager::UnloadProof> CompartmentManager::unload_proved(
    const std::string& id, const store::Origin& origin, bool force) {
  ANIMA_ASSIGN(Compartment * compartment, known(id));
  if (compartment->state == CompartmentState::kDormant) {
    return fail(
        compartment_error(CompartmentFault::kNotLoaded, fmt::format("\"{}\" is Dormant", id)));
  }
  ANIMA_ASSIGN(const store::Receipt receipt, drop(*compartment, origin, force));
  const auto number = static_cast<std::uint64_t>(receipt.sequence);
  ANIMA_ASSIGN(const store::Snapshot now, space_.snapshot());
  ANIMA_ASSIGN(const store::Snapshot after, now.as_of(receipt.sequence));
  ANIMA_ASSIGN(const store::Snapshot before, after.as_of(store::Sequence{number - 1}));
  const std::string own[] = {compartment_graph(id), std::string(kCompartmentsGraph)};
  const KnowledgeDigest kept = knowledge_digest(before, own);
  const KnowledgeDigest left = knowledge_digest(after, std::span(own).subspan(1));
  return UnloadProof{kept.digest, left.digest, left.assertions};
}

Status CompartmentManager::switch_project(const std::string& id, const store::Origin& origin) {
  ANIMA_ASSIGN(Compartment * wanted, known(id));
  if (wanted->manifest.kind != CompartmentKind::kProject) {
    return fail(compartment_error(
        CompartmentFault::kKindMismatch,
        fmt::format("\"{}\": expected Project, actual {}", id, to_string(wanted->manifest.kind))));
  }
  for (const Compartment* other : by_kind(CompartmentKind::kProject)) {
    if (other->manifest.id != id) ANIMA_TRY(unload(other->manifest.id, origin));
  }
  if (wanted->state == CompartmentState::kDormant) ANIMA_TRY(load(id, origin));
  return activate(id, origin);
}

const Compartment* CompartmentManager::find(std::string_view id) const {
  const auto found = compartments_.find(id);
  return found == compartments_.end() ? nullptr : &found->second;
}

std::vector<const Compartment*> CompartmentManager::all() const {
  std::vector<const Compartment*> list;
  for (const auto& [id, compartment] : compartments_) list.push_back(&compartment);
  return list;
}

std::vector<const Compartment*> CompartmentManager::by_kind(CompartmentKind kind) const {
  std::vector<const Compartment*> list;
  for (const auto& [id, compartment] : compartments_) {
    if (compartment.manifest.kind == kind) list.push_back(&compartment);
  }
  return list;
}

std::vector<const Compartment*> CompartmentManager::active() const {
  std::vector<const Compartment*> list;
  for (const auto& [id, compartment] : compartments_) {
    if (compartment.state == CompartmentState::kActive) list.push_back(&compartment);
  }
  return list;
}

std::vector<std::string> CompartmentManager::dormant_ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, compartment] : compartments_) {
    if (compartment.state == CompartmentState::kDormant) ids.push_back(id);
  }
  return ids;
}

std::vector<RuleSource> CompartmentManager::rules() const {
  std::vector<RuleSource> list;
  for (const auto& [id, compartment] : compartments_) {
    if (compartment.content.rules.empty()) continue;
    list.push_back(
        {id, compartment.manifest.rules_file, compartment.content.rules, compartment.rules_trust});
  }
  return list;
}

std::vector<SynonymSource> CompartmentManager::synonyms() const {
  std::vector<SynonymSource> list;
  for (const auto& [id, compartment] : compartments_) {
    if (compartment.state == CompartmentState::kDormant || compartment.manifest.synonyms.empty())
      continue;
    list.push_back({id, compartment.manifest.synonyms, compartment.words_trust});
  }
  return list;
}

std::vector<QuestionPattern> CompartmentManager::questions() const {
  std::vector<QuestionPattern> list;
  for (const Compartment* compartment : active()) {
    if (compartment->content.questions.empty()) continue;
    const auto read =
        parse_questions(compartment->content.questions, compartment->manifest.questions_file);
    if (read) list.insert(list.end(), read->begin(), read->end());
  }
  return list;
}

}  // namespace anima::memory
