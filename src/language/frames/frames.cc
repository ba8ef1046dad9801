#include "language/frames/frames.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "base/text/text.h"
#include "language/frames/detail/frame_sides.h"
#include "language/frames/detail/name_evidence.h"
#include "language/times/times.h"

namespace anima::language {
namespace {

using detail::FrameSides;
using detail::NameEvidence;
using detail::ReadSide;

constexpr std::size_t kMostLexemes = 60, kMostClauses = 6, kMostListed = 8;
constexpr std::size_t kLeastShouted = 3;
constexpr std::string_view kPerson = "Person", kAnimal = "Animal";

// Where the verb of a clause stands: behind the subject, before it, at the end.
enum class Order : std::uint8_t { kPlain, kFronted, kLast };

// How far a clause is read, with what was passed over in it.
struct Place {
  std::size_t at = 0;
  const TimeReading* time = nullptr;
  bool adds = false;
};

struct Subject {
  FrameSide side;
  std::size_t end = 0;
  std::vector<Frame> told = {};  // what its words say besides: "my husband Tom"
  bool several = false;          // "our": several are meant, of whom the speaker is one
  bool is_first() const { return side.kind == FrameSide::Kind::kSpeaker; }
};

// What stands behind a clause and belongs to it.
struct Behind {
  Place place;
  std::vector<Frame> told = {};   // always true
  std::vector<Frame> timed = {};  // as long as the clause is
};

struct NounAt {
  const FrameNoun* noun;
  std::size_t end;
  std::string key;
};

bool is_shouted(std::string_view sentence, const Lexemes& lexemes) {
  std::size_t words = 0;
  for (const Lexeme& one : lexemes) {
    const std::string_view written = sentence.substr(one.begin, one.end - one.begin);
    if (one.kind != Lexeme::Kind::kWord || count_code_points(written) < 2) continue;
    if (to_upper(written) != written) return false;
    ++words;
  }
  return words >= kLeastShouted;
}

// A year alone is one where the language has it so; a month alone may be a name ("Jan").
std::vector<TimeReading> times_in(std::string_view sentence, const FrameWords& words,
                                  const FrameContext& context) {
  TimeContext times{context.now, context.offset_seconds, Direction::kPast, false};
  std::vector<TimeReading> all = read_times(sentence, words.language, times);
  std::erase_if(all, [&](const TimeReading& one) {
    const bool month = one.named.month > 0 && one.named.day == 0 && one.named.year == 0;
    return month && sentence.substr(one.begin, one.end - one.begin).find(' ') == sentence.npos;
  });
  if (!words.lone_times) return all;
  times.lone_names = true;
  for (const TimeReading& lone : read_times(sentence, words.language, times)) {
    const bool digit = classify(decode_utf8(sentence, lone.begin).value) == CharClass::kDigit;
    const bool fresh = std::ranges::none_of(
        all, [&](const TimeReading& one) { return one.begin < lone.end && lone.begin < one.end; });
    if (digit && fresh) all.push_back(lone);
  }
  return all;
}

class FrameReader {
 public:
  FrameReader(std::string_view sentence, const FrameWords& words, const FrameContext& context)
      : words_(words),
        context_(context),
        lexemes_(cut_lexemes(sentence)),
        times_(times_in(sentence, words, context)),
        sides_(sentence, lexemes_, words, times_),
        evidence_(sentence, lexemes_, words) {
    shouted_ = is_shouted(sentence, lexemes_);
  }

