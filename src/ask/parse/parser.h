// From the pieces of a question to the readings under which every word of content means something.
//
// Bottom-up: phrases of things, then verb phrases, then whole questions, all alternatives kept (at
// most kMaxAlternatives a place and kind), each join checked against the schema. A Parser is of one
// question. Thread-safety: one thread. Complexity: bounded by kMaxSteps joins.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ask/parse/joins.h"
#include "ask/parse/times.h"

namespace anima::ask {

struct PersonColumn;

inline constexpr std::size_t kMaxAlternatives = 24;
inline constexpr std::size_t kMaxSteps = 60'000;

struct Context {
  AskTime now;
  // What a pronoun may stand for, the best first.
  std::vector<SetRef> pronouns;
  std::vector<store::EntityId> others;  // what "else" leaves out
};

// Which half of "Ada as foreman" a phrase has, or of "checked by Ada". With one that is whole no
// half is joined by "and" or "or", for what the one names belongs to the other, too: "Ada as
// foreman or driver", "approved or checked by Ada".
struct RoleSaid {
  const Sense* role = nullptr;
  bool name = false;
  bool article = false;  // before the role: "a driver" beside "as foreman" may be any
  bool is_whole() const { return role != nullptr && name; }
};

// A phrase of things that ends at a piece.
struct Noun {
  std::size_t end = 0;
  double cost = 0;
  Phrase phrase;
  int attached = 0;  // phrases behind the head, to which what follows might belong
  RoleSaid said = {};
};

inline constexpr int kNoAttribute = -1, kDeniedAttribute = -2;

// What is said of a thing: it turns a set into those sets that also fulfil it.
struct Mod {
  std::size_t end = 0;
  double cost = 0;
  std::function<Joined(const SetRef&)> apply;
  bool open = false;  // a verb without its object: what follows would be the object's
  bool deed = false;  // a date that has come: what follows says more of what was done
  RoleSaid said = {};
  int attribute = kNoAttribute;  // of values that it says: whose they are
  bool bare = false;             // nothing but such a value
  bool capital = false;          // bare, with a capital letter as names have
  bool doer = false;             // by whom it is done
  bool gap = false;              // by a subject before its verb: "(did) Ada own"
  bool contrast = false;         // a "not" before it is not said of all of it: "A but B"
};

// An attribute, with the things that it is asked of where they were named.
struct Property {
  std::size_t end = 0;
  double cost = 0;
  int attribute = -1;
  SetRef of;  // null: not said
  std::optional<Fold> fold;
};

// What can be read from a place on.
enum class PhraseKind : std::uint8_t {
  kNoun,
  kVerb,
  kComplement,
  kPossession,
  kPrepositional,
  kProperty
};

class Parser {
 public:
  Parser(const Lexicon& lexicon, std::vector<Piece> pieces, std::vector<Sense> senses,
         const Context& context);

  // Readings of the whole question, in the order found.
  std::vector<Reading> readings();
  // Up to where the pieces were understood.
  std::size_t reached() const { return reached_; }
  bool exhausted() const { return steps_ > kMaxSteps; }
  // A word that was not explained by anything.
  bool uses_pronoun() const { return used_pronoun_; }

 private:
  using Nouns = std::vector<Noun>;
  using Mods = std::vector<Mod>;
  using Ends = std::vector<std::size_t>;

  // --- words (parser_words.cc)
  Ends after(std::size_t at, WordClass word_class) const;
  bool at_class(std::size_t at, WordClass word_class) const {
    return !after(at, word_class).empty();
  }
  std::vector<std::pair<std::size_t, const PackUse*>> uses(std::size_t at,
                                                           PackUse::Kind kind) const;
  std::vector<const Sense*> senses(std::size_t at, Sense::Kind kind) const;
  std::size_t skip(std::size_t at, WordClass word_class) const;  // the longest, or `at`
  std::size_t skip_article(std::size_t at) const { return skip(at, WordClass::kArticle); }
  bool step() { return ++steps_ <= kMaxSteps; }
  bool at_end(std::size_t at) const { return at >= pieces_.size(); }
  std::string preposition_at(std::size_t at) const;
  std::optional<std::pair<std::size_t, Constant>> clock_at(std::size_t at) const;
  std::vector<std::pair<std::size_t, Constant>> constants(std::size_t at) const;
  std::vector<std::pair<std::size_t, double>> numbers(std::size_t at) const;
  struct Bounds {
    std::size_t end = 0;
    Constant low, high;
  };
  std::vector<Bounds> bounds(std::size_t at) const;
  std::vector<Constant> meanings_of(std::size_t at, std::size_t end, double number) const;
  bool compares_size(std::size_t at) const;  // "over", "under"

