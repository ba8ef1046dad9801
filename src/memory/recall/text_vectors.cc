#include "memory/recall/text_vectors.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/text/text.h"
#include "memory/memory_manager.h"
#include "memory/recall/detail/event_text.h"
#include "memory/recall/detail/text_access.h"
#include "memory/recall/detail/vector_index.h"
#include "memory/recall/recall_context.h"
#include "store/space.h"
#include "store/symbols.h"

namespace anima::memory {

// One that has no vector yet.
struct detail::TextToEmbed {
  store::EntityId entity = store::EntityId::kNone;
  std::uint32_t signature = 0;
  std::string text;
};

namespace {

using detail::VectorIndex;
using store::EntityId;

constexpr std::string_view kFile = "vectors.anima";
constexpr std::string_view kLockFile = "vectors.lock";
constexpr std::string_view kMagic = "ANIMAVEC";
constexpr std::uint32_t kVectorsVersion = 1;
constexpr std::size_t kFewestToSave = 2048;
constexpr std::size_t kShareToSave = 8;       // of what is there, before it is saved again
constexpr std::size_t kMostTextBytes = 8000;  // of a text that are embedded
constexpr std::int64_t kAskAgainNs = 30'000'000'000;
constexpr std::size_t kMostNamed = 5;  // of the texts that are refused

std::string path_in(const std::string& folder) { return join_path(folder, std::string(kFile)); }

std::string frame(std::string_view model, std::string_view content) {
  ByteWriter out;
  out.raw(kMagic);
  out.u32(kVectorsVersion);
  out.string(model);
  out.u64(checksum64(content));
  out.raw(content);
  return out.take();
}

struct StoredVectors {
  std::string model;
  VectorIndex index;
};

Result<StoredVectors> read_vectors(FileSystem& files, const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 30;
  ANIMA_ASSIGN(const std::string bytes, read_file(files, path, kMostBytes));
  const auto corrupt = [&] {
    return fail(ErrorCode::kCorrupt, "the vectors of the texts are damaged", path,
                "make them again: anima memory embed --rebuild");
  };
  ByteReader in(bytes);
  const auto magic = in.raw(kMagic.size());
  const auto version = in.u32();
  if (!magic || *magic != kMagic || !version || *version != kVectorsVersion) return corrupt();
  const auto model = in.string();
  const auto sum = in.u64();
  if (!model || !sum) return corrupt();
  const auto content = in.raw(in.remaining());
  if (!content || checksum64(*content) != *sum) return corrupt();
  auto index = VectorIndex::decode(*content);
  if (!index) return fail(index.error());
  return StoredVectors{std::string(*model), std::move(*index)};
}

using Living =
    std::map<EntityId, std::uint32_t>;  // the signature of each text that may be embedded

Result<Living> living_texts(MemoryManager& memory, const store::Snapshot& now) {
  Living living;
  ANIMA_TRY(memory.recall(now, [&](detail::TextAccess& access) -> Status {
    for (const detail::ItemNumber item : access.view.open_to(kPromptReader))
      living.emplace(access.view.entity(item), access.view.signature(item));
    return {};
  }));
  return living;
}

// Every text that may be embedded, without those that have a vector.
Result<std::vector<detail::TextToEmbed>> wanted_texts(MemoryManager& memory,
                                                      const store::Snapshot& now,
                                                      const VectorIndex* index) {
  std::vector<detail::TextToEmbed> wanted;
  const store::Snapshot knowledge = now.knowledge();
  ANIMA_TRY(memory.recall(now, [&](detail::TextAccess& access) -> Status {
    for (const detail::ItemNumber item : access.view.open_to(kPromptReader)) {
      const EntityId entity = access.view.entity(item);
      const std::uint32_t signature = access.view.signature(item);
      if (index != nullptr && index->signature(entity) == signature) continue;
      detail::TextToEmbed text{entity, signature, {}};
      if (access.view.kind(item) == detail::TextKind::kMemory) {
        ANIMA_ASSIGN(const MemoryItem whole, access.load(entity));
        text.text = whole.content;
      } else {
        const auto said = access.view.kind(item) == detail::TextKind::kEvent
                              ? detail::read_event(knowledge, entity, access.view.speaker(item))
                              : detail::read_episode(now, entity);
        if (!said) continue;
        text.text = said->content;
      }
      if (text.text.empty()) continue;
      text.text.resize(beginning_of(text.text, kMostTextBytes).size());
      wanted.push_back(std::move(text));
    }
    return {};
  }));
  return wanted;
}

Living signatures_in(const VectorIndex& index) {
  Living signatures;
  for (const EntityId entity : index.entities())
    signatures.emplace(entity, index.signature(entity));
  return signatures;
}

// Takes out what is no living text any more, and gives how many that were.
std::size_t prune(VectorIndex& index, const Living& living) {
  std::size_t removed = 0;
  for (const EntityId entity : index.entities()) {
    const auto text = living.find(entity);
    const bool lives = text != living.end() && text->second == index.signature(entity);
    if (!lives && index.remove(entity)) ++removed;
  }
  return removed;
}

// Whoever reads the file in order to write it holds this meanwhile.
Result<std::unique_ptr<FileLock>> lock_vectors(FileSystem& files, const std::string& folder) {
  return files.lock(join_path(folder, std::string(kLockFile)), LockMode::kExclusive, true);
}

// May the cause be one of the texts? Not when nobody answers, or may not be asked.
bool may_be_a_text(const Error& error) {
  switch (error.code) {
    case ErrorCode::kCancelled:
    case ErrorCode::kDenied:
    case ErrorCode::kTimeout:
    case ErrorCode::kNotFound:
    case ErrorCode::kUnsupported:
      return false;
    default:
      return true;
  }
}

}  // namespace

// A call of embed().
struct TextVectors::Run {
  MemoryManager& memory;
  store::Space& space;
  const EmbedRequest& request;
  EmbedReport report = {};
  std::optional<store::Snapshot> now = {};
  Living living = {};  // of `now`
  std::size_t unsaved = 0;

