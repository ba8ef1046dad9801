#include "language/frames/frames.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "language/frames/detail/frame_reader.h"
#include "language/names/known_words.h"
#include "language/text/fold.h"

namespace anima::language {
namespace {

constexpr std::size_t kMostLexemes = 60, kMostClauses = 6;
constexpr std::size_t kLeastShouted = 3;

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

}  // namespace

namespace detail {

FrameReader::FrameReader(std::string_view sentence, const FrameWords& words,
                         const FrameContext& context, std::vector<TimeReading> times)
    : words_(words),
      context_(context),
      lexemes_(cut_lexemes(sentence)),
      times_(std::move(times)),
      sides_(sentence, lexemes_, words, times_),
      evidence_(sentence, lexemes_, words) {
  shouted_ = is_shouted(sentence, lexemes_);
}

FramesRead FrameReader::run() {
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
    const std::size_t from = words ? furthest_ : 0;  // "Oslo and Bergen": all of it fits somewhere
    read.left = sides_.written(from, lexemes_.size());
    read.of_group = sides_.phrase(at, words_.group_openers) > 0;
  }
  return read;
}

FrameReader::Place FrameReader::reach(Place place, std::size_t size) {
  place.at += size;
  furthest_ = std::max(furthest_, place.at);
  return place;
}

FrameReader::Place FrameReader::skip(Place place, bool closing) {
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

std::optional<FrameReader::Place> FrameReader::words(const std::vector<std::string>& words,
                                                     std::size_t from, std::size_t to, Place place,
                                                     bool whole) {
  for (std::size_t i = from; i < to; ++i) {
    const auto stands = [&](const Place& there) {
      return there.at < lexemes_.size() && lexemes_[there.at].text == words[i];
    };
    if (!stands(place)) {
      const Place further = whole && i > from ? place : skip(place);
      if (further.at == place.at || !stands(further)) return std::nullopt;
      place = further;
    }
    place = reach(place, 1);
  }
  return place;
}

bool FrameReader::next_clause(std::size_t at, const Subject* previous, std::size_t count) {
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

bool FrameReader::clause(Place place, Order order, const Subject* previous, std::size_t count) {
  if (order == Order::kFronted) return fronted(place, count);
  for (const Subject& subject : subjects(place.at)) {
    const std::size_t told = frames_.size();
    frames_.insert(frames_.end(), subject.told.begin(), subject.told.end());
    const Place behind = skip(reach({subject.end, place.time, place.adds}, 0));
    if (verbs(subject, behind, order, count) || possession(subject, behind, count)) return true;
    if (order == Order::kPlain &&
        (denied_verbs(subject, behind, count) || changed_nouns(subject, behind, count)))
      return true;
    frames_.resize(told);
  }
  if (order == Order::kLast) return false;
  if (previous != nullptr) {
    const Place behind = skip(place);
    if (verbs(*previous, behind, order, count) || possession(*previous, behind, count) ||
        same_verb(*previous, behind, count))
      return true;
  }
  return nouns(place, count) || plural_nouns(place, count) || inverse_nouns(place, count) ||
         alone(place, count);
}

bool FrameReader::fits(const FramePattern& pattern, const Subject& subject) {
  // "We use Vim" may be said of a firm.
  if (subject.several)
    return pattern.several && (pattern.relation->shared || !subject.others.empty());
  if (subject.is_first()) return pattern.first;
  const bool sure =
      subject.side.kind != FrameSide::Kind::kName || subject.side.doubt == NameDoubt::kNone;
  return pattern.third && (sure || !pattern.sure);
}

bool FrameReader::verbs(const Subject& subject, Place place, Order order, std::size_t count) {
  for (const FramePattern& pattern : words_.patterns) {
    if (!fits(pattern, subject)) continue;
    const std::size_t from = order == Order::kLast ? 1 : 0;
    const auto behind = words(pattern.before, from, pattern.before.size(), place, pattern.denies);
    if (behind && objects(pattern, subject, *behind, order, count)) return true;
  }
  return false;
}

bool FrameReader::same_verb(const Subject& subject, Place place, std::size_t count) {
  if (subject.copula.empty()) return false;
  for (const FramePattern& pattern : words_.patterns) {
    const bool same = fits(pattern, subject) && !pattern.denies &&
                      pattern.relation != subject.told_of &&
                      words_.copula_of(pattern) == subject.copula;
    // "I'm a nurse, Tom."
    if (!same || pattern.relation->value == ValueKind::kName) continue;
    const auto behind =
        words(pattern.before, subject.copula.size(), pattern.before.size(), place, true);
    if (behind && objects(pattern, subject, *behind, Order::kPlain, count)) return true;
  }
  return false;
}

bool FrameReader::alone(Place place, std::size_t count) {
  const Subject speaker{{FrameSide::Kind::kSpeaker}, place.at};
  for (const FramePattern& pattern : words_.patterns) {
    if (!pattern.alone) continue;
    const auto behind = words(pattern.before, 0, pattern.before.size(), place, true);
    if (behind && objects(pattern, speaker, *behind, Order::kPlain, count)) return true;
  }
  return false;
}

bool FrameReader::instead_of(const Frame& frame, Place place, const Then& then) {
  for (const auto& [side, end] : sides_at(*frame.relation, place.at)) {
    const std::size_t told = frames_.size();
    Frame ended = frame;
    ended.object = side;
    ended.denied = true;
    ended.time = FrameTime::kEnded;
    frames_.push_back(std::move(ended));
    if (then(reach({end, place.time, place.adds}, 0))) return true;
    frames_.resize(told);
  }
  return false;
}

bool FrameReader::denied_verbs(const Subject& subject, Place place, std::size_t count) {
  const auto& negating = subject.is_first() ? words_.negating_first : words_.negating_third;
  const std::size_t helper = sides_.phrase(place.at, negating);
  for (const FramePattern& pattern : words_.patterns) {
    const bool of_first = pattern.first && !pattern.third;  // "doesn't work at", too
    const bool of_subject = helper > 0 && !subject.several ? of_first : fits(pattern, subject);
    const bool plain = pattern.time == FrameTime::kHolds && !pattern.article && !pattern.listed &&
                       !pattern.denies && !pattern.known && !pattern.before.empty();
    if (!of_subject || !plain) continue;
    auto behind = reach(place, helper);
    std::size_t from = 0;
    if (helper == 0) {
      from = std::max<std::size_t>(words_.copula_of(pattern).size(), 1);
      const auto verb = words(pattern.before, 0, from, place, true);
      const std::size_t inside = verb ? sides_.phrase(verb->at, words_.negating_inside) : 0;
      if (inside == 0) continue;
      behind = reach(*verb, inside);
    }
    const auto old = words(pattern.before, from, pattern.before.size(), behind, true);
    if (!old) continue;
    const Frame denied{pattern.relation, pattern.relation->name, subject.side};
    const bool read = instead_of(denied, *old, [&](const Place& end) {
      const std::size_t but = sides_.phrase(end.at, words_.but);
      if (but == 0) return false;
      const std::size_t before = sides_.phrase(end.at + but, words_.before_contrasts);
      return objects_behind(pattern, subject, reach(end, but + before), Order::kPlain, count);
    });
    if (read) return true;
  }
  return false;
}

bool FrameReader::fronted(Place place, std::size_t count) {
  for (const FramePattern& pattern : words_.patterns) {
    const auto verb = words(pattern.before, 0, 1, place);
    if (!verb) continue;
    for (const Subject& subject : subjects(verb->at)) {
      if (!fits(pattern, subject)) continue;
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

bool FrameReader::objects(const FramePattern& pattern, const Subject& subject, Place place,
                          Order order, std::size_t count) {
  if (!pattern.swaps) return objects_behind(pattern, subject, place, order, count);
  Frame ended{pattern.relation, pattern.relation->name, subject.side};
  ended.needed = pattern.held;
  return instead_of(ended, place, [&](const Place& end) {
    const auto behind = words(pattern.between, 0, pattern.between.size(), end);
    return behind && objects_behind(pattern, subject, *behind, order, count);
  });
}

const FrameWords::Words& FrameReader::listed_for(const FrameRelation& relation) const {
  const auto own = words_.objects.find(relation.name);
  return own == words_.objects.end() ? words_.professions : own->second;
}

bool FrameReader::listed_objects(
    const FramePattern& pattern, Place place,
    const std::function<bool(Place, const std::vector<FrameSide>&)>& behind) {
  const FrameRelation& relation = *pattern.relation;
  const auto& nouns = listed_for(relation);
  const auto kind = relation.object.empty() ? FrameSide::Kind::kValue : FrameSide::Kind::kTopic;
  std::vector<FrameSide> list;
  for (;;) {
    const std::size_t the = sides_.phrase(place.at, words_.the);
    const auto read = sides_.listed(place.at + the, nouns);
    // "The CTO of Initech", but not "the doctor".
    if (!read || (the > 0 && !stands_behind(relation, read->end))) return false;
    const std::size_t article = sides_.article(place.at + the, words_.value_articles);
    if (relation.bare && read->end != place.at + the + article + 1) return false;
    list.push_back({kind, read->text, read->text});
    place = reach({read->end, place.time, place.adds}, 0);
    if (behind(place, list)) return true;
    const std::size_t joiner =
        relation.list ? sides_.phrase(place.at, words_.joiners) : std::size_t{0};
    if (joiner == 0) return false;
    place = reach(place, joiner);
  }
}

bool FrameReader::objects_behind(const FramePattern& pattern, const Subject& subject, Place place,
                                 Order order, std::size_t count) {
  Subject of = subject;
  of.copula = words_.copula_of(pattern);
  of.told_of = pattern.relation;
  const auto behind = [&](Place end, const std::vector<FrameSide>& list) {
    // "Ich mag Tee noch nicht."
    if (pattern.denies && !stands_at(lexemes_, end.at, pattern.after)) return false;
    auto closed = words(pattern.after, 0, pattern.after.size(), end);
    if (closed && order == Order::kLast) closed = words(pattern.before, 0, 1, *closed);
    return closed && emit({pattern.relation, pattern.relation->name, of.side, {}, {}, pattern.time},
                          list, of, *closed, count);
  };
  if (pattern.article) {
    const std::size_t article = sides_.article(place.at, words_.value_articles);
    if (article == 0) return false;
    place = reach(place, article);
  }
  if (pattern.listed) return listed_objects(pattern, place, behind);
  const bool given = pattern.known && pattern.relation->value == ValueKind::kName;
  if (given && (place.at >= lexemes_.size() || !is_given_name(lexemes_[place.at].text)))
    return false;
  const auto named = [&](Place end, std::vector<FrameSide> list) {
    // "I moved to Linux."
    for (FrameSide& one : list)
      if (pattern.known && !given) doubt_unlisted_place(one);
    // "Ich fahre einen Umweg."
    const bool lone =
        pattern.article && words_.nouns_capital && list.front().name.find(' ') == std::string::npos;
    return !lone && behind(end, list);
  };
  std::vector<FrameSide> list;
  if (each_object(*pattern.relation, place, list, named)) return true;
  const Place further = skip(place);
  return further.at > place.at && each_object(*pattern.relation, further, list, named);
}

std::size_t FrameReader::behind_region(std::size_t at) const {
  for (;;) {
    const std::size_t joiner = sides_.phrase(at, words_.region_joiners);
    const auto region = joiner > 0 ? sides_.name(at + joiner, kPlace) : std::nullopt;
    if (!region || !is_known_region(fold(region->text, FoldStrength::kCase))) return at;
    const bool bracket = sides_.is_sign(at, "(");
    if (bracket && !sides_.is_sign(region->end, ")")) return at;
    at = region->end + (bracket ? 1 : 0);
  }
}

void FrameReader::doubt_unlisted_place(FrameSide& side) {
  const bool listed = is_known_place(fold(side.name, FoldStrength::kCase));
  if (side.doubt == NameDoubt::kNone && !listed) side.doubt = NameDoubt::kUnknown;
}

FrameSide FrameReader::named(const ReadSide& read, std::string_view type, bool topic) const {
  FrameSide side{FrameSide::Kind::kName, read.text, read.text};
  side.doubt = evidence_.of_name(read, type, topic);
  return side;
}

std::vector<FrameSide> FrameReader::called_so(std::vector<FrameSide> objects) {
  for (FrameSide& one : objects)
    if (one.doubt == NameDoubt::kUnknown) one.doubt = NameDoubt::kNone;
  return objects;
}

std::vector<std::pair<FrameSide, std::size_t>> FrameReader::sides_at(const FrameRelation& relation,
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
    FrameSide side = named(*name, relation.object, relation.topic);
    const std::size_t region = relation.object == kPlace ? behind_region(name->end) : name->end;
    if (relation.listed) doubt_unlisted_place(side);
    if (region > name->end) {
      // Whatever is in a country is a place.
      FrameSide town = side;
      if (town.doubt == NameDoubt::kUnknown) town.doubt = NameDoubt::kNone;
      found.emplace_back(std::move(town), region);
    }
    add(std::move(side), *name);
  } else if (const auto topic = relation.topic ? sides_.topic(at) : std::nullopt) {
    add({FrameSide::Kind::kTopic, topic->text, topic->text}, *topic);
  }
  return found;
}

NameDoubt FrameReader::doubt_of_value(const FrameRelation& relation, std::size_t at,
                                      const ReadSide& read) const {
  if (relation.value == ValueKind::kName) return evidence_.of_name(read, kPerson, false);
  const bool profession = relation.value == ValueKind::kText && !relation.named_by_noun;
  const auto listed = sides_.listed(at, listed_for(relation));
  // "Ich bin Kellner am Wochenende."
  return profession && (!listed || listed->end != read.end) ? NameDoubt::kFigure : NameDoubt::kNone;
}

}  // namespace detail

FramesRead read_frames(std::string_view sentence, std::string_view language,
                       const FrameContext& context) {
  const FrameWords* words = FrameWords::of(language);
  return words == nullptr
             ? FramesRead{}
             : detail::FrameReader(sentence, *words, context, times_in(sentence, *words, context))
                   .run();
}

}  // namespace anima::language
