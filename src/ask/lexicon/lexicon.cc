#include "ask/lexicon/lexicon.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/text/text.h"
#include "language/language.h"
#include "language/text/vocabulary.h"

namespace anima::ask {
namespace {

constexpr double kPartCost = 1.0;
constexpr double kTypoCost = 1.5;
constexpr double kLastWordCost = 0.3;
constexpr double kStemCost = 0.02;
constexpr double kOtherFormCost = 0.1;  // another form of a word that means something as it is
constexpr double kUntrustedCost = 0.2;
constexpr double kThesaurusCost = 0.1;
constexpr std::size_t kMaxPartHits = 10;
constexpr std::size_t kMaxPhrase = 8;

bool is_code(std::string_view name) {
  return name.find(' ') == name.npos && name.find_first_of("0123456789") != name.npos;
}

bool is_word(const Piece& piece) {
  return piece.kind == Piece::Kind::kWord || piece.kind == Piece::Kind::kNumber ||
         piece.kind == Piece::Kind::kSign;
}

// "web 01" is not web01, nor "C ++" C: the pieces have the blanks between letters and digits that
// the name has, and no sign that it has not.
bool is_written_so(const std::vector<Piece>& pieces, std::size_t from, std::size_t to,
                   std::string_view name) {
  const std::vector<Piece> own = name_pieces(name);
  std::size_t word = 0;
  const Piece* before = nullptr;
  for (std::size_t at = from; at < to; ++at) {
    const Piece& piece = pieces[at];
    if (piece.kind == Piece::Kind::kSign) {
      if (name.find(piece.text) == std::string_view::npos) return false;
      continue;
    }
    const bool numbered = before != nullptr && (before->kind == Piece::Kind::kNumber) !=
                                                   (piece.kind == Piece::Kind::kNumber);
    if (numbered && word > 0 && word < own.size() &&
        (before->end == piece.begin) != (own[word - 1].end == own[word].begin))
      return false;
    word += piece.kind == Piece::Kind::kNumber || piece.kind == Piece::Kind::kDate
                ? cut_name(piece.text).size()
                : 1;
    before = &piece;
  }
  return true;
}

}  // namespace

std::unique_ptr<Lexicon> Lexicon::build(const store::Snapshot& snapshot,
                                        const std::vector<memory::RuleSource>& rules,
                                        const std::vector<Synonym>& synonyms,
                                        std::shared_ptr<const Pack> pack,
                                        const memory::Reasoner* reasoner) {
  SchemaKeeper keeper(pack, rules, synonyms);
  std::unique_ptr<Lexicon> lexicon(new Lexicon(snapshot, std::move(pack), std::move(keeper)));
  lexicon->build_again(snapshot, reasoner);
  return lexicon;
}

void Lexicon::build_again(const store::Snapshot& now, const memory::Reasoner* reasoner) {
  snapshot_ = now;
  keeper_.build(now, reasoner);
  names_ = NameIndex::build(now, schema());
  add_words();
  ++builds_;
}

void Lexicon::follow(const store::Snapshot& now, const std::vector<store::WrittenKey>& written,
                     const std::vector<memory::RuleChange>& derived,
                     const memory::Reasoner* reasoner) {
  const StatementChanges changes = changed_statements(snapshot_, now, written);
  if (!keeper_.follow(snapshot_, now, changes, derived, reasoner)) {
    build_again(now, reasoner);
    return;
  }
  for (const NameChange& change : keeper_.renamed()) names_.follow(snapshot_, now, change);
  snapshot_ = now;
  if (keeper_.words_changed() || (words_name_things_ && !keeper_.renamed().empty())) add_words();
}

// The words of the schema and of the language. O(schema + pack).
void Lexicon::add_words() {
  exact_.clear();
  stemmed_.clear();
  longest_ = 1;
  words_name_things_ = false;
  add_types();
  add_attributes();
  add_predicates();
  add_synonyms();
  add_thesaurus();
  add_attribute_last_words();
  add_deeds();
  add_scales();
  add_rule_sets();
}

std::string Lexicon::stems(const std::vector<std::string>& words) const {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + pack_->stem(word);
  return text;
}

void Lexicon::add(const std::vector<std::string>& words, Sense sense) {
  if (words.empty() || words.size() > kMaxPhrase) return;
  longest_ = std::max(longest_, words.size());
  exact_[joined(words, 0, words.size())].push_back(sense);
  sense.exact = false;
  sense.cost += kStemCost;
  stemmed_[stems(words)].push_back(std::move(sense));
}

// "Bacteria" of the type Bacterium, whose stem tells nothing.
void Lexicon::add_plurals(const std::vector<std::string>& words, const Sense& sense) {
  const auto language = language::language_of_code(pack_->language());
  if (words.empty() || !language) return;
  for (const auto& [plural, singular] : language::vocabulary(*language).irregular_plurals) {
    if (singular != words.back() || pack_->stem(plural) == pack_->stem(singular)) continue;
    std::vector<std::string> many = words;
    many.back() = plural;
    add(many, sense);
  }
}

void Lexicon::add_types() {
  for (std::size_t i = 0; i < schema().types.size(); ++i) {
    if (schema().types[i].name.empty()) continue;
    Sense sense;
    sense.kind = Sense::Kind::kType;
    sense.type = static_cast<TypeId>(i);
    auto words = cut_key(schema().types[i].name);
    add(words, sense);
    add_plurals(words, sense);
    if (words.size() < 2 || !pack_->adds_nothing(words.back())) continue;
    words.pop_back();
    add(words, sense);
  }
}

void Lexicon::add_attributes() {
  for (std::size_t i = 0; i < schema().attributes.size(); ++i) {
    const AttributeInfo& attribute = schema().attributes[i];
    Sense sense;
    sense.kind = Sense::Kind::kAttribute;
    sense.attribute = static_cast<int>(i);
    std::vector<std::string> words = attribute.words;
    add(words, sense);
    if (!attribute.unit.empty()) {
      words.pop_back();
      add(words, sense);
    }
    // "measured_at": also without the preposition; `_by` names who does it (add_deeds).
    if (attribute.words.size() > 1 && pack_->is_preposition(attribute.words.back()) &&
        attribute.unit.empty()) {
      Sense bare = sense;
      bare.cost += 0.05;
      if (!pack_->is_by(attribute.words.back()))
        add({attribute.words.begin(), attribute.words.end() - 1}, bare);
    }
    // "is_public": the word alone is a filter.
    if (attribute.flags()) {
      sense.kind = Sense::Kind::kFlag;
      add(attribute.words, sense);
      // "Smoking" of `no_smoking` would be the contrary.
      for (std::size_t from = 1;
           from < attribute.words.size() && !pack_->denies(attribute.words[from - 1]); ++from)
        add({attribute.words.begin() + static_cast<std::ptrdiff_t>(from), attribute.words.end()},
            sense);
    }
    // "hire_date" without what kind of value it is, also by its verb: hired, discovered.
    if (attribute.words.size() > 1 && pack_->is_kind_noun(attribute.words.back())) {
      Sense bare = sense;
      bare.kind = Sense::Kind::kAttribute;
      bare.cost += 0.05;
      std::vector<std::string> rest(attribute.words.begin(), attribute.words.end() - 1);
      add(rest, bare);
      const std::string verb = pack_->verb_of(pack_->stem(rest.back()));
      if (rest.size() == 1 && verb != pack_->stem(rest.back())) {
        bare.exact = false;
        stemmed_[verb].push_back(bare);
      }
    }
    add_other_names(static_cast<int>(i));
  }
}

// The last word of an attribute's name, where no other ends so.
void Lexicon::add_attribute_last_words() {
  std::unordered_map<std::string, std::vector<std::size_t>> last;
  for (std::size_t i = 0; i < schema().attributes.size(); ++i) {
    const AttributeInfo& attribute = schema().attributes[i];
    const std::size_t size = attribute.words.size() - (attribute.unit.empty() ? 0 : 1);
    // "Smoking" of `no_smoking` would be the contrary.
    const bool contrary = std::any_of(attribute.words.begin(), attribute.words.end(),
                                      [&](const std::string& word) { return pack_->denies(word); });
    if (size > 1 && !contrary) last[attribute.words[size - 1]].push_back(i);
  }
  for (const auto& [word, list] : last) {
    if (list.size() != 1 || !is_free(word)) continue;
    Sense sense;
    sense.kind = Sense::Kind::kAttribute;
    sense.attribute = static_cast<int>(list[0]);
    sense.cost = kLastWordCost;
    add({word}, sense);
  }
}

// A verb, with the nouns for who does it.
void Lexicon::add_verb(const std::vector<std::string>& words, Sense sense) {
  sense.kind = Sense::Kind::kVerb;
  add(words, sense);
  if (words.size() != 1) return;
  // In its frame without a preposition the doer is the subject of the verb.
  Sense noun = sense;
  noun.kind = Sense::Kind::kNoun;
  const PredicateInfo& info = schema().predicates[static_cast<std::size_t>(sense.predicate)];
  noun.inverse = sense.inverse ? false : info.preposition.empty();
  if (!info.preposition.empty() && info.preposition != words.back()) noun.inverse = false;
  noun.cost = 0.05;
  const std::string own = pack_->stem(words[0]);
  for (const std::string& doer : pack_->doers(own)) {
    // Of `manager` "managerr" would be the predicate's own noun.
    if (const std::string stem = pack_->stem(doer); stem != own) stemmed_[stem].push_back(noun);
  }
}

void Lexicon::add_predicates() {
  for (std::size_t i = 0; i < schema().predicates.size(); ++i) {
    const PredicateInfo& info = schema().predicates[i];
    Sense sense;
    sense.predicate = static_cast<int>(i);
    std::vector<std::string> head = info.words;
    if (!info.preposition.empty()) head.pop_back();
    // With a preposition the verb without it is turned round: Y runs X, Y wrote X. A role (`boss`)
    // says who somebody is, and its verb would say what he does.
    const auto* uses = head.size() == 1 ? pack_->uses(head[0]) : nullptr;
    const bool role =
        uses != nullptr && std::ranges::any_of(*uses, [](const PackUse& use) {
          return use.kind == PackUse::Kind::kClass && use.word_class == WordClass::kRole;
        });
    if (!role) add_verb(head, sense);
    // A noun is the object: capital of X; with "of" the subject: members of Y.
    Sense noun = sense;
    noun.kind = Sense::Kind::kNoun;
    const bool plain =
        info.preposition.empty() && info.words.size() == 1 && pack_->is_base(info.words[0]);
    if (plain || (info.preposition.empty() && info.words.size() > 1)) {
      noun.inverse = false;
      add(head, noun);
    }
    if (!info.preposition.empty()) {
      noun.inverse = true;
      add(head, noun);
    }
  }
}

void Lexicon::add_synonym(const Synonym& synonym, std::size_t index) {
  const auto words = cut_key(synonym.word);
  Sense sense;
  sense.cost = synonym.trusted ? 0 : kUntrustedCost;
  if (!synonym.most.empty()) {
    sense.kind = Sense::Kind::kScale;
    sense.most = synonym.most;
    if (const auto* uses = pack_->scale_uses(words.empty() ? "" : words[0])) {
      // All forms of an adjective that the pack knows.
      for (const ScaleUse& use : *uses) {
        const Scale& scale = pack_->scale(use.scale);
        (void)scale;
        sense.scale = use;
        add(words, sense);
      }
    } else {
      sense.scale.degree = Degree::kPlain;
      add(words, sense);
      const std::vector<std::string>& endings = pack_->degree_endings();
      for (std::size_t i = 0; i < std::min<std::size_t>(endings.size(), 2); ++i) {
        Sense form = sense;
        form.scale.degree = i == 0 ? Degree::kMore : Degree::kMost;
        std::string word = fold_case(synonym.word);
        if (!word.empty() && word.back() == endings[i].front()) word.pop_back();
        add({word + fold_case(endings[i])}, form);
      }
    }
    return;
  }
  if (synonym.where.is_object()) {
    sense.kind = Sense::Kind::kCondition;
    sense.condition = index;
    add(words, sense);
    return;
  }
  std::string means = synonym.means;
  bool inverse = synonym.inverse;
  if (means.starts_with('~')) {
    means.erase(0, 1);
    inverse = true;
  }
  if (const auto equal = means.find('='); equal != std::string::npos) {
    const std::string left = means.substr(0, equal);
    const auto dot = left.find('.');
    if (dot == std::string::npos) return;
    const auto type = schema().find_type(left.substr(0, dot));
    const int attribute = schema().find_attribute(left.substr(dot + 1));
    if (!type || attribute < 0) return;
    sense.kind = Sense::Kind::kValue;
    sense.type = *type;
    sense.attribute = attribute;
    sense.value = means.substr(equal + 1);
    sense.type_value = true;
    add(words, sense);
    return;
  }
  if (const auto type = schema().find_type(means)) {
    sense.kind = Sense::Kind::kType;
    sense.type = *type;
    add(words, sense);
    return;
  }
  if (const auto dot = means.find('.'); dot != std::string::npos) means = means.substr(dot + 1);
  if (const int attribute = schema().find_attribute(means); attribute >= 0) {
    sense.kind = Sense::Kind::kAttribute;
    sense.attribute = attribute;
    add(words, sense);
    return;
  }
  if (const int predicate = schema().find_predicate(means); predicate >= 0) {
    sense.predicate = predicate;
    const PredicateInfo& info = schema().predicates[static_cast<std::size_t>(predicate)];
    // The doer of a verb that means a "_by" predicate is the predicate's object.
    const bool by = pack_->is_by(info.preposition);
    sense.kind = Sense::Kind::kVerb;
    sense.declared = true;
    sense.inverse = by != inverse;
    add(words, sense);
    sense.kind = Sense::Kind::kNoun;
    sense.inverse = inverse;
    sense.declared = false;
    add(words, sense);
    return;
  }
  words_name_things_ = true;
  for (const store::EntityId entity : names_.called(snapshot_, normal_name(means))) {
    sense.kind = Sense::Kind::kThing;
    sense.thing = entity;
    add(words, sense);
  }
}

void Lexicon::add_synonyms() {
  for (std::size_t i = 0; i < schema().synonyms.size(); ++i) {
    const Synonym& one = schema().synonyms[i];
    if (one.language.empty() || one.language == pack_->language()) add_synonym(one, i);
  }
}

void Lexicon::add_thesaurus() {
  // Only where such an attribute is there and the word means nothing else.
  for (std::size_t i = 0; i < schema().attributes.size(); ++i) {
    const AttributeInfo& attribute = schema().attributes[i];
    const std::size_t size = attribute.words.size() - (attribute.unit.empty() ? 0 : 1);
    if (size != 1) continue;
    pack_->each_meaning(pack_->stem(attribute.words[0]), [&](const std::string& stem) {
      Sense sense;
      sense.kind = Sense::Kind::kAttribute;
      sense.attribute = static_cast<int>(i);
      sense.cost = kThesaurusCost;
      sense.exact = false;
      auto& list = stemmed_[stem];
      if (list.empty()) list.push_back(sense);
    });
  }
}

// An adjective of the pack is a word here when something is there that it measures.
void Lexicon::add_scales() {
  pack_->each_scale([&](const std::string& word, const ScaleUse& use) {
    const Scale& scale = pack_->scale(use.scale);
    bool there = false;
    for (const AttributeInfo& attribute : schema().attributes) {
      if (!attribute.numeric()) continue;
      there = there || scale.general;
      for (const std::string& name : scale.attributes) {
        for (const std::string& own : attribute.words) there = there || pack_->same_noun(own, name);
      }
    }
    Sense sense;
    sense.kind = Sense::Kind::kScale;
    sense.scale = use;
    std::vector<std::string> words;
    for (const std::string_view part : split(word, ' ')) words.emplace_back(part);
    longest_ = std::max(longest_, words.size());
    if (there) exact_[word].push_back(sense);
    // What a Word says of the plain form goes for the others.
    if (use.degree != Degree::kPlain) {
      const auto plain = exact_.find(scale.name);
      if (plain == exact_.end()) return;
      for (const Sense& own : std::vector<Sense>(plain->second)) {
        if (own.kind != Sense::Kind::kScale || own.most.empty()) continue;
        Sense form = own;
        form.scale = use;
        exact_[word].push_back(form);
      }
    }
  });
}

void Lexicon::add_rule_sets() {
  for (std::size_t i = 0; i < schema().rule_sets.size(); ++i) {
    Sense sense;
    sense.kind = Sense::Kind::kRule;
    sense.predicate = static_cast<int>(i);
    add(cut_key(schema().rule_sets[i].name), sense);
  }
}

// --- matching

// "are" is the verb and not the code ARE, "in" not IN: a word of the language is something of the
// space where it is written as that is.
bool Lexicon::is_only_word(const Piece& piece, std::string_view name) const {
  return piece.kind == Piece::Kind::kWord && piece.text != name && pack_->uses(piece.folded) &&
         fold_case(name) == fold_case(piece.text);
}

void Lexicon::name_senses(const std::vector<Piece>& pieces, std::size_t from, std::size_t to,
                          std::vector<Sense>& out) const {
  // "web01" is not asked for by who asks for "web01-03".
  if (pieces[from].joined_before || pieces[to - 1].joined_behind) return;
  std::vector<std::string> words;
  for (std::size_t i = from; i < to; ++i) {
    if (pieces[i].kind == Piece::Kind::kSign) continue;
    // Names have no numbers of more than digits: "v1.11" is v, 1, 11.
    if (pieces[i].kind == Piece::Kind::kNumber || pieces[i].kind == Piece::Kind::kDate) {
      for (std::string& word : cut_name(pieces[i].text)) words.push_back(std::move(word));
    } else {
      words.push_back(pieces[i].folded);
    }
  }
  if (words.empty()) return;
  const auto add_thing = [&](store::EntityId entity, double cost) {
    Sense sense;
    sense.kind = Sense::Kind::kThing;
    sense.begin = from;
    sense.end = to;
    sense.cost = cost;
    sense.thing = entity;
    out.push_back(std::move(sense));
  };
  auto exact = names_.called(snapshot_, joined(words, 0, words.size()), [&](std::string_view name) {
    return is_written_so(pieces, from, to, name);
  });
  std::erase_if(exact, [&](store::EntityId entity) {
    return to == from + 1 && is_only_word(pieces[from], snapshot_.name(entity));
  });
  for (const store::EntityId entity : exact) add_thing(entity, 0);
  if (!exact.empty() || words.size() > 3) return;
  // A part of a name needs a word of content.
  const bool function = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    // "the longest" asks for a measure, and is no part of the name of one.
    return pack_->uses(word) != nullptr || pack_->scale_uses(word) != nullptr || word.size() < 3;
  });
  const bool sign = std::any_of(pieces.begin() + static_cast<std::ptrdiff_t>(from),
                                pieces.begin() + static_cast<std::ptrdiff_t>(to),
                                [](const Piece& one) { return one.kind == Piece::Kind::kSign; });
  if (function || sign || pieces[from].kind == Piece::Kind::kNumber) return;
  for (const store::EntityId entity : names_.with_words(snapshot_, words, kMaxPartHits)) {
    // A part of a code is another code, or none: INV-2024 is not INV-2024-1, nor "web" web01.
    if (!is_code(snapshot_.name(entity))) add_thing(entity, kPartCost);
  }
}

