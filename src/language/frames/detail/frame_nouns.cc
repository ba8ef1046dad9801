#include <charconv>

#include "base/text/text.h"
#include "language/frames/detail/frame_reader.h"
#include "language/names/known_words.h"
#include "language/text/fold.h"

namespace anima::language::detail {

std::vector<FrameReader::NounAt> FrameReader::nouns_at(std::size_t at) const {
  std::vector<NounAt> found;
  for (const FrameNoun& noun : words_.nouns) {
    const std::string& name = noun.relation->name;
    if (noun.prefix) {
      const bool begins = at < lexemes_.size() && lexemes_[at].text.starts_with(noun.words[0]) &&
                          lexemes_[at].text.size() > noun.words[0].size();
      if (begins) found.push_back({&noun, at + 1, lexemes_[at].text});
      continue;
    }
    if (at >= lexemes_.size() || !stands_at(lexemes_, at, noun.words)) continue;
    std::size_t end = at + noun.words.size();
    std::string key = name;
    if (noun.relation->named_by_noun) {
      key = lexemes_[at].text;
      const auto what = sides_.topic(end);
      if (!what) continue;
      for (; end < what->end; ++end) key += "_" + lexemes_[end].text;
    }
    found.push_back({&noun, end, std::move(key)});
  }
  return found;
}

std::string FrameReader::noun_of(const FrameNoun& noun) { return join(noun.words, " "); }

bool FrameReader::is_kin(const FrameNoun& noun) { return noun.relation->object == kPerson; }

void FrameReader::add_named_relative(const NounAt& noun, const FrameSide& owner,
                                     std::vector<Subject>& found) {
  reach({noun.end}, 0);
  const bool bracket = sides_.is_sign(noun.end, "("), comma = sides_.is_sign(noun.end, ",");
  const std::size_t sign = bracket || comma ? 1 : 0;
  const auto name = sides_.person(noun.end + sign);
  if (!name || (sign > 0 && !sides_.is_sign(name->end, bracket ? ")" : ","))) return;
  const FrameSide side = named(*name, kPerson);
  Frame told{noun.noun->relation, noun.key, owner, side, noun_of(*noun.noun)};
  if (noun.noun->inverse) std::swap(told.subject, told.object);
  found.push_back({side, name->end + sign, {std::move(told)}});
}

void FrameReader::add_relatives(std::size_t at, std::vector<Subject>& found) {
  std::size_t my = sides_.phrase(at, words_.of_speaker);
  if (my == 0) my = sides_.phrase(at, words_.of_several);
  if (my == 0) return;
  for (const NounAt& each : nouns_at(at + my)) {
    if (!is_kin(*each.noun)) continue;
    add_named_relative(each, {FrameSide::Kind::kSpeaker}, found);
    found.push_back({{FrameSide::Kind::kRelative,
                      {},
                      std::string(sides_.written(at, each.end)),
                      each.noun->relation,
                      noun_of(*each.noun),
                      each.noun->inverse},
                     each.end});
  }
}

std::vector<FrameReader::Subject> FrameReader::lone_subjects(std::size_t at) {
  std::vector<Subject> found;
  const auto add = [&](FrameSide::Kind kind, std::size_t size) {
    if (size == 0) return;
    found.push_back({{kind, {}, std::string(sides_.written(at, at + size))}, at + size});
  };
  add(FrameSide::Kind::kSpeaker, sides_.phrase(at, words_.speaker));
  if (const std::size_t we = sides_.phrase(at, words_.several)) {
    add(FrameSide::Kind::kSpeaker, we);
    found.back().several = true;
  }
  add(FrameSide::Kind::kPronoun, sides_.phrase(at, words_.pronouns));
  add_relatives(at, found);
  if (const auto name = found.empty() ? sides_.person(at) : std::nullopt) {
    const std::size_t own = sides_.phrase(name->end, words_.own);
    for (const NounAt& each : nouns_at(name->end + own)) {
      if (own == 0 || !is_kin(*each.noun)) continue;
      add_named_relative(each, named(*name, kPerson), found);
      found.push_back(
          {{FrameSide::Kind::kRelative, name->text, std::string(sides_.written(at, each.end)),
            each.noun->relation, noun_of(*each.noun), each.noun->inverse,
            evidence_.of_name(*name, kPerson, false)},
           each.end});
    }
    found.push_back({named(*name, kPerson), name->end});
  }
  return found;
}

std::vector<FrameReader::Subject> FrameReader::subjects(std::size_t at) {
  std::vector<Subject> found = lone_subjects(at);
  add_pairs(at, found);
  return found;
}

// Of who has no name nothing is told. "Tom, Anna and I" may speak to Tom.
void FrameReader::add_pairs(std::size_t at, std::vector<Subject>& found) {
  const auto speaker = [&](std::size_t place) {
    const std::size_t size = sides_.phrase(place, words_.in_pairs);
    return Subject{{FrameSide::Kind::kSpeaker}, place + size};
  };
  std::vector<Subject> firsts;
  for (const Subject& one : found)
    if (one.side.kind == FrameSide::Kind::kName || one.side.kind == FrameSide::Kind::kRelative)
      firsts.push_back(one);
  if (Subject one = speaker(at); one.end > at) firsts.push_back(std::move(one));
  for (const Subject& first : firsts) {
    const std::size_t joiner = sides_.phrase(first.end, words_.joiners);
    const std::size_t from = first.end + joiner;
    if (joiner == 0 || lexemes_[from - 1].kind != Lexeme::Kind::kWord) continue;
    std::vector<Subject> seconds = lone_subjects(from);
    if (Subject one = speaker(from); one.end > from) seconds = {std::move(one)};
    for (const Subject& second : seconds) {
      Subject both{{}, second.end, first.told, true};
      both.told.insert(both.told.end(), second.told.begin(), second.told.end());
      std::vector<FrameSide> named;
      for (const Subject* one : {&first, &second})
        if (one->side.kind == FrameSide::Kind::kName) named.push_back(one->side);
      const bool of_speaker = first.is_first() || second.is_first();
      if (first.several || second.several || (!of_speaker && named.size() < 2)) continue;
      if (of_speaker) {
        both.side = {FrameSide::Kind::kSpeaker};
        both.others = std::move(named);
      } else {
        both.side = named.front();
        both.others = {named.back()};
      }
      found.push_back(std::move(both));
    }
  }
}

std::vector<FrameReader::Subject> FrameReader::owners(std::size_t at) {
  std::vector<Subject> found;
  for (Subject& one : subjects(at)) {
    const std::size_t own = sides_.phrase(one.end, words_.own);
    if (own == 0 || one.is_first() || one.side.kind == FrameSide::Kind::kPronoun) continue;
    one.end += own;
    found.push_back(std::move(one));
  }
  if (const std::size_t my = sides_.phrase(at, words_.of_speaker))
    found.push_back({{FrameSide::Kind::kSpeaker}, at + my});
  if (const std::size_t our = sides_.phrase(at, words_.of_several))
    found.push_back({{FrameSide::Kind::kSpeaker}, at + our, {}, true});
  return found;
}

Frame FrameReader::noun_frame(const NounAt& noun, const Subject& owner) const {
  return {noun.noun->relation, noun.key, owner.side, {}, noun_of(*noun.noun)};
}

bool FrameReader::nouns(Place place, std::size_t count) {
  return each_noun(place.at, [&](const Subject& owner, const NounAt& noun, std::size_t end) {
    const bool relative = owner.side.kind == FrameSide::Kind::kRelative;
    if (relative && noun.noun->relation->value == ValueKind::kName) return false;
    const std::size_t called = sides_.phrase(end, words_.is_called);
    const std::size_t is = called > 0 ? called : sides_.phrase(end, words_.is);
    if (is == 0 || (called == 0 && noun.noun->relation->object == kAnimal)) return false;
    const Place behind = reach({end, place.time, place.adds}, is);
    // "My job is hard."
    const bool text = noun.noun->relation->value == ValueKind::kText;
    const FrameRelation& relation = *noun.noun->relation;
    if (text && !relation.named_by_noun && !sides_.listed(behind.at, listed_for(relation)))
      return false;
    const auto read = [&](const Place& from) {
      std::vector<FrameSide> list;
      return each_object(
          *noun.noun->relation, from, list,
          [&](Place closed, const std::vector<FrameSide>& objects) {
            // "Mein Mann ist Arzt."
            const bool lone = words_.nouns_capital && called == 0 && is_kin(*noun.noun) &&
                              objects.front().name.find(' ') == std::string::npos;
            return !lone && emit(noun_frame(noun, owner), called > 0 ? called_so(objects) : objects,
                                 owner, closed, count, noun.noun->inverse);
          });
    };
    if (read(behind)) return true;
    // "My boss is not Carla but Dana."
    const std::size_t negation = sides_.phrase(behind.at, words_.negating_inside);
    if (negation == 0 || noun.noun->inverse) return false;
    return instead_of(noun_frame(noun, owner), reach(behind, negation), [&](const Place& end) {
      const std::size_t but = sides_.phrase(end.at, words_.but);
      return but > 0 && read(reach(end, but));
    });
  });
}

bool FrameReader::inverse_nouns(Place place, std::size_t count) {
  const auto name = sides_.name(place.at, kPerson);
  if (!name) return false;
  const std::size_t is = sides_.phrase(name->end, words_.is);
  if (is == 0) return false;
  const Place behind = reach({name->end, place.time, place.adds}, is);
  return each_noun(behind.at, [&](const Subject& owner, const NounAt& noun, std::size_t end) {
    if (noun.noun->relation->object.empty()) return false;
    const std::vector<FrameSide> object = {named(*name, kPerson)};
    return emit(noun_frame(noun, owner), object, owner, reach({end, behind.time, behind.adds}, 0),
                count, noun.noun->inverse);
  });
}

std::vector<FrameReader::NounAt> FrameReader::counted_nouns(std::size_t at, bool many) const {
  if (!many) return nouns_at(at);
  std::vector<NounAt> found;
  const auto one =
      at < lexemes_.size() ? words_.plurals.find(lexemes_[at].text) : words_.plurals.end();
  if (one == words_.plurals.end()) return found;
  for (const FrameNoun& noun : words_.nouns)
    if (noun.words == FrameWords::Phrase{one->second})
      found.push_back({&noun, at + 1, noun.relation->name});
  return found;
}

std::optional<std::vector<FrameSide>> FrameReader::names(std::string_view type, std::int64_t count,
                                                         Place& place) {
  std::vector<FrameSide> list;
  for (;;) {
    const auto name = sides_.name(place.at, type);
    if (!name) return std::nullopt;
    list.push_back(named(*name, type));
    place = reach(place, name->end - place.at);
    if (std::ssize(list) == count) return list;
    const std::size_t joiner = sides_.phrase(place.at, words_.joiners);
    if (joiner == 0) return std::nullopt;
    place = reach(place, joiner);
  }
}

bool FrameReader::named_so(const NounAt& noun, const Subject& owner, Place place,
                           std::int64_t wanted, bool called, std::size_t count) {
  const std::string& type = noun.noun->relation->object;
  if (type.empty() || (!called && type != kPerson)) return false;
  const auto most = static_cast<std::int64_t>(kMostListed);
  for (std::int64_t size = wanted > 0 ? wanted : most; size >= std::max<std::int64_t>(wanted, 2);
       --size) {
    Place behind = place;
    auto list = names(type, size, behind);
    // "My kids are Tired and Hungry."
    const bool sure =
        list && std::ranges::all_of(*list, [](const FrameSide& one) {
          return one.doubt == NameDoubt::kNone &&
                 is_given_name(fold(one.name.substr(0, one.name.find(' ')), FoldStrength::kCase));
        });
    if (!list || (!called && !sure)) continue;
    if (called) list = called_so(std::move(*list));
    if (emit(noun_frame(noun, owner), *list, owner, behind, count, noun.noun->inverse)) return true;
  }
  return false;
}

bool FrameReader::plural_nouns(Place place, std::size_t count) {
  for (const Subject& owner : owners(place.at)) {
    const Place from = skip(reach({owner.end, place.time, place.adds}, 0));
    const auto number = sides_.value(from.at, ValueKind::kNumber);
    std::int64_t wanted = 0;
    if (number)
      std::from_chars(number->text.data(), number->text.data() + number->text.size(), wanted);
    if (number && (wanted < 2 || wanted > static_cast<std::int64_t>(kMostListed))) continue;
    for (const NounAt& noun : counted_nouns(number ? number->end : from.at, true)) {
      if (owner.several && !is_of_each(*noun.noun->relation)) continue;
      const std::size_t called = sides_.phrase(noun.end, words_.are_called);
      const std::size_t are = called > 0 ? called : sides_.phrase(noun.end, words_.are);
      if (are == 0) continue;
      const Place behind = reach({noun.end, from.time, from.adds}, are);
      if (named_so(noun, owner, behind, wanted, called > 0, count)) return true;
    }
  }
  return false;
}

bool FrameReader::changed_nouns(const Subject& subject, Place place, std::size_t count) {
  if (!subject.is_first() || subject.several) return false;
  for (const FramePattern& pattern : words_.changed) {
    const auto verb = words(pattern.before, 0, pattern.before.size(), place);
    if (!verb) continue;
    const bool read =
        each_noun(verb->at, [&](const Subject& owner, const NounAt& noun, std::size_t end) {
          const FrameRelation& relation = *noun.noun->relation;
          // "I changed my job to part time."
          const bool free =
              relation.value == ValueKind::kText || relation.value == ValueKind::kName;
          if (!relation.object.empty() || free || owner.side.kind != FrameSide::Kind::kSpeaker)
            return false;
          const auto behind = words(pattern.between, 0, pattern.between.size(),
                                    reach({end, verb->time, verb->adds}, 0));
          if (!behind) return false;
          std::vector<FrameSide> list;
          return each_object(
              relation, *behind, list, [&](Place further, const std::vector<FrameSide>& objects) {
                const auto closed = words(pattern.after, 0, pattern.after.size(), further);
                return closed && emit(noun_frame(noun, owner), objects, owner, *closed, count);
              });
        });
    if (read) return true;
  }
  return false;
}

bool FrameReader::possession(const Subject& subject, Place place, std::size_t count) {
  const auto& verbs_of = subject.several      ? words_.have_several
                         : subject.is_first() ? words_.have
                                              : words_.has;
  const std::size_t have = sides_.phrase(place.at, verbs_of);
  if (have == 0) return false;
  const std::size_t from = place.at + have;
  const std::size_t a = sides_.phrase(from, words_.a);
  const auto number = a > 0 ? std::nullopt : sides_.value(from, ValueKind::kNumber);
  if (a == 0 && !number) return false;
  std::int64_t wanted = 1;
  if (number)
    std::from_chars(number->text.data(), number->text.data() + number->text.size(), wanted);
  if (wanted > static_cast<std::int64_t>(kMostListed)) return false;
  for (const NounAt& noun : counted_nouns(number ? number->end : from + a, wanted > 1)) {
    const std::string& type = noun.noun->relation->object;
    const std::size_t called = sides_.phrase(noun.end, words_.called);
    const bool told = sides_.is_sign(noun.end, ",") || sides_.is_sign(noun.end, ":");
    if (type.empty() || (called == 0 && !told)) continue;
    if (subject.several && !is_of_each(*noun.noun->relation)) continue;
    Place behind = reach({noun.end, place.time, place.adds}, called > 0 ? called : 1);
    auto list = names(type, wanted, behind);
    if (list && called > 0) list = called_so(std::move(*list));
    if (list && emit(noun_frame(noun, subject), *list, subject, behind, count, noun.noun->inverse))
      return true;
  }
  return false;
}
}  // namespace anima::language::detail
