// What each word of a question may mean in one space: names, types, attributes, predicates, values,
// synonyms and the scales of the language, from the space itself.
//
// A Lexicon is of one set of rules and one language, and of one snapshot at a time: follow() takes
// it on to a later one, where it answers as one that is built anew. Thread-safety: const functions
// from any thread, follow() from one while nobody reads. Complexity: build O(statements), follow
// O(changed keys), build() again where the schema itself changed (schema_keeper.h); matches()
// O(pieces x longest phrase).
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ask/lexicon/names.h"
#include "ask/lexicon/pack.h"
#include "ask/lexicon/schema.h"
#include "ask/lexicon/schema_keeper.h"
#include "base/clock.h"

namespace anima::ask {

// One meaning of a run of pieces.
struct Sense {
  enum class Kind : std::uint8_t {
    kThing,      // things: homonyms are several senses
    kType,       // type
    kAttribute,  // attribute
    kVerb,       // predicate, said as a verb; `inverse`: its subject is the predicate's object
    kNoun,       // predicate, said as a noun; `inverse`: the noun is the predicate's subject
    kValue,      // attribute = value
    kFlag,       // boolean attribute
    kCondition,  // a `where` of a Word: by type
    kRule,       // rule set `predicate`: what rules say of single things
    kScale,      // scale, degree
    kDeed,       // attribute, said as what those do whom it names: "owns" of `owner`
  };
  Kind kind = Kind::kThing;
  std::size_t begin = 0, end = 0;  // pieces
  double cost = 0;
  store::EntityId thing = store::EntityId::kNone;
  TypeId type = 0;
  int attribute = -1;
  int predicate = -1;
  bool inverse = false;
  bool exact = true;
  std::string value;
  bool type_value = false;    // kValue that is a type with a value: "poem"
  std::size_t condition = 0;  // of Lexicon::schema().synonyms
  bool declared = false;      // a verb that a Word or a synonym gives: it takes no preposition
  bool counted = false;       // kAttribute: how many, said in another form than the name's own
  ScaleUse scale;
  std::string most;                // of a Word that names the attribute of a scale
  std::string read_word, read_as;  // what a misspelt word was read as, and whose name that is
};

class Lexicon {
 public:
  static std::unique_ptr<Lexicon> build(const store::Snapshot& snapshot,
                                        const std::vector<memory::RuleSource>& rules,
                                        const std::vector<Synonym>& synonyms,
                                        std::shared_ptr<const Pack> pack,
                                        const memory::Reasoner* reasoner = nullptr);
  // Takes up what was written between its snapshot and this one; `derived`: what that changed of
  // what the reasoner, which is there already, derives.
  void follow(const store::Snapshot& now, const std::vector<store::WrittenKey>& written,
              const std::vector<memory::RuleChange>& derived, const memory::Reasoner* reasoner);
  // Builds it anew at this snapshot.
  void build_again(const store::Snapshot& now, const memory::Reasoner* reasoner);
  // How often it was built: numbers of types, attributes and predicates hold for one build.
  std::uint64_t builds() const { return builds_; }

  const Schema& schema() const { return keeper_.schema(); }
  const Pack& pack() const { return *pack_; }
  const NameIndex& names() const { return names_; }
  const store::Snapshot& snapshot() const { return snapshot_; }

  // All senses of all runs of the pieces.
  std::vector<Sense> matches(const std::vector<Piece>& pieces) const;
  // Senses of one word with one or two letters wrong; empty unless there is one such word.
  std::vector<Sense> misspelt(const std::vector<Piece>& pieces, std::size_t at) const;
  // The name of the only attribute of which a word is a short or the long form: "temperature" of
  // peak_temp, "qty" of quantity. A guess; empty where there is none, or more. O(attributes).
  std::string abbreviated(const std::string& word) const;
  // Names near a word that nothing explains, at most `limit`.
  std::vector<std::string> near(const std::string& word, std::size_t limit) const;
  // The entries of a word, or all of the schema, as lines for people.
  std::vector<std::string> describe(const std::string& word) const;

 private:
  Lexicon(const store::Snapshot& snapshot, std::shared_ptr<const Pack> pack, SchemaKeeper keeper)
      : snapshot_(snapshot), pack_(std::move(pack)), keeper_(std::move(keeper)) {}
  void add_words();
  void add(const std::vector<std::string>& words, Sense sense);
  void add_types();
  void add_plurals(const std::vector<std::string>& words, const Sense& sense);
  void add_attributes();
  void add_other_names(int index);
  void add_attribute_last_words();
  bool is_free(const std::string& word) const;
  void add_predicates();
  void add_verb(const std::vector<std::string>& words, Sense sense);
  void add_deeds();
  void add_deeds_of_attribute(int index);
  void add_stemmed(const std::string& stem, Sense sense);
  void add_synonyms();
  void add_synonym(const Synonym& synonym, std::size_t index);
  void add_thesaurus();
  void add_scales();
  void add_rule_sets();
  bool is_only_word(const Piece& piece, std::string_view name) const;
  std::string stems(const std::vector<std::string>& words) const;
  void name_senses(const std::vector<Piece>& pieces, std::size_t from, std::size_t to,
                   std::vector<Sense>& out) const;

  store::Snapshot snapshot_;
  std::shared_ptr<const Pack> pack_;
  SchemaKeeper keeper_;
  NameIndex names_;
  std::unordered_map<std::string, std::vector<Sense>> exact_, stemmed_;
  std::size_t longest_ = 1;
  bool words_name_things_ = false;  // a synonym means a thing by its name, or nothing
  std::uint64_t builds_ = 0;
};

}  // namespace anima::ask
