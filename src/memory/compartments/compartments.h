// The compartment manager: which compartments there are, and their way from Dormant to Loaded to
// Active and back.
//
// What is loaded stands in the space itself, written in the same transaction as the triples, so
// that state and contents never disagree, whatever process asks. Each compartment's triples are in
// its own graph; unloading withdraws that graph's assertions and nothing else. Loading reads and
// checks every file first: it is all or nothing.
// Source: learning_and_psyche 2.4. Thread-safety: one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "memory/compartments/compartment.h"
#include "memory/compartments/questions.h"
#include "store/space.h"

namespace anima::memory {

struct Compartment {
  CompartmentManifest manifest;
  CompartmentState state = CompartmentState::kDormant;
  std::uint64_t triple_count = 0;
  CompartmentContent content;                           // of a loaded one, without its triples
  store::Trust rules_trust = store::Trust::kUntrusted;  // of who brought its rules
  store::Trust words_trust = store::Trust::kUntrusted;  // of who brought its synonyms
};

// Rules of one loaded compartment.
struct RuleSource {
  std::string compartment;
  std::string file;
  std::string text;
  store::Trust trust = store::Trust::kUntrusted;  // of who brought them
  bool operator==(const RuleSource&) const = default;
};

// The words that a loaded compartment declares: {"word": "meaning", "language": {"word": ..}}.
struct SynonymSource {
  std::string compartment;
  std::string json;
  store::Trust trust = store::Trust::kUntrusted;  // of who loaded it
  bool operator==(const SynonymSource&) const = default;
};

class CompartmentManager {
 public:
  // `base` is the folder whose sub-folders are compartments; it need not exist.
  CompartmentManager(store::Space& space, FileSystem& files, std::string base);

  // How many new ones. One broken manifest does not stop the others: discovery_errors() names it.
  // Errors: kIo when the base cannot be read.
  Result<std::size_t> discover();
  // Takes one folder in, wherever it is. Its id.
  Result<std::string> add(const std::string& directory);
  // A new folder with a manifest and an example triple, under the base. Its path.
  Result<std::string> create(const std::string& id, CompartmentKind kind);
  // Whose packs are trusted as verified; those of others, and unsigned ones, are standard.
  void accept_keys(std::vector<PublicKey> keys) { accepted_ = std::move(keys); }
  const std::vector<Error>& discovery_errors() const { return discovery_errors_; }
  // Brings states up to date with the space (another process may have changed it).
  Status refresh();
  // discover(), refresh(), and every Core compartment loaded and active; one that was unloaded
  // stays so until somebody loads it.
  Status start(const store::Origin& origin);

  // The psyche.toml of an active Core compartment whose folder has it otherwise than it was read:
  // without a text where it is gone, with an error where it cannot be read, also of one that could
  // not be loaded. Nothing for a manager without a base: that one reads no files.
  struct ChangedPsyche {
    std::string compartment, path, text;
    std::optional<Error> unreadable;
  };
  std::vector<ChangedPsyche> changed_psyches() const;
  // That text is what was read now.
  Status note_psyche(const ChangedPsyche& file, const store::Origin& origin);
  // Whether an agent takes a changed file without being asked (the setting psyche.follow).
  void follow_psyche(bool follow) { follows_psyche_ = follow; }
  bool follows_psyche() const { return follows_psyche_; }

  // add(), and load() and activate() where that is not so already. Its id.
  Result<std::string> bring(const std::string& directory, const store::Origin& origin);
  Status load(const std::string& id, const store::Origin& origin);
  Status activate(const std::string& id, const store::Origin& origin);
  Status deactivate(const std::string& id, const store::Origin& origin);
  Status unload(const std::string& id, const store::Origin& origin, bool force = false);
  // unload(), and the proof that nothing else went: the digest
  // (memory/compartments/knowledge_digest.h) of all other knowledge before the entry and of all
  // knowledge after it. O(knowledge log knowledge). Errors: kNotLoaded for a Dormant one.
  struct UnloadProof {
    Digest before{}, after{};
    std::uint64_t assertions = 0;  // that stayed
    bool exact() const { return before == after; }
  };
  Result<UnloadProof> unload_proved(const std::string& id, const store::Origin& origin,
                                    bool force = false);
  // Unloads the project that is loaded and loads and activates this one.
  Status switch_project(const std::string& id, const store::Origin& origin);

  const Compartment* find(std::string_view id) const;
  std::vector<const Compartment*> all() const;  // by id
  std::vector<const Compartment*> by_kind(CompartmentKind kind) const;
  std::vector<const Compartment*> active() const;
  std::vector<std::string> dormant_ids() const;

  std::vector<RuleSource> rules() const;           // of loaded and active ones
  std::vector<QuestionPattern> questions() const;  // of active ones
  std::vector<SynonymSource> synonyms() const;     // of loaded and active ones

 private:
  Result<Compartment*> known(const std::string& id);
  Result<bool> was_unloaded(const std::string& id) const;
  Result<store::Receipt> drop(Compartment& compartment, const store::Origin& origin, bool force);
  Status set_state(Compartment& compartment, CompartmentState state, const store::Origin& origin);

  store::Space& space_;
  FileSystem& files_;
  std::string base_;
  std::map<std::string, Compartment, std::less<>> compartments_;
  std::vector<Error> discovery_errors_;
  std::vector<PublicKey> accepted_;
  bool follows_psyche_ = false;
};

}  // namespace anima::memory