  FramesRead run() {
    FramesRead read;
    if (lexemes_.empty() || lexemes_.size() > kMostLexemes) return read;
    std::size_t at = 0;
    while (const std::size_t size = sides_.phrase(at, words_.openers)) at += size;
    read.opens = at > 0 && sides_.is_end(at);
    if (read.opens) return read;
    const std::size_t correcting = sides_.phrase(at, words_.correcting_openers);
    read.corrects = correcting > 0;
    const auto begins = [&](std::size_t place) {
      if (const std::size_t that = sides_.phrase(place, words_.that))
        return clause({place + that}, Order::kLast, nullptr, 0);
      return next_clause(place, nullptr, 0);
    };
    const bool whole = !shouted_ && ((correcting > 0 && begins(at + correcting)) || begins(at));
    if (whole) {
      read.frames = std::move(frames_);
      read.of_speaker = std::ranges::any_of(read.frames, [](const Frame& one) {
        const auto of = [](const FrameSide& side) {
          return side.kind == FrameSide::Kind::kSpeaker ||
                 (side.kind == FrameSide::Kind::kRelative && side.name.empty());
        };
        return of(one.subject) || of(one.object);
      });
    } else {
      const bool words = !shouted_ && furthest_ < lexemes_.size() && !sides_.is_end(furthest_);
      const std::size_t from =
          words ? furthest_ : 0;  // "Oslo and Bergen": all of it fits somewhere
      read.left = sides_.written(from, lexemes_.size());
      read.of_group = sides_.phrase(at, words_.group_openers) > 0;
    }
    return read;
  }

 private:
  // --- moving on

  Place reach(Place place, std::size_t size) {
    place.at += size;
    furthest_ = std::max(furthest_, place.at);
    return place;
  }

  // Behind fillers and one time.
  Place skip(Place place, bool closing = false) {
    for (;;) {
      std::size_t end = 0;
      if (const std::size_t size = sides_.phrase(place.at, words_.fillers)) {
        place = reach(place, size);
      } else if (const std::size_t adding = sides_.phrase(place.at, words_.adding)) {
        place = reach(place, adding);
        place.adds = true;
      } else if (const std::size_t closer = closing ? sides_.phrase(place.at, words_.closers) : 0) {
        place = reach(place, closer);
      } else if (const TimeReading* time = sides_.time_at(place.at, end);
                 time != nullptr && place.time == nullptr) {
        place = reach(place, end - place.at);
        place.time = time;
      } else {
        return place;
      }
    }
  }

  std::optional<Place> words(const std::vector<std::string>& words, std::size_t from,
                             std::size_t to, Place place) {
    for (std::size_t i = from; i < to; ++i) {
      const auto stands = [&](const Place& there) {
        return there.at < lexemes_.size() && lexemes_[there.at].text == words[i];
      };
      if (!stands(place)) {
        const Place further = skip(place);
        if (further.at == place.at || !stands(further)) return std::nullopt;
        place = further;
      }
      place = reach(place, 1);
    }
    return place;
  }

  // --- clauses

  // `previous`: whose subject a clause without one has.
  bool next_clause(std::size_t at, const Subject* previous, std::size_t count) {
    if (count >= kMostClauses) return false;
    if (words_.inverts) {
      const std::size_t front = sides_.phrase(at, words_.fronting);
      const Place behind = front > 0 ? reach({at}, front) : skip({at});
      if (behind.at > at && clause(behind, Order::kFronted, previous, count)) return true;
      return clause({at}, Order::kPlain, previous, count);
    }
    Place place = skip({at});
    if (place.time != nullptr && place.at < lexemes_.size() && lexemes_[place.at].text == ",")
      place = reach(place, 1);
    return clause(place, Order::kPlain, previous, count);
  }

  bool clause(Place place, Order order, const Subject* previous, std::size_t count) {
    if (order == Order::kFronted) return fronted(place, count);
    for (const Subject& subject : subjects(place.at)) {
      const std::size_t told = frames_.size();
      frames_.insert(frames_.end(), subject.told.begin(), subject.told.end());
      const Place behind = skip(reach({subject.end, place.time, place.adds}, 0));
      if (verbs(subject, behind, order, count) || possession(subject, behind, count)) return true;
      frames_.resize(told);
    }
    if (order == Order::kLast) return false;
    if (previous != nullptr && verbs(*previous, skip(place), order, count)) return true;
    return nouns(place, count) || inverse_nouns(place, count);
  }