  // --- phrases of things (parser_nouns.cc)
  const Nouns& nouns(std::size_t at);
  Nouns read_nouns(std::size_t at);
  void nominals(std::size_t at, const Phrase& start, double cost, Nouns& out);
  struct Modified {
    std::size_t at = 0;
    double cost = 0;
    std::vector<std::function<Joined(const SetRef&)>> mods;
  };
  void before_head(const Modified& state, int depth, const Phrase& start, Nouns& out);
  void heads(const Modified& state, const Phrase& start, Nouns& out);
  void add_head(const SetRef& set, std::size_t end, double cost, const Modified& state,
                const Phrase& start, Nouns& out);
  bool is_quantity(const Sense& value) const;
  void thing_heads(const Modified& state, const Phrase& start, Nouns& out);
  void noun_heads(const Modified& state, const Phrase& start, Nouns& out);
  void after_head(Nouns& list, std::size_t from);
  Mods after_noun(std::size_t at);
  void not_done(std::size_t at, Mods& out);
  void measured_by(std::size_t at, Mods& out);
  void possessives(Nouns& list);
  void alternatives(Nouns& list);
  Joined rule_set(const Sense& sense, const SetRef& set) const;
  Joined condition(const Sense& sense, const SetRef& set);

  // --- what is said of things (parser_verbs.cc)
  const Mods& verbs(std::size_t at);  // a verb phrase
  Mods read_verbs(std::size_t at);
  // Where a verb stands: it takes an object, or is said without one behind "is" or "has".
  enum class VerbPlace : std::uint8_t { kFinite, kBehindBe, kBehindHave };
  void verb_frames(std::size_t at, VerbPlace place, Mods& out);
  void bare_verb(const Sense& sense, const std::string& preposition, const Edge& edge, Mods& out);
  // Six in parser_rows.cc.
  bool tells_past() const;
  Joined said_relation(const SetRef& set, const Edge& edge, const Phrase& target) const;
  void bare_rows(std::size_t at, Mods& out);
  void most_done(const Sense& verb, const Edge& edge, Mods& out);
  void doers_in_rows(const Sense& deed, const Noun& noun);
  void row_told_more(const SetRef& rows, std::size_t at,
                     const std::function<void(const SetRef&, std::size_t, double)>& found);
  bool is_said_so(const Sense& sense, VerbPlace place, const std::string& frame) const;
  void place_frame(const Sense& sense, const Edge& edge,
                   const std::function<void(std::size_t, const Edge&, double)>& to);
  void higher(Mods& list);
  void counted_objects(std::size_t at, const Edge& edge, double cost, Mods& out);
  // Three in parser_sharing.cc; without an edge any that leads there.
  void same_as(std::size_t at, const std::optional<Edge>& edge, double cost, Mods& out);
  SetRef without(const SetRef& set, const SetRef& other) const;
  void both_objects(const Noun& first, const Edge& edge, double cost, Mods& out);
  void neither(std::size_t at, Nouns& out);
  void both_named(std::size_t at, Nouns& out);
  void only_objects(std::size_t at, const Edge& edge, double cost, Mods& out);
  void attribute_verbs(std::size_t at, Mods& out);
  // Nine in parser_choices.cc.
  Mods value_choices(std::size_t at, int attribute);  // any attribute: -1
  void other_tests(int attribute, Mods& out);
  void neither_there(std::size_t at, Mods& out);
  void neither_said(std::size_t at, const std::function<const Mods&(std::size_t)>& more, Mods& out);
  std::vector<std::vector<const Sense*>> values_joined(std::size_t at, WordClass between,
                                                       int attribute) const;
  Mod has_one_of(const std::vector<const Sense*>& values);
  void as_bare(std::size_t at, int attribute, Mod& mod) const;
  static bool is_of_other_column(const Mod& first, const Mod& second);
  void named_by_column(const Mod& mod, int attribute, Mods& out) const;
  // Three in parser_who.cc.
  void deed_times(const Sense& deed, Mods& out);
  void placed_times(const Sense& deed, Mods& out);
  void values_done(const Sense& column);
  // Six in parser_deeds.cc.
  Mod done_by(const Sense& deed, const Sense& doer, std::size_t end) const;
  Mod done_by_nobody(const Sense& deed, std::size_t end) const;
  std::vector<const Sense*> doers(std::size_t at) const;
  void deed_verbs(std::size_t at, Mods& out);
  void bare_deeds(std::size_t at, Mods& out) const;
  Mods deed_gaps(std::size_t at);
  bool years(int attribute, const TypeSet& types) const;
  bool is_dated(const SetExpr& set, int attribute) const;
  bool is_timed_by(const SetExpr& set, int attribute) const;
  Mod or_of_role(const Mod& mod) const;
  const Mods& complements(std::size_t at);  // behind "is"
  Mods read_complements(std::size_t at);
  const Mods& possessions(std::size_t at);  // behind "has", "with"
  Mods read_possessions(std::size_t at);
  void attribute_possessions(std::size_t at, Mods& out);
  void flag_possessions(std::size_t at, Mods& out);
  // Those with roles in parser_roles.cc.
  struct Roles {
    std::size_t end = 0;
    double cost = 0;
    bool article = false;
    bool all = false;                // "and"
    bool apart = false;              // a further one has an article of its own
    std::vector<const Sense*> each;  // nouns of relations, and columns of texts
  };
  std::vector<Roles> roles(std::size_t at) const;
  std::vector<Roles> more_roles(const Roles& first) const;
  bool is_role(const Sense& sense) const;
  bool are_alike(const Sense& a, const Sense& b) const;
  bool share_a_name(const RoleSaid& a, const RoleSaid& b) const;
  Mod in_each(const Roles& roles,
              const std::function<Joined(const SetRef&, const Sense&)>& said) const;
  void in_role(const Noun& noun, Mods& out);
  void named_role(std::size_t at, Mods& out);
  void text_in_role(std::size_t at, Mods& out);
  bool is_of_one(const Sense& value, const Roles& roles) const;
  Mod with_text(const Sense& value, const Roles& roles) const;
  bool is_definite(const Sense& sense, const Modified& state, const Phrase& start) const;
  std::optional<OwnRole> own_role(const Sense& sense, const Phrase& whole, const Modified& state,
                                  const Phrase& start) const;
  void roles_of(const Modified& state, const Phrase& start, Nouns& out);
  void numbered_possessions(std::size_t start, Mods& out);
  void counted_possessions(std::size_t at, Mods& out);
  void superlative_possessions(std::size_t at, Mods& out);
  Mod best_together(const Sense& sense, Fold fold, bool most, std::size_t end);
  const Mods& prepositional(std::size_t at);  // "on atlas"
  void measured(std::size_t at, Mods& out);
  void counted_in(std::size_t at, Mods& out);
  Mods read_prepositional(std::size_t at);
  Mods gaps(std::size_t at, const Phrase& subject, const std::string& preposition);
  Mods comparisons(std::size_t at);  // "longer than Night Ferry"
  Mods attribute_tests(std::size_t at, int attribute, double cost);
  Mods times(std::size_t at, bool bare);  // of an attribute that is not named
  void or_then(int attribute, Mods& tests);
  std::string until_now(int attribute) const;
  Mods timed_alone(const Mods& list) const;
  bool is_past_deed(const Sense& sense) const;
  // Eleven in parser_shared.cc. Verbs with a joiner between, and which of them are denied.
  struct Joint {
    std::size_t end = 0;
    double cost = 0;
    bool all = true;  // "or": false
    bool neither = false, both = false;
    bool clear = true;  // nothing in it is denied or set against the rest
    std::vector<std::pair<const Sense*, bool>> each;
  };
  std::vector<Joint> verbs_joined(std::size_t at, Sense::Kind kind) const;
  void join_verb(const Joint& joint, Sense::Kind kind, std::vector<Joint>& out) const;
  static bool is_clear(const Joint& joint, bool denied, bool contrast);
  Mod with_each(const Joint& joint, const std::function<Mod(const Sense&)>& said) const;
  std::optional<Edge> edge_by(const Sense& verb) const;
  void done_by_one(std::size_t at, Mods& out);
  void done_by_text(const Joint& joint, const Sense& doer, std::size_t end, Mods& out) const;
  void done_then(std::size_t at, Mods& out);
  void gaps_joined(std::size_t at, const Phrase& subject, Mods& out) const;
  bool says_time(std::size_t at) const;
  // "(driven) and loaded by Gus", and with `time` "(lent) or returned in March": what stands behind
  // the second verb is said of the first, too, which is nobody's then.
  bool shares_what_follows(std::size_t end, bool time) const;
  bool is_state_of_deed(std::size_t at) const;
  bool is_part_of_name(std::size_t at, const Noun& noun) const;
  SetRef not_over(const SetRef& set, int attribute, std::size_t at) const;
  std::vector<const Sense*> values_like(const Sense& sense) const;
  void leave_states(const Sense& date, std::size_t from, Mods& out);
  void passed(std::size_t at, Mods& out);
  Mods time_tests(std::size_t at, int attribute, double cost, bool bare);
  void beside_things(std::size_t at, int attribute, double cost, Mods& out);
  Mod has_value(const Sense& sense, double more);  // dearer by `more`
  SetRef within(const SetRef& set, int attribute, const Bounds& both) const;
  Mods closures(Mods mods) const;
  Mod turned(const Mod& mod) const;
  // The phrases of a kind at a place, with those that "and" joins on; each place is read once.
  const Mods& mods_at(PhraseKind kind, std::map<std::size_t, Mods>& kept,
                      Mods (Parser::*read)(std::size_t), std::size_t at);
  void coordinate(Mods& list, const std::function<Mods(std::size_t)>& more);
  std::vector<std::pair<std::string, bool>> frames(const Sense& sense) const;