std::vector<Sense> Lexicon::matches(const std::vector<Piece>& pieces) const {
  std::vector<Sense> found;
  const auto take = [&](const std::vector<Sense>& list, std::size_t from, std::size_t to) {
    for (Sense sense : list) {
      if (sense.counted && pack_->is_base(pieces[to - 1].folded)) continue;
      sense.begin = from;
      sense.end = to;
      found.push_back(std::move(sense));
    }
  };
  const std::size_t names_longest = std::max(names_.longest(), std::size_t{3});
  const std::size_t longest = std::max({longest_, names_longest, kMaxPhrase});
  for (std::size_t from = 0; from < pieces.size(); ++from) {
    if (pieces[from].kind == Piece::Kind::kQuoted) {
      const std::string words = normal_name(pieces[from].folded);
      for (const store::EntityId entity : names_.called(snapshot_, words)) {
        Sense sense;
        sense.begin = from;
        sense.end = from + 1;
        sense.thing = entity;
        found.push_back(std::move(sense));
      }
      if (const auto value = schema().values.find(words); value != schema().values.end()) {
        for (const ValueEntry& entry : value->second) {
          Sense sense;
          sense.kind = Sense::Kind::kValue;
          sense.begin = from;
          sense.end = from + 1;
          sense.attribute = entry.attribute;
          sense.value = entry.value;
          found.push_back(std::move(sense));
        }
      }
      continue;
    }
    std::string phrase, stemmed;
    bool signs = false;
    for (std::size_t to = from; to < pieces.size() && to - from < longest && is_word(pieces[to]);
         ++to) {
      if (pieces[to].kind != Piece::Kind::kSign) {
        phrase += (phrase.empty() ? "" : " ") + pieces[to].folded;
        stemmed += (stemmed.empty() ? "" : " ") + pack_->stem(pieces[to].folded);
      }
      signs = signs || pieces[to].kind == Piece::Kind::kSign;
      if (to - from < names_longest) name_senses(pieces, from, to + 1, found);
      const auto exact = signs ? exact_.end() : exact_.find(phrase);
      if (exact != exact_.end()) take(exact->second, from, to + 1);
      const auto stem = signs ? stemmed_.end() : stemmed_.find(stemmed);
      if (stem != stemmed_.end()) {
        // What is exact needs no stem.
        for (const Sense& sense : stem->second) {
          const bool known =
              exact != exact_.end() &&
              std::any_of(exact->second.begin(), exact->second.end(), [&](const Sense& own) {
                return own.kind == sense.kind && own.type == sense.type &&
                       own.attribute == sense.attribute && own.predicate == sense.predicate &&
                       own.inverse == sense.inverse;
              });
          if (known) continue;
          Sense inflected = sense;
          if (exact != exact_.end()) inflected.cost += kOtherFormCost;
          take({inflected}, from, to + 1);
        }
      }
      const auto values = [&](const std::string& text, double cost) {
        const auto value = schema().values.find(text);
        if (value == schema().values.end()) return false;
        for (const ValueEntry& entry : value->second) {
          if (to == from && is_only_word(pieces[from], entry.value)) continue;
          if (!is_written_so(pieces, from, to + 1, entry.value)) continue;
          Sense sense;
          sense.kind = Sense::Kind::kValue;
          sense.begin = from;
          sense.end = to + 1;
          sense.cost = cost;
          sense.attribute = entry.attribute;
          sense.value = entry.value;
          found.push_back(std::move(sense));
        }
        return true;
      };
      // "Opened" is the date that is called so, and no form of the state `open`.
      const bool dated =
          exact != exact_.end() && std::ranges::any_of(exact->second, [&](auto& one) {
            return one.kind == Sense::Kind::kAttribute &&
                   schema().attributes[static_cast<std::size_t>(one.attribute)].dates();
          });
      if (values(phrase, 0) || dated) continue;
      // "Concerts", "short stories": the last word in another form.
      const std::string& last = pieces[to].folded;
      if (last.size() <= 3 || !phrase.ends_with(last)) continue;
      const std::string before = phrase.substr(0, phrase.size() - last.size());
      for (const std::string& form : pack_->bases(last)) {
        if (values(before + form, kStemCost)) break;
      }
    }
  }
  // Who speaks is one person, whoever else is called so.
  std::erase_if(found, [&](const Sense& sense) {
    if (sense.kind != Sense::Kind::kThing) return false;
    const auto words = std::span(pieces).subspan(sense.begin, sense.end - sense.begin);
    return std::ranges::any_of(
        words, [&](const Piece& one) { return one.speaker && *one.speaker != sense.thing; });
  });
  return found;
}

