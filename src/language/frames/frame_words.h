// What can be told of somebody in plain words, as data: the relations that all languages share
// (packs/language/frames/relations.toml) and how a language says them (packs/language/frames/LANG).
//
// relations.toml, a table a relation:
//   object         the type of what it leads to
//   value          without an object: date, number, phone, email, address, text, or name (what the
//                  subject is called)
//   one_valued     a new one takes the place of the one before
//   list           several objects may be told at once ("English and German")
//   topic          its object may be a common noun ("jazz"); else it is a name
//   bare           no word stands before its object: "half Norwegian"
//   known_subject  its words are said of more than persons ("Google owns YouTube"): only of who is
//                  known or speaks
//   opposite       the relation that a link of this one ends: likes, of dislikes
//   time_is        the relation that a time beside it states ("born in Oslo on 3 May 1990")
//   also           names that an attribute of the space may have for the same
//   listed         its object is a listed place; of another one it is asked
//   lasting        it has no now: "ich komme gerade aus Köln" tells of a journey
//   shared         what several tell of themselves ("we live in Graz") is the speaker's, too; of
//                  others it may be that of a firm ("we use Vim")
//   symmetric      whoever is told of is so, too: married_to
//   named_by_noun  the words behind its noun belong to its name ("favourite colour")
// [fits]: types of a space that are as good as a type of ours.
//
// LANG.toml: lists of words and phrases, then a table a relation:
//   first, third   its verb and what belongs to it, behind "I" and behind anybody else; {} is where
//                  the object stands, else at the end
//   ..._since      the same, and it holds only with a time from which on ("have worked at")
//   ..._began, ..._ended   it began or ended then; without first_, third_: said of everybody alike
//   ..._a          only with an article before its object ("drive a Tesla")
//   noun           "my NOUN is O": the speaker's relation leads to O; noun_of: O's to the speaker
//   prefix         the beginning of a noun that names it ("Lieblings")
//   ..._listed     ends with one of `objects` of the relation, or of `professions`
//   third_sure, ..._sure_listed   only of who has a sure name ("Sam is 7", but not "Room is 7")
//   first_known    only of a given name: "I'm Nora", but not "I'm Tired"
//   alone          the same, of the speaker, and without a subject: "call me Nori"
//   began_a        `began` with an article
//   ..._began_known  its words are said of other things, too ("moved to Linux"): the place is to be
//                  a listed one
//   began_held     what it takes the place of is to be known: "switched from Vim to Emacs"
//   a second {} in one of these: the first one is what has ended ("moved from {} to {}")
//   behind_R       what may stand behind a clause of the relation R, and leads to an object of this
//                  one, of the same subject: "as" of job, behind works_at; "*ceo of": the object
//                  ends with the word behind the sign
//   companions     what leads to who is said of as well: "I live in Bristol with my wife Claire"
//   passed_over    what leads to another object that is none: "tea to coffee", "to Oslo from Rome"
//   objects        words that are meant literally there; others may be a figure of speech ("play
//                  hardball")
// [plurals]: children = "child". [plural_verbs]: am = "are"; a verb that is not there stays.
// The lists:
//   of_several   what several people call theirs, of whom the speaker is one: "our dog"
//   several      how several call themselves, of whom the speaker is one: "we"; in_pairs: how he
//                calls himself beside another: "Claire and I"
//   speaker, of_speaker, pronouns, joiners (between clauses), own ("Ada's"), of, the
//   clause_joiners   between clauses alone, not between objects: "but"
//   is, is_called   between a noun and what it is; only the latter names an animal
//   are, are_called   the same of a noun in the plural
//   changed      with a noun of the speaker's and what it is now: "changed {} to {}"
//   negating_first, ..._third, ..._inside, but   "I don't work at X but at Y": what stands before
//                the verb, or behind its first word, and before the other one
//   copulas      verbs that what is said next may have, too: "I'm a nurse and vegan"
//   region_joiners   between a town and its country or state: "Oslo, Norway"
//   openers, correcting_openers   what a sentence may begin with; the latter correct something
//   fronting   what may stand before the verb (inverts = true: the verb comes second); that: what
//              puts it last
//   closers, fillers   what may stand behind a clause, and between its parts; adding: fillers that
//              say that it is one more ("also")
//   contrasts, before_contrasts   what says that another object is none, and may stand before that
//              one: "at Globex, not at Initech"
//   a, have, has, called   "have a brother named Tom"
//   name_articles, value_articles, before_dates   may stand before one and are no part of it
//   since   begins a time from which on something has held; others ("from Monday") may lie ahead
//   articled_names, institutions   names that have `the` before them, or begin a name behind it
//   particles, inside, initials   what stands inside a name in small letters, inside one of a place
//              or organisation, and before a full stop
//   not_names, not_name_endings, but_names, not_persons, not_topics   what is none by itself,
//              although it looks like one; never_names: nor behind another word of a name
//   states     words that say in which state something is: by itself none is what it is ("my
//   favourite
//              mug is broken")
//   unreal     one before a profession says that it is nobody's job now ("ex-nurse", "fake nurse",
//              "soon-to-be nurse")
//   denying    words of a relation's verb that deny it
//   now        what says that something holds for a while; without it a lasting relation is told
//   organisation_words   one of them beside another word makes a name of an organisation
//   language_names
//   group_openers   what begins a sentence that several people tell of themselves ("we"), or that
//              tells how somebody is called
//   nouns_capital = true   so has every noun: after "is" and an article one word is no name
//   lone_times = true      a year alone is a time
// Thread-safety: constant once loaded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "language/numbers/lexemes.h"