  bool verbs(const Subject& subject, Place place, Order order, std::size_t count) {
    for (const FramePattern& pattern : words_.patterns) {
      if (subject.is_first() ? !pattern.first : !pattern.third) continue;
      const std::size_t from = order == Order::kLast ? 1 : 0;
      const auto behind = words(pattern.before, from, pattern.before.size(), place);
      if (behind && objects(pattern, subject, *behind, order, count)) return true;
    }
    return false;
  }

  // "Since 2019 work I at Initech", in a language that has it so.
  bool fronted(Place place, std::size_t count) {
    for (const FramePattern& pattern : words_.patterns) {
      const auto verb = words(pattern.before, 0, 1, place);
      if (!verb) continue;
      for (const Subject& subject : subjects(verb->at)) {
        if (subject.is_first() ? !pattern.first : !pattern.third) continue;
        const std::size_t told = frames_.size();
        frames_.insert(frames_.end(), subject.told.begin(), subject.told.end());
        const auto behind = words(pattern.before, 1, pattern.before.size(),
                                  reach({subject.end, verb->time, verb->adds}, 0));
        if (behind && objects(pattern, subject, *behind, Order::kFronted, count)) return true;
        frames_.resize(told);
      }
    }
    return false;
  }

  // The objects of a verb, and what stands behind them.
  bool objects(const FramePattern& pattern, const Subject& subject, Place place, Order order,
               std::size_t count) {
    const auto behind = [&](Place end, const std::vector<FrameSide>& list) {
      auto closed = words(pattern.after, 0, pattern.after.size(), end);
      if (closed && order == Order::kLast) closed = words(pattern.before, 0, 1, *closed);
      return closed &&
             emit({pattern.relation, pattern.relation->name, subject.side, {}, {}, pattern.time},
                  list, subject, *closed, count);
    };
    if (pattern.article) {
      const std::size_t article = sides_.article(place.at, words_.value_articles);
      if (article == 0) return false;
      place = reach(place, article);
    }
    if (pattern.listed) {
      const auto own = words_.objects.find(pattern.relation->name);
      const auto& nouns = own == words_.objects.end() ? words_.professions : own->second;
      const std::size_t the = sides_.phrase(place.at, words_.the);
      const auto read = sides_.listed(place.at + the, nouns);
      // "The CTO of Initech", but not "the doctor".
      if (!read || (the > 0 && !stands_behind(*pattern.relation, read->end))) return false;
      return behind(reach({read->end, place.time, place.adds}, 0),
                    {{FrameSide::Kind::kValue, read->text, read->text}});
    }
    const auto named = [&](Place end, const std::vector<FrameSide>& list) {
      // "Ich fahre einen Umweg."
      const bool lone = pattern.article && words_.nouns_capital &&
                        list.front().name.find(' ') == std::string::npos;
      return !lone && behind(end, list);
    };
    std::vector<FrameSide> list;
    if (each_object(*pattern.relation, place, list, named)) return true;
    const Place further = skip(place);
    return further.at > place.at && each_object(*pattern.relation, further, list, named);
  }

  template <typename Behind>
  bool each_object(const FrameRelation& relation, Place place, std::vector<FrameSide>& list,
                   const Behind& behind) {
    for (const auto& [side, end] : sides_at(relation, place.at)) {
      list.push_back(side);
      const Place further = reach({end, place.time, place.adds}, 0);
      if (behind(further, list)) return true;
      if (relation.list && list.size() < kMostListed) {
        const std::size_t joiner = sides_.phrase(further.at, words_.joiners);
        if (joiner > 0 && each_object(relation, reach(further, joiner), list, behind)) return true;
      }
      list.pop_back();
    }
    return false;
  }

  FrameSide named(const ReadSide& read, std::string_view type, bool topic = false) const {
    FrameSide side{FrameSide::Kind::kName, read.text, read.text};
    side.doubt = evidence_.of_name(read, type, topic);
    return side;
  }

  // "My brother is called Zork": that says itself that it is a name.
  static std::vector<FrameSide> called_so(std::vector<FrameSide> objects) {
    for (FrameSide& one : objects)
      if (one.doubt == NameDoubt::kUnknown) one.doubt = NameDoubt::kNone;
    return objects;
  }