  // What is written meanwhile counts.
  Status look() {
    ANIMA_ASSIGN(store::Snapshot fresh, space.snapshot());
    if (now && now->sequence() == fresh.sequence()) return {};
    ANIMA_ASSIGN(living, living_texts(memory, fresh));
    now = std::move(fresh);
    report.texts = living.size();
    return {};
  }
  bool lives(EntityId entity, std::uint32_t signature) const {
    const auto text = living.find(entity);
    return text != living.end() && text->second == signature;
  }
  void refuse(const detail::TextToEmbed& text, const Error& why) {
    if (report.refused++ == 0) report.refusal = why.describe();
    if (report.first_refused.size() < kMostNamed)
      report.first_refused.push_back(store::symbol_label(*now, text.entity));
  }
};

TextVectors::TextVectors(TextVectorsParts parts) : parts_(std::move(parts)) {}
TextVectors::~TextVectors() = default;

// Reads the file when it is another one than before. Damaged or of another model: as if there were
// none.
Status TextVectors::load() {
  if (parts_.folder.empty()) return {};
  const std::string path = path_in(parts_.folder);
  const FileStamp stamp = stamp_of(path);
  if (read_ == stamp) return fault_;
  read_ = stamp;
  fault_ = {};
  other_model_.clear();
  kept_.clear();
  index_.reset();
  auto stored = read_vectors(parts_.files, path);
  if (!stored) {
    if (stored.error().code != ErrorCode::kNotFound) fault_ = fail(stored.error());
    return fault_;
  }
  if (stored->model == parts_.model) {
    index_ = std::make_unique<VectorIndex>(std::move(stored->index));
    kept_ = signatures_in(*index_);
  } else {
    other_model_ = std::move(stored->model);
  }
  return {};
}

// Another process wrote the file since it was read: what came to it is taken over, and what went
// from it goes here, too.
Status TextVectors::take_over(Run& run, const std::string& path) {
  const auto stored = read_vectors(parts_.files, path);
  const bool gone = !stored && stored.error().code == ErrorCode::kNotFound;
  const bool ours =
      stored && stored->model == parts_.model && stored->index.dimensions() == index_->dimensions();
  if (!ours && !gone) return {};
  for (const auto& [entity, signature] : kept_) {
    const bool stayed = ours && stored->index.signature(entity) == signature;
    if (!stayed && index_->signature(entity) == signature && index_->remove(entity))
      ++run.report.removed;
  }
  if (gone) return {};
  for (const EntityId entity : stored->index.entities()) {
    const std::uint32_t signature = stored->index.signature(entity);
    const auto before = kept_.find(entity);
    const bool came = before == kept_.end() || before->second != signature;
    if (came && run.lives(entity, signature) && index_->signature(entity) != signature)
      ANIMA_TRY(index_->add(entity, signature, stored->index.vector(entity)));
  }
  return {};
}

Status TextVectors::save(Run& run) {
  if (parts_.folder.empty() || index_ == nullptr) return {};
  const std::string path = path_in(parts_.folder);
  ANIMA_ASSIGN(const auto lock, lock_vectors(parts_.files, parts_.folder));
  // Under the lock: who forgets something later than this takes it out of the file that is written
  // here.
  ANIMA_TRY(run.look());
  if (read_ != stamp_of(path)) ANIMA_TRY(take_over(run, path));
  run.report.removed += prune(*index_, run.living);
  ANIMA_TRY(replace_file(parts_.files, path, frame(parts_.model, index_->encode()), 0600));
  read_ = stamp_of(path);
  fault_ = {};
  other_model_.clear();
  kept_ = signatures_in(*index_);
  run.unsaved = 0;
  return {};
}

Status TextVectors::add(Run& run, const detail::TextToEmbed& text, std::span<const float> vector) {
  if (index_ == nullptr) index_ = std::make_unique<VectorIndex>(vector.size());
  if (vector.size() != index_->dimensions()) {
    return fail(ErrorCode::kInvalidArgument,
                "the server gives vectors of another size than those that are there", {},
                "make all of them anew: anima memory embed --rebuild");
  }
  const Status added = index_->add(text.entity, text.signature, vector);
  if (!added && added.error().code == ErrorCode::kInvalidArgument) {
    run.refuse(text, added.error());
    return {};
  }
  ANIMA_TRY(added);
  ++run.report.embedded;
  ++run.unsaved;
  return {};
}

// Refused is a text only when the server takes another one right after.
Status TextVectors::embed_alone(Run& run, const detail::TextToEmbed& text) {
  const std::vector<std::string> one{text.text};
  const auto vectors = parts_.texts(one, run.request.stop);
  if (vectors) return add(run, text, vectors->front());
  static const std::vector<std::string> kShort{"a short text"};
  if (!may_be_a_text(vectors.error()) || !parts_.texts(kShort, run.request.stop))
    return fail(vectors.error());
  run.refuse(text, vectors.error());
  return {};
}

Status TextVectors::embed_batch(Run& run, std::span<const detail::TextToEmbed> batch) {
  ANIMA_TRY(run.look());
  std::vector<const detail::TextToEmbed*> wanted;
  std::vector<std::string> texts;
  for (const detail::TextToEmbed& text : batch) {
    if (!run.lives(text.entity, text.signature)) continue;
    wanted.push_back(&text);
    texts.push_back(text.text);
  }
  if (wanted.empty()) return {};
  const auto vectors = parts_.texts(texts, run.request.stop);
  if (!vectors && !may_be_a_text(vectors.error())) return fail(vectors.error());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ANIMA_TRY(vectors ? add(run, *wanted[i], (*vectors)[i]) : embed_alone(run, *wanted[i]));
  return {};
}

Status TextVectors::embed_texts(Run& run) {
  ANIMA_TRY(run.look());
  if (index_ != nullptr) run.report.removed = run.unsaved = prune(*index_, run.living);
  ANIMA_ASSIGN(const std::vector<detail::TextToEmbed> wanted,
               wanted_texts(run.memory, *run.now, index_.get()));
  const std::size_t batch = std::max<std::size_t>(1, run.request.batch);
  for (std::size_t first = 0; first < wanted.size(); first += batch) {
    if (run.request.stop.stop_requested()) {
      run.report.stopped = true;
      return {};
    }
    const std::size_t count = std::min(batch, wanted.size() - first);
    ANIMA_TRY(embed_batch(run, std::span(wanted).subspan(first, count)));
    if (run.request.progress) run.request.progress(first + count, wanted.size());
    if (run.unsaved >= kFewestToSave && run.unsaved >= index_->size() / kShareToSave)
      ANIMA_TRY(save(run));
  }
  return {};
}

Result<EmbedReport> TextVectors::embed(MemoryManager& memory, store::Space& space,
                                       const EmbedRequest& request) {
  const std::lock_guard lock(mutex_);
  const Status read = load();
  if (!read && read.error().code != ErrorCode::kCorrupt) return fail(read.error());
  if (request.rebuild) index_.reset();
  Run run{memory, space, request};
  const Status done = embed_texts(run);
  const Status saved = run.unsaved > 0 ? save(run) : Status();
  failure_.reset();
  if (!done || !saved) read_.reset();  // what the file holds is what counts
  ANIMA_TRY(saved);
  if (!done && done.error().code != ErrorCode::kCancelled) return fail(done.error());
  run.report.stopped = run.report.stopped || !done;
  return std::move(run.report);
}

std::string TextVectors::lack_now() const {
  if (!fault_) return fault_.error().message;
  if (index_ != nullptr && index_->size() > 0) return {};
  return other_model_.empty() ? "no text is embedded yet"
                              : "the texts are embedded by another model";
}

Result<std::vector<detail::NearText>> TextVectors::nearest(std::string_view question,
                                                           std::size_t count) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(load());
  if (std::string lack = lack_now(); !lack.empty())
    return fail(ErrorCode::kNotFound, std::move(lack), {}, "embed them: anima memory embed");
  if (failure_ && parts_.clock.monotonic_nanoseconds() < ask_again_ns_) return fail(*failure_);
  failure_.reset();
  const std::vector<std::string> texts{std::string(beginning_of(question, kMostTextBytes))};
  const auto vectors = parts_.question(texts, {});
  if (vectors) return index_->nearest(vectors->front(), count);
  // A question that the server does not take says nothing of the next one.
  if (vectors.error().code != ErrorCode::kInvalidArgument) {
    failure_ = vectors.error();
    ask_again_ns_ = parts_.clock.monotonic_nanoseconds() + kAskAgainNs;
  }
  return fail(vectors.error());
}