std::vector<Sense> Lexicon::misspelt(const std::vector<Piece>& pieces, std::size_t at) const {
  const std::string& word = pieces[at].folded;
  const std::size_t letters = count_code_points(word);
  if (pieces[at].kind != Piece::Kind::kWord || letters < 4) return {};
  // Another letter of an identifier is another thing.
  if (pieces[at].joined_before || pieces[at].joined_behind) return {};
  const std::size_t edits = letters >= 8 ? 2 : 1;
  std::set<std::string> near;
  for (const std::string& name : names_.near_words(word, edits)) near.insert(name);
  for (const auto* table : {&exact_}) {
    for (const auto& [phrase, senses] : *table) {
      if (phrase.find(' ') == std::string::npos && edit_distance(word, phrase, edits) <= edits)
        near.insert(phrase);
    }
  }
  // Another ending makes another word of it, no misspelt one.
  std::erase_if(near, [&](const std::string& known) {
    const auto differ = std::mismatch(word.begin(), word.end(), known.begin(), known.end());
    return word.end() - differ.first <= 1 && known.end() - differ.second <= 1;
  });
  if (near.size() != 1) return {};
  std::vector<Piece> read = pieces;
  read[at].folded = *near.begin();
  std::vector<Sense> found;
  for (Sense& sense : matches(read)) {
    if (sense.begin > at || sense.end <= at) continue;
    sense.cost += kTypoCost;
    sense.read_word = *near.begin();
    sense.read_as = *near.begin();
    if (sense.kind == Sense::Kind::kThing) sense.read_as = std::string(snapshot_.name(sense.thing));
    found.push_back(std::move(sense));
  }
  return found;
}

