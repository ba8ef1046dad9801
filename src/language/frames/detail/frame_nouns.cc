#include <charconv>

#include "base/text/text.h"
#include "language/frames/detail/frame_reader.h"

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

std::vector<FrameReader::Subject> FrameReader::subjects(std::size_t at) {
  std::vector<Subject> found;
  const auto add = [&](FrameSide::Kind kind, std::size_t size) {
    if (size == 0) return;
    found.push_back({{kind, {}, std::string(sides_.written(at, at + size))}, at + size});
  };
  add(FrameSide::Kind::kSpeaker, sides_.phrase(at, words_.speaker));
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
    if (text && !noun.noun->relation->named_by_noun && !sides_.profession(behind.at)) return false;
    std::vector<FrameSide> list;
    return each_object(
        *noun.noun->relation, behind, list,
        [&](Place closed, const std::vector<FrameSide>& objects) {
          // "Mein Mann ist Arzt."
          const bool lone = words_.nouns_capital && called == 0 && is_kin(*noun.noun) &&
                            objects.front().name.find(' ') == std::string::npos;
          return !lone && emit(noun_frame(noun, owner), called > 0 ? called_so(objects) : objects,
                               owner, closed, count, noun.noun->inverse);
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

bool FrameReader::possession(const Subject& subject, Place place, std::size_t count) {
  const std::size_t have = sides_.phrase(place.at, subject.is_first() ? words_.have : words_.has);
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
    Place behind = reach({noun.end, place.time, place.adds}, called > 0 ? called : 1);
    auto list = names(type, wanted, behind);
    if (list && called > 0) list = called_so(std::move(*list));
    if (list && emit(noun_frame(noun, subject), *list, subject, behind, count, noun.noun->inverse))
      return true;
  }
  return false;
}
}  // namespace anima::language::detail