std::string TextVectors::lack() {
  const std::lock_guard lock(mutex_);
  (void)load();  // lack_now() tells what is wrong
  return lack_now();
}

std::size_t TextVectors::size() {
  const std::lock_guard lock(mutex_);
  return load() && index_ != nullptr ? index_->size() : 0;
}

Result<std::size_t> drop_vectors(FileSystem& files, const std::string& folder,
                                 const store::Snapshot& now, const std::set<EntityId>& entities) {
  const std::string path = path_in(folder);
  if (folder.empty() || !files.info(path)) return std::size_t{0};
  ANIMA_ASSIGN(const auto lock, lock_vectors(files, folder));
  auto stored = read_vectors(files, path);
  if (!stored) {
    ANIMA_TRY(files.remove(path));
    return std::size_t{0};
  }
  std::size_t dropped = 0;
  for (const EntityId entity : stored->index.entities()) {
    const bool goes = entities.contains(entity) || !now.exists(entity);
    if (goes && stored->index.remove(entity)) ++dropped;
  }
  if (dropped == 0) return dropped;
  if (stored->index.size() == 0) {
    ANIMA_TRY(files.remove(path));
    return dropped;
  }
  ANIMA_TRY(replace_file(files, path, frame(stored->model, stored->index.encode()), 0600));
  return dropped;
}

}  // namespace anima::memory
