// TextVectors: vectors of the texts that may be recalled, beside their words; one term of recall's
// sum.
//
// A view: each vector belongs to a text as it is (the signature of its content), and a text that
// was changed or is gone has none. The file `vectors.anima` of the space is checked by its
// checksum, and one that is damaged or of another model counts for nothing; it can be made again.
// Several processes may read and write it: it is read again when it is another one than before, and
// who writes it takes over, under the lock `vectors.lock`, what came to it and went from it since.
// What only some may read, what is quarantined, and exchanges of sessions are never embedded, so
// never leave the machine. Whoever embeds is given from outside; when it fails, recall says so and
// goes by words alone, and asks again half a minute later. Thread-safety: from any thread. Errors:
// those of embedding, of the file, kNotFound (nothing is embedded; lack()). Complexity: a question
// costs one embedding and O(log n) distances; memory: 4 bytes a number. Source: recall study,
// section 5.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/files/file_stamp.h"
#include "base/result.h"
#include "store/ids.h"
#include "store/snapshot.h"

namespace anima::store {
class Space;
}

namespace anima::memory {

class MemoryManager;

namespace detail {
class VectorIndex;
struct NearText;
struct TextToEmbed;
}  // namespace detail

// One vector a text, all of one size.
using Embed = std::function<Result<std::vector<std::vector<float>>>(std::span<const std::string>,
                                                                    const std::stop_token&)>;

struct TextVectorsParts {
  FileSystem& files;
  Clock& clock;
  std::string folder;  // of the space; empty: kept in memory alone
  std::string model;   // as its server calls it: vectors of another one are not compared
  Embed texts;         // for many
  Embed question;      // for one, that somebody waits for
};

struct EmbedRequest {
  bool rebuild = false;    // all anew
  std::size_t batch = 64;  // texts given at once
  std::stop_token stop;
  std::function<void(std::size_t done, std::size_t all)> progress;
};

struct EmbedReport {
  std::size_t texts = 0;     // that may be embedded, at the end
  std::size_t embedded = 0;  // now
  std::size_t removed = 0;   // of texts that are gone or changed
  std::size_t refused = 0;   // now: the server takes others, but not these, not even alone
  std::vector<std::string> first_refused = {};  // labels of the first of them
  std::string refusal = {};                     // why the first was
  bool stopped = false;                         // the next call goes on
};

class TextVectors {
 public:
  explicit TextVectors(TextVectorsParts parts);  // what the parts refer to outlives it
  ~TextVectors();

  // Embeds what has no vector yet, a batch at a time, and saves now and then: what was saved is not
  // embedded again after a failure or a stop. What is forgotten meanwhile is neither sent nor kept.
  Result<EmbedReport> embed(MemoryManager& memory, store::Space& space,
                            const EmbedRequest& request);

  // The texts that are nearest to the question, of which the beginning counts.
  Result<std::vector<detail::NearText>> nearest(std::string_view question, std::size_t count);
  // Why the texts cannot be compared, whatever the server says; empty: they can.
  std::string lack();
  std::size_t size();

 private:
  struct Run;
  Status load();
  std::string lack_now() const;
  Status embed_texts(Run& run);
  Status embed_batch(Run& run, std::span<const detail::TextToEmbed> batch);
  Status embed_alone(Run& run, const detail::TextToEmbed& text);
  Status add(Run& run, const detail::TextToEmbed& text, std::span<const float> vector);
  Status save(Run& run);
  Status take_over(Run& run, const std::string& path);

  const TextVectorsParts parts_;
  std::mutex mutex_;
  std::optional<FileStamp> read_;  // the file that was read or written last; nullopt: none yet
  Status fault_;                   // what was wrong with it
  std::string other_model_;        // whose vectors it holds; empty: ours
  std::map<store::EntityId, std::uint32_t> kept_;  // the signatures in it
  std::unique_ptr<detail::VectorIndex> index_;     // null: nothing is embedded
  std::int64_t ask_again_ns_ = 0;
  std::optional<Error> failure_;  // of the server, of late
};

// Takes the vectors of these entities, and of whatever is no more, out of the file of the space;
// for who forgets or erases. A file that cannot be read is removed. Returns how many were there.
Result<std::size_t> drop_vectors(FileSystem& files, const std::string& folder,
                                 const store::Snapshot& now,
                                 const std::set<store::EntityId>& entities);

}  // namespace anima::memory