std::vector<std::string> Lexicon::near(const std::string& word, std::size_t limit) const {
  std::vector<std::pair<std::size_t, std::string>> scored;
  std::set<std::string> seen;
  const auto consider = [&](const std::string& shown, std::size_t distance) {
    if (seen.insert(shown).second) scored.emplace_back(distance, shown);
  };
  store::TextQuery query;
  query.text = word;
  query.limit = limit * 2;
  for (const store::TextHit& hit : snapshot_.search(query)) {
    if (!schema().types_of_entity(hit.entity).empty())
      consider(std::string(snapshot_.name(hit.entity)), 2);
  }
  const std::size_t most = std::max<std::size_t>(1, word.size() / 3);
  for (const std::string& known : names_.near_words(word, std::min<std::size_t>(most, 2))) {
    for (const store::EntityId entity : names_.with_words(snapshot_, {known}, limit))
      consider(std::string(snapshot_.name(entity)), 1);
    for (const store::EntityId entity : names_.called(snapshot_, known))
      consider(std::string(snapshot_.name(entity)), 1);
  }
  for (const auto& [phrase, senses] : exact_) {
    const std::size_t distance = edit_distance(word, phrase, most);
    if (distance <= most) consider(phrase, distance);
  }
  std::sort(scored.begin(), scored.end());
  std::vector<std::string> names;
  for (const auto& [distance, name] : scored) {
    if (names.size() < limit) names.push_back(name);
  }
  return names;
}