  // --- properties (parser_properties.cc)
  const std::vector<Property>& properties(std::size_t at);
  std::vector<Property> read_properties(std::size_t at);
  void folded_over(const Property& bare, std::vector<Property>& out);
  void folded_of(const Property& bare, const Noun& whose, std::vector<Property>& out);

  Asked asked_for() const;

  // --- questions (parser_questions.cc, those for numbers and groups in parser_groups.cc)
  void question(std::size_t at);
  void add(Reading reading, std::size_t end);
  void list_reading(const SetRef& set, std::size_t end, double cost);
  void plain_list(const SetRef& set, std::size_t end, double cost);
  // Three in parser_who.cc.
  bool most_persons(const SetExpr& set, std::size_t end, double cost);
  void who_reading(const SetRef& set, std::size_t end, double cost);
  void persons_in(const SetRef& set, TypeId type, const PersonColumn& column, std::size_t end,
                  double cost);
  void each_reading(const SetExpr& set, std::size_t end, double cost);
  void noun_questions(std::size_t at);
  void which_questions(std::size_t at);
  void who_questions(std::size_t at);
  void fronted_questions(std::size_t at);
  void be_questions(std::size_t at);
  void do_questions(std::size_t at);
  void truths(const Noun& subject, const Mods& said);
  void truths_of_own(const Noun& subject, const Mods& said);
  void truths_of_all(const Noun& subject, const Mods& said);
  void where_questions(std::size_t at);
  void when_questions(std::size_t at);
  void how_questions(std::size_t at);
  void count_questions(std::size_t at);
  // Six in parser_sums.cc.
  void sums_done(std::size_t at);
  void sum_of_deed(std::size_t at, int named, double cost);
  void sum_done_by(std::size_t at, int named, double cost, const Noun* of);
  void sum_of_rows(const Mods& said, int named, double cost, const Noun* of);
  void sum_said(const Reading& sum, const SetRef& rows, const Mod& mod);
  int amount_of(const TypeSet& types) const;
  void group_questions(std::size_t at);
  void best_fold(const Sense& sense, std::size_t have);
  void values_there(std::size_t at, bool asked_for);
  void best_of_groups(const SetExpr& chosen, std::size_t at, double cost);
  void value_questions(std::size_t at);
  void whose_questions(std::size_t at);
  // Three in parser_deeds.cc.
  void deed_questions(std::size_t at);
  void each_done(std::size_t at, const std::function<void(const Noun&, const Sense&)>& visit);
  void exists_reading(const Mod& gap);
  void special_questions(std::size_t at);
  void why_questions(std::size_t at);
  void what_if_questions(std::size_t at);
  void source_questions(std::size_t at);
  void history_questions(std::size_t at);
  void inverted(std::size_t at, const SetRef& focus, const std::string& preposition,
                const std::function<void(const SetRef&, std::size_t, double)>& found);
  void groups(std::size_t at, const TypeSet& from,
              const std::function<void(const Grouping&, std::size_t, double)>& found);
  void finish_group(const Reading& reading, std::size_t at);
  void group_of(std::size_t at, const TypeSet& from,
                const std::function<void(const Grouping&, std::size_t, double)>& found);
  void grouped(const Reading& reading, const Grouping& group, std::size_t end, double cost);
  std::vector<Reading> simple_readings();
  SetRef numbered(const SetRef& set, int numeral) const;
  void most_shared(const Sense& sense);
  void most_counted(const Sense& sense, std::size_t at);
  bool is_of_words(int attribute) const;
  void groups_with(const Sense& sense, std::size_t have);
  void count_values(std::size_t at);
  void done_by_each(const Noun& noun);
  void asked_attribute(std::size_t start);
  void value_reading(int attribute, const Phrase& phrase, std::size_t end, double cost,
                     std::optional<Fold> fold = std::nullopt);
  void most_subjects(std::size_t at, const SetRef& focus, const std::string& preposition,
                     const std::function<void(const SetRef&, std::size_t, double)>& found);
  Joined between(const SetRef& focus, const Phrase& subject, const std::string& preposition);
  void every_subject(const Noun& focus, const std::string& preposition);
  void dated_kind(std::size_t start);
  void dated_verb(std::size_t at);
  void place(const Noun& noun, int predicate, std::size_t end);
  bool by_place(const std::string& preposition) const;
  bool says_where(const std::vector<std::string>& words) const;
  void verb_groups(const Noun& noun);
  bool is_context(const SetRef& set) const;

  const Lexicon& lexicon_;
  const Schema& schema_;
  const Pack& pack_;
  Joins joins_;
  std::vector<Piece> pieces_;
  std::vector<Sense> senses_;
  std::vector<std::vector<const Sense*>> by_start_;
  // Uses of the pack by first piece: (end, use).
  std::vector<std::vector<std::pair<std::size_t, const PackUse*>>> uses_;
  Context context_;
  Asked asked_ = Asked::kAny;
  std::map<std::size_t, Nouns> nouns_;
  std::map<std::size_t, Mods> verbs_, complements_, possessions_, prepositional_;
  std::map<std::size_t, std::vector<Property>> properties_;
  std::set<std::pair<PhraseKind, std::size_t>> open_;  // being read: no left recursion
  std::vector<Reading> found_;
  std::size_t steps_ = 0, reached_ = 0;
  bool used_pronoun_ = false;
  std::optional<store::Sequence> as_of_entry_;
  std::string as_of_time_;
};

}  // namespace anima::ask