  // What may be the object there.
  std::vector<std::pair<FrameSide, std::size_t>> sides_at(const FrameRelation& relation,
                                                          std::size_t at) const {
    std::vector<std::pair<FrameSide, std::size_t>> found;
    if (relation.value != ValueKind::kNone) {
      if (const auto read = sides_.value(at, relation.value)) {
        FrameSide side{FrameSide::Kind::kValue, read->text, read->text};
        side.doubt = doubt_of_value(relation, at, *read);
        found.emplace_back(std::move(side), read->end);
      }
      return found;
    }
    const auto listed = words_.objects.find(relation.name);
    const auto add = [&](FrameSide side, const ReadSide& read) {
      if (listed != words_.objects.end() && side.doubt == NameDoubt::kNone)
        side.doubt = evidence_.of_listed(read, listed->second);
      found.emplace_back(std::move(side), read.end);
    };
    if (const auto name = sides_.name(at, relation.object)) {
      add(named(*name, relation.object, relation.topic), *name);
    } else if (const auto topic = relation.topic ? sides_.topic(at) : std::nullopt) {
      add({FrameSide::Kind::kTopic, topic->text, topic->text}, *topic);
    }
    return found;
  }

  // "I work as a team."
  NameDoubt doubt_of_value(const FrameRelation& relation, std::size_t at,
                           const ReadSide& read) const {
    if (relation.value == ValueKind::kName) return evidence_.of_name(read, kPerson, false);
    const bool profession = relation.value == ValueKind::kText && !relation.named_by_noun;
    return profession && !sides_.profession(at) ? NameDoubt::kFigure : NameDoubt::kNone;
  }

  // --- sides that are named by what they are to somebody