namespace anima::language {

enum class ValueKind : std::uint8_t {
  kNone,
  kDate,
  kNumber,
  kPhone,
  kEmail,
  kAddress,
  kText,
  kName
};

struct FrameRelation {
  std::string name;
  std::string object;  // a type; empty: a value
  ValueKind value = ValueKind::kNone;
  bool one_valued = false, list = false, topic = false, known_subject = false;
  bool named_by_noun = false;
  bool symmetric = false, lasting = false, listed = false, shared = false, bare = false;
  std::string leads_to;  // its object's type, or the name of its values' kind
  std::string time_is;
  std::string opposite;
  std::vector<std::string> also;
};

class FrameRelations {
 public:
  static Result<FrameRelations> from_toml(std::string_view text, std::string source);
  static const FrameRelations& shipped();

  const FrameRelation* find(std::string_view name) const;
  // Several values of it may hold at once; of one that is no relation they do not.
  bool has_many_values(std::string_view name) const;
  // The type is `wanted` or as good as it.
  bool fits(std::string_view type, std::string_view wanted) const;

 private:
  std::map<std::string, FrameRelation, std::less<>> relations_;
  std::map<std::string, std::vector<std::string>, std::less<>> fits_;
};

// Whether what is told holds, and from when on.
enum class FrameTime : std::uint8_t { kHolds, kSince, kBegan, kEnded };

struct FramePattern {
  const FrameRelation* relation = nullptr;
  std::vector<std::string> before, after;  // words around the object
  FrameTime time = FrameTime::kHolds;
  bool first = false, third = false;  // whom it is said of
  bool article = false, listed = false;
  bool known = false;    // its place or name is listed
  bool sure = false;     // its subject has a sure name
  bool alone = false;    // it has no subject
  bool held = false;     // what ends is to be known
  bool several = false;  // of several: "we"
  bool swaps = false;    // what ends stands before these:
  std::vector<std::string> between = {};
  bool denies = false;  // one of its words does: nothing may stand between them ("don't just like")
};

struct FrameNoun {
  const FrameRelation* relation = nullptr;
  std::vector<std::string> words;
  bool inverse = false;
  bool prefix = false;
};

// What may stand behind a clause, and tells something else of its subject.
struct FrameBehind {
  const FrameRelation* of = nullptr;  // the clause's
  const FrameRelation* relation = nullptr;
  std::vector<std::string> words;
  bool overlaps = false;  // its first word is the last of the object
};

class FrameWords {
 public:
  using Phrase = std::vector<std::string>;
  using Phrases = std::vector<Phrase>;  // the longest first
  using Words = std::unordered_set<std::string>;

  static Result<FrameWords> from_toml(std::string_view text, std::string source);
  // Of packs/language/frames; null for a language that is none of them.
  static const FrameWords* of(std::string_view language);
  static const std::vector<std::string>& languages();

  std::string language;
  bool inverts = false, nouns_capital = false, lone_times = false;
  Phrases speaker, of_speaker, of_several, pronouns, joiners, openers, correcting_openers, fronting,
      that;
  Phrases contrasts, before_contrasts;
  Phrases copulas, have_several, several, in_pairs, clause_joiners, are, are_called, region_joiners;
  Phrases negating_first, negating_third, negating_inside, but;
  std::vector<FramePattern> changed;  // without a relation
  Phrases closers, fillers, adding, is, is_called, own, of_words, the, a, have, has, called;
  Phrases name_articles, value_articles, before_dates, since, inside, now;
  Words articled_names, institutions, particles, initials, not_names, but_names;
  Words never_names, not_persons, not_topics, states, denying;
  Words professions, unreal, organisation_words, language_names;
  Phrases group_openers;
  std::map<std::string, Words, std::less<>> objects;  // by relation: what is meant literally
  std::vector<std::string> not_name_endings;
  std::map<std::string, Phrases, std::less<>> companions, passed_over;  // by relation
  std::map<std::string, std::string, std::less<>> plurals, plural_verbs;
  std::vector<FramePattern> patterns;  // the longest first
  std::vector<FrameBehind> behind;     // the longest first
  std::vector<FrameNoun> nouns;        // the longest first

  // The copula that the words of a pattern begin with; empty: they do not.
  Phrase copula_of(const FramePattern& pattern) const;
};

}  // namespace anima::language