std::vector<std::string> Lexicon::describe(const std::string& word) const {
  constexpr std::array<std::string_view, 11> kKinds = {
      "thing", "type", "attribute", "relation", "relation noun", "value",
      "flag",  "word", "rule",      "scale",    "verb of"};
  std::vector<std::string> lines;
  const std::string wanted = normal_name(word);
  for (const auto& [phrase, senses] : exact_) {
    if (!wanted.empty() && phrase != wanted) continue;
    for (const Sense& sense : senses) {
      std::string means;
      if (sense.kind == Sense::Kind::kType) means = schema().types[sense.type].name;
      if (sense.attribute >= 0)
        means = schema().attributes[static_cast<std::size_t>(sense.attribute)].key;
      if (sense.kind == Sense::Kind::kRule)
        means = schema().rule_sets[static_cast<std::size_t>(sense.predicate)].name;
      else if (sense.predicate >= 0)
        means = schema().predicates[static_cast<std::size_t>(sense.predicate)].name;
      if (!sense.value.empty() && sense.kind == Sense::Kind::kValue) means += "=" + sense.value;
      if (!sense.most.empty()) means = sense.most;
      lines.push_back(phrase + " -> " + std::string(kKinds[static_cast<std::size_t>(sense.kind)]) +
                      (means.empty() ? "" : " " + means) + (sense.inverse ? " (inverse)" : ""));
    }
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (!wanted.empty()) {
    for (const store::EntityId entity : names_.called(snapshot_, wanted))
      lines.push_back(wanted + " -> thing " + std::string(snapshot_.name(entity)));
  }
  return lines;
}

}  // namespace anima::ask