  std::vector<NounAt> nouns_at(std::size_t at) const {
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

  static std::string noun_of(const FrameNoun& noun) { return join(noun.words, " "); }
  static bool is_kin(const FrameNoun& noun) { return noun.relation->object == kPerson; }

  bool is_sign(std::size_t at, std::string_view sign) const {
    return at < lexemes_.size() && lexemes_[at].text == sign;
  }

  // "My brother Tom", "Ada's brother (Tom)", "my brother, Tom,".
  void add_named_relative(const NounAt& noun, const FrameSide& owner, std::vector<Subject>& found) {
    reach({noun.end}, 0);
    const bool bracket = is_sign(noun.end, "("), comma = is_sign(noun.end, ",");
    const std::size_t sign = bracket || comma ? 1 : 0;
    const auto name = sides_.person(noun.end + sign);
    if (!name || (sign > 0 && !is_sign(name->end, bracket ? ")" : ","))) return;
    const FrameSide side = named(*name, kPerson);
    Frame told{noun.noun->relation, noun.key, owner, side, noun_of(*noun.noun)};
    if (noun.noun->inverse) std::swap(told.subject, told.object);
    found.push_back({side, name->end + sign, {std::move(told)}});
  }

  // "My brother", "our brother Tom".
  void add_relatives(std::size_t at, std::vector<Subject>& found) {
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

  std::vector<Subject> subjects(std::size_t at) {
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

  // Whose noun stands behind it: "my", "Ada's", "my brother's".
  std::vector<Subject> owners(std::size_t at) {
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

  // Somebody's noun, in either order: "Ada's phone", "the phone of Ada". Calls with(owner, noun,
  // end) until that gives true.
  template <typename With>
  bool each_noun(std::size_t at, const With& with) {
    for (const Subject& owner : owners(at)) {
      const Place noun_place = skip(reach({owner.end}, 0));
      for (const NounAt& noun : nouns_at(noun_place.at)) {
        const std::string& object = noun.noun->relation->object;
        // "Our dog" is mine, too; "our address" may be that of a firm.
        if (owner.several && object != kPerson && object != kAnimal) continue;
        if (with(owner, noun, noun.end)) return true;
      }
    }
    const std::size_t the = sides_.phrase(at, words_.the);
    if (the == 0) return false;
    for (const NounAt& noun : nouns_at(at + the)) {
      const std::size_t of = sides_.phrase(noun.end, words_.of_words);
      const auto name = of > 0 ? sides_.person(noun.end + of) : std::nullopt;
      if (!name) continue;
      if (with(Subject{named(*name, kPerson), name->end}, noun, name->end)) return true;
    }
    return false;
  }

  Frame noun_frame(const NounAt& noun, const Subject& owner) const {
    return {noun.noun->relation, noun.key, owner.side, {}, noun_of(*noun.noun)};
  }

  // "My phone is 333", "Ada's brother is called Tom".
  bool nouns(Place place, std::size_t count) {
    return each_noun(place.at, [&](const Subject& owner, const NounAt& noun, std::size_t end) {
      const bool relative = owner.side.kind == FrameSide::Kind::kRelative;
      if (relative && noun.noun->relation->value == ValueKind::kName) return false;
      const std::size_t called = sides_.phrase(end, words_.is_called);
      const std::size_t is = called > 0 ? called : sides_.phrase(end, words_.is);
      if (is == 0 || (called == 0 && noun.noun->relation->object == kAnimal)) return false;
      const Place behind = reach({end, place.time, place.adds}, is);
      // "My job is hard."
      const bool text = noun.noun->relation->value == ValueKind::kText;
      if (text && !noun.noun->relation->named_by_noun && !sides_.profession(behind.at))
        return false;
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

  // "Tom is my brother", "Tom is the brother of Ada".
  bool inverse_nouns(Place place, std::size_t count) {
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

  // A noun in the singular there, or in the plural.
  std::vector<NounAt> counted_nouns(std::size_t at, bool many) const {
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

  // Exactly so many names, one after the other.
  std::optional<std::vector<FrameSide>> names(std::string_view type, std::int64_t count,
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

  // "I have a brother named Tom", "I have two kids, Sam and Ellie".
  bool possession(const Subject& subject, Place place, std::size_t count) {
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
      const bool told = is_sign(noun.end, ",") || is_sign(noun.end, ":");
      if (type.empty() || (called == 0 && !told)) continue;
      Place behind = reach({noun.end, place.time, place.adds}, called > 0 ? called : 1);
      auto list = names(type, wanted, behind);
      if (list && called > 0) list = called_so(std::move(*list));
      if (list && emit(noun_frame(noun, subject), *list, subject, behind, count, noun.noun->inverse))
        return true;
    }
    return false;
  }

  // --- what stands behind a clause

  bool stands_behind(const FrameRelation& relation, std::size_t at) const {
    return std::ranges::any_of(words_.behind, [&](const FrameBehind& one) {
      return one.of == &relation && stands_at(lexemes_, at, one.words);
    });
  }

  // "Works at Initech as a nurse", "is a nurse at Initech".
  void add_others(const Frame& frame, const Subject& subject, Place place,
                  std::vector<Behind>& found) {
    for (const FrameBehind& one : words_.behind) {
      if (one.of != frame.relation) continue;
      const auto behind = words(one.words, 0, one.words.size(), place);
      if (!behind) continue;
      const FrameRelation& relation = *one.relation;
      const auto add = [&](const FrameSide& side, std::size_t end) {
        Frame other{&relation, relation.name, subject.side, side, {}, frame.time};
        Behind all{reach({end, behind->time, behind->adds}, 0)};
        // Values have no time of their own.
        if (!relation.object.empty()) {
          all.timed.push_back(std::move(other));
        } else {
          other.time = FrameTime::kHolds;
          all.told.push_back(std::move(other));
        }
        found.push_back(std::move(all));
      };
      if (relation.value == ValueKind::kText) {
        if (const auto read = sides_.profession(behind->at))
          add({FrameSide::Kind::kValue, read->text, read->text}, read->end);
        continue;
      }
      for (const auto& [side, end] : sides_at(relation, behind->at)) add(side, end);
    }
  }

  // "With my wife Claire and with Tom". Who has no name is told nothing of.
  void add_companions(const Frame& frame, const FrameSide& object, const Behind& so_far,
                      std::vector<Behind>& found) {
    const auto phrases = words_.companions.find(frame.relation->name);
    if (phrases == words_.companions.end()) return;
    const std::size_t with = sides_.phrase(so_far.place.at, phrases->second);
    const bool goes_on = !so_far.told.empty() || !so_far.timed.empty();
    const std::size_t joiner = goes_on ? sides_.phrase(so_far.place.at, words_.joiners) : 0;
    if (with == 0 && joiner == 0) return;
    const std::size_t from = so_far.place.at + with + joiner;
    for (const Subject& one : subjects(from)) {
      if (one.side.kind != FrameSide::Kind::kName && one.side.kind != FrameSide::Kind::kRelative)
        continue;
      Behind all = so_far;
      all.place = reach({one.end, so_far.place.time, so_far.place.adds}, 0);
      all.told.insert(all.told.end(), one.told.begin(), one.told.end());
      if (one.side.kind == FrameSide::Kind::kName)
        all.timed.push_back(
            {frame.relation, frame.relation->name, one.side, object, {}, frame.time});
      add_companions(frame, object, all, found);
      found.push_back(std::move(all));
    }
  }

  // "Tea to coffee": the other one is none.
  void add_passed_over(const Frame& frame, const FrameSide& object, Place place,
                       std::vector<Behind>& found) const {
    const auto phrases = words_.passed_over.find(frame.relation->name);
    if (phrases == words_.passed_over.end()) return;
    const std::size_t to = sides_.phrase(place.at, phrases->second);
    if (to == 0) return;
    for (const auto& [side, end] : sides_at(*frame.relation, place.at + to))
      if (side.name != object.name) found.push_back({{end, place.time, place.adds}});
  }

  std::vector<Behind> behind_clause(const Frame& frame, const std::vector<FrameSide>& objects,
                                    const Subject& subject, Place place) {
    std::vector<Behind> found;
    if (frame.time == FrameTime::kEnded) return found;
    add_others(frame, subject, place, found);
    if (objects.size() > 1) return found;
    add_companions(frame, objects.front(), {place}, found);
    add_passed_over(frame, objects.front(), place, found);
    return found;
  }

  // --- what was read

  bool begins_with_since(const TimeReading& reading) const {
    for (std::size_t at = 0; at < lexemes_.size(); ++at) {
      if (lexemes_[at].begin == reading.begin) return sides_.phrase(at, words_.since) > 0;
    }
    return false;
  }

  // Whether the time of a clause is one that its frame may have.
  bool set_time(Frame& frame, const TimeReading* reading) const {
    if (reading == nullptr) return frame.time != FrameTime::kSince;
    const TimeInterval* sure = reading->sure();
    if (sure == nullptr || sure->open_from) return false;
    const std::int64_t now =
        context_.now ? context_.now->microseconds / kMicrosecondsPerSecond + context_.offset_seconds
                     : INT64_MAX;
    const bool lasts = frame.time == FrameTime::kHolds || frame.time == FrameTime::kSince;
    if (sure->open_until != lasts || sure->from > now) return false;
    if (lasts && !begins_with_since(*reading)) return false;
    frame.at_second = sure->from;
    return true;
  }

  // In the clause that ends there: "gerade" of a journey.
  bool says_now(std::size_t end) const {
    bool now = false;
    for (std::size_t at = 0; at < end; ++at) {
      if (sides_.phrase(at, words_.joiners) > 0) now = false;
      if (sides_.phrase(at, words_.now) > 0) now = true;
    }
    return now;
  }

  bool emit(const Frame& frame, const std::vector<FrameSide>& objects, const Subject& subject,
            Place place, std::size_t count, bool inverse = false) {
    place = skip(place, true);
    if (!inverse) {
      for (const Behind& one : behind_clause(frame, objects, subject, place))
        if (emit_with(frame, objects, subject, one, count, inverse)) return true;
    }
    return emit_with(frame, objects, subject, {place}, count, inverse);
  }

  bool emit_with(Frame frame, const std::vector<FrameSide>& objects, const Subject& subject,
                 const Behind& behind, std::size_t count, bool inverse) {
    const Place place = skip(behind.place, true);
    const FrameRelation& relation = *frame.relation;
    if (place.adds && relation.one_valued) return false;
    if (relation.lasting && says_now(place.at)) return false;
    const std::size_t before = frames_.size();
    const bool states_time = !relation.time_is.empty() && place.time != nullptr;
    if (states_time) {
      if (!add_time_fact(relation, subject, *place.time)) return false;
    } else if (!set_time(frame, place.time)) {
      return false;
    }
    const std::size_t first = frames_.size();
    for (const FrameSide& object : objects) {
      Frame one = frame;
      one.object = object;
      if (inverse) std::swap(one.subject, one.object);
      frames_.push_back(std::move(one));
    }
    frames_.insert(frames_.end(), behind.told.begin(), behind.told.end());
    for (Frame other : behind.timed) {
      other.at_second = frame.at_second;
      frames_.push_back(std::move(other));
    }
    if (ends(place, subject, count)) return true;
    const bool one = objects.size() == 1 && frame.time != FrameTime::kEnded;
    if (one && contrast(frames_[first], objects.front(), subject, place, count, inverse))
      return true;
    frames_.resize(before);
    return false;
  }

  // "At Globex, not at Initech": where there is room for one, the other one is said to be none by
  // the first.
  bool contrast(Frame denied, const FrameSide& told, const Subject& subject, Place place,
                std::size_t count, bool inverse) {
    const std::size_t words = sides_.phrase(place.at, words_.contrasts);
    if (words == 0) return false;
    const std::size_t before = sides_.phrase(place.at + words, words_.before_contrasts);
    const FrameRelation& relation = *denied.relation;
    for (const auto& [side, end] : sides_at(relation, place.at + words + before)) {
      if (side.name == told.name) continue;
      const std::size_t read = frames_.size();
      if (!relation.one_valued) {
        denied.denied = true;
        denied.time = FrameTime::kEnded;
        denied.at_second = std::nullopt;
        (inverse ? denied.subject : denied.object) = side;
        frames_.push_back(denied);
      }
      if (ends(skip(reach({end, place.time, place.adds}, 0), true), subject, count)) return true;
      frames_.resize(read);
    }
    return false;
  }

  // "I was born in Oslo on 3 May 1990": the time is a fact of its own.
  bool add_time_fact(const FrameRelation& relation, const Subject& subject,
                     const TimeReading& time) {
    const FrameRelation* of_time = FrameRelations::shipped().find(relation.time_is);
    const auto begin = std::ranges::find(lexemes_, time.begin, &Lexeme::begin);
    const auto at = static_cast<std::size_t>(begin - lexemes_.begin());
    const auto read = of_time == nullptr ? std::nullopt : sides_.value(at, of_time->value);
    if (!read) return false;
    frames_.push_back({of_time,
                       of_time->name,
                       subject.side,
                       {FrameSide::Kind::kValue, read->text, read->text},
                       {}});
    return true;
  }

  // The sentence ends there, or goes on with another clause.
  bool ends(Place place, const Subject& subject, std::size_t count) {
    if (sides_.is_end(place.at)) return true;
    const std::size_t joiner = sides_.phrase(place.at, words_.joiners);
    if (joiner == 0) return false;
    return next_clause(reach(place, joiner).at, &subject, count + 1);
  }

  const FrameWords& words_;
  const FrameContext& context_;
  const Lexemes lexemes_;
  const std::vector<TimeReading> times_;
  const FrameSides sides_;
  const NameEvidence evidence_;
  std::vector<Frame> frames_;
  std::size_t furthest_ = 0;
  bool shouted_ = false;
};

}  // namespace

FramesRead read_frames(std::string_view sentence, std::string_view language,
                       const FrameContext& context) {
  const FrameWords* words = FrameWords::of(language);
  return words == nullptr ? FramesRead{} : FrameReader(sentence, *words, context).run();
}

}  // namespace anima::language
