#include "memory/recall/text_vectors.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/crypto.h"
#include "memory/memory_manager.h"
#include "memory/recall/detail/event_text.h"
#include "memory/recall/detail/text_access.h"
#include "memory/recall/detail/vector_index.h"
#include "memory/recall/recall_context.h"

namespace anima::memory {
namespace {

using detail::VectorIndex;
using store::EntityId;

constexpr std::string_view kFile = "vectors.anima";
constexpr std::string_view kMagic = "ANIMAVEC";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kFewestToSave = 2048;
constexpr std::size_t kShareToSave = 8;       // of what is there, before it is saved again
constexpr std::size_t kMostTextBytes = 8000;  // of a text that are embedded
constexpr std::int64_t kAskAgainNs = 30'000'000'000;

std::string path_in(const std::string& folder) { return join_path(folder, std::string(kFile)); }

std::string frame(std::string_view model, std::string_view content) {
  ByteWriter out;
  out.raw(kMagic);
  out.u32(kVersion);
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
  if (!magic || *magic != kMagic || !version || *version != kVersion) return corrupt();
  const auto model = in.string();
  const auto sum = in.u64();
  if (!model || !sum) return corrupt();
  const auto content = in.raw(in.remaining());
  if (!content || checksum64(*content) != *sum) return corrupt();
  auto index = VectorIndex::decode(*content);
  if (!index) return fail(index.error());
  return StoredVectors{std::string(*model), std::move(*index)};
}

struct WantedText {
  EntityId entity = EntityId::kNone;
  std::uint32_t signature = 0;
  std::string text;
};

// Every text that may be embedded, without those that have a vector; those are counted.
Result<std::vector<WantedText>> wanted_texts(MemoryManager& memory, const store::Snapshot& now,
                                             const VectorIndex* index, EmbedReport& report,
                                             std::set<EntityId>& living) {
  std::vector<WantedText> wanted;
  const store::Snapshot knowledge = now.knowledge();
  ANIMA_TRY(memory.recall(now, [&](detail::TextAccess& access) -> Status {
    for (const detail::ItemNumber item : access.view.open_to(kPromptReader)) {
      const EntityId entity = access.view.entity(item);
      const std::uint32_t signature = access.view.signature(item);
      living.insert(entity);
      ++report.texts;
      if (index != nullptr && index->signature(entity) == signature) continue;
      WantedText text{entity, signature, {}};
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
      std::size_t end = std::min(text.text.size(), kMostTextBytes);
      while (end < text.text.size() && end > 0 &&
             (static_cast<unsigned char>(text.text[end]) & 0xC0U) == 0x80U)
        --end;
      text.text.resize(end);
      wanted.push_back(std::move(text));
    }
    return {};
  }));
  return wanted;
}

}  // namespace

TextVectors::TextVectors(TextVectorsParts parts) : parts_(std::move(parts)) {}
TextVectors::~TextVectors() = default;

// Damaged or of another model: as if there were none.
Status TextVectors::load() {
  if (loaded_) return {};
  loaded_ = true;
  if (parts_.folder.empty()) return {};
  auto stored = read_vectors(parts_.files, path_in(parts_.folder));
  if (!stored && stored.error().code == ErrorCode::kNotFound) return {};
  if (!stored) return fail(stored.error());
  if (stored->model == parts_.model)
    index_ = std::make_unique<VectorIndex>(std::move(stored->index));
  return {};
}

Status TextVectors::save() {
  if (parts_.folder.empty() || index_ == nullptr) return {};
  return replace_file(parts_.files, path_in(parts_.folder), frame(parts_.model, index_->encode()),
                      0600);
}

Result<EmbedReport> TextVectors::embed(MemoryManager& memory, const store::Snapshot& now,
                                       const EmbedRequest& request) {
  const std::lock_guard lock(mutex_);
  const Status read = load();
  if (!read && read.error().code != ErrorCode::kCorrupt) return fail(read.error());
  if (request.rebuild) index_.reset();
  EmbedReport report;
  std::set<EntityId> living;
  ANIMA_ASSIGN(const std::vector<WantedText> wanted,
               wanted_texts(memory, now, index_.get(), report, living));
  std::size_t unsaved = 0;
  if (index_ != nullptr) {
    for (const EntityId entity : index_->entities()) {
      if (!living.contains(entity) && index_->remove(entity)) ++report.removed;
    }
    unsaved = report.removed;
  }
  const std::size_t batch = std::max<std::size_t>(1, request.batch);
  Status failed;
  for (std::size_t first = 0; failed && first < wanted.size(); first += batch) {
    if (request.stop.stop_requested()) {
      report.stopped = true;
      break;
    }
    const std::size_t last = std::min(first + batch, wanted.size());
    std::vector<std::string> texts;
    for (std::size_t i = first; i < last; ++i) texts.push_back(wanted[i].text);
    const auto vectors = parts_.texts(texts, request.stop);
    if (!vectors) {
      failed = fail(vectors.error());
      break;
    }
    for (std::size_t i = first; failed && i < last; ++i) {
      const std::vector<float>& vector = (*vectors)[i - first];
      if (index_ == nullptr) index_ = std::make_unique<VectorIndex>(vector.size());
      failed = index_->add(wanted[i].entity, wanted[i].signature, vector);
    }
    if (!failed) break;
    report.embedded += last - first;
    unsaved += last - first;
    if (request.progress) request.progress(report.embedded, wanted.size());
    if (unsaved >= std::max(kFewestToSave, index_->size() / kShareToSave)) {
      ANIMA_TRY(save());
      unsaved = 0;
    }
  }
  if (unsaved > 0) ANIMA_TRY(save());
  failure_.reset();
  if (!failed && failed.error().code == ErrorCode::kCancelled) {
    report.stopped = true;
    return report;
  }
  if (!failed) return fail(failed.error());
  return report;
}

Result<std::vector<detail::NearText>> TextVectors::nearest(std::string_view question,
                                                           std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (failure_ && parts_.clock.monotonic_nanoseconds() < ask_again_ns_) return fail(*failure_);
  failure_.reset();
  const auto found = [&]() -> Result<std::vector<detail::NearText>> {
    ANIMA_TRY(load());
    if (index_ == nullptr || index_->size() == 0) {
      return fail(ErrorCode::kNotFound, "no text is embedded yet", {},
                  "embed them: anima memory embed");
    }
    const std::vector<std::string> texts{std::string(question.substr(0, kMostTextBytes))};
    ANIMA_ASSIGN(const auto vectors, parts_.question(texts, {}));
    return index_->nearest(vectors.front(), count);
  }();
  if (!found) {
    failure_ = found.error();
    ask_again_ns_ = parts_.clock.monotonic_nanoseconds() + kAskAgainNs;
  }
  return found;
}

std::size_t TextVectors::size() {
  const std::lock_guard lock(mutex_);
  return load() && index_ != nullptr ? index_->size() : 0;
}

Result<std::size_t> drop_vectors(FileSystem& files, const std::string& folder,
                                 const store::Snapshot& now, const std::set<EntityId>& entities) {
  const std::string path = path_in(folder);
  if (folder.empty() || !files.info(path)) return std::size_t{0};
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
