#include "language/frames/detail/frame_reader.h"
#include "language/names/known_words.h"
#include "language/text/fold.h"

namespace anima::language::detail {
namespace {

constexpr std::int64_t kSecondsOfYear = std::int64_t{365} * 24 * 60 * 60;

}  // namespace

bool FrameReader::stands_behind(const FrameRelation& relation, std::size_t at) const {
  return std::ranges::any_of(words_.behind, [&](const FrameBehind& one) {
    return one.of == &relation && stands_at(lexemes_, at - (one.overlaps ? 1 : 0), one.words);
  });
}

void FrameReader::add_others(const Frame& frame, const Subject& subject, Place place,
                             std::vector<Behind>& found) {
  for (const FrameBehind& one : words_.behind) {
    if (one.of != frame.relation) continue;
    if (one.overlaps && !stands_at(lexemes_, place.at - 1, one.words)) continue;
    const auto behind = words(one.words, one.overlaps ? 1 : 0, one.words.size(), place);
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

void FrameReader::add_companions(const Frame& frame, const FrameSide& object, const Behind& so_far,
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
    // "I moved to Oslo with Siemens."
    if (is_known_organisation(fold(one.side.name, FoldStrength::kCase))) continue;
    Behind all = so_far;
    all.place = reach({one.end, so_far.place.time, so_far.place.adds}, 0);
    all.told.insert(all.told.end(), one.told.begin(), one.told.end());
    if (one.side.kind == FrameSide::Kind::kName)
      all.timed.push_back({frame.relation, frame.relation->name, one.side, object, {}, frame.time});
    add_companions(frame, object, all, found);
    found.push_back(std::move(all));
  }
}

void FrameReader::add_passed_over(const Frame& frame, const FrameSide& object, Place place,
                                  std::vector<Behind>& found) const {
  const auto phrases = words_.passed_over.find(frame.relation->name);
  if (phrases == words_.passed_over.end()) return;
  const std::size_t to = sides_.phrase(place.at, phrases->second);
  if (to == 0) return;
  for (const auto& [side, end] : sides_at(*frame.relation, place.at + to))
    if (side.name != object.name) found.push_back({{end, place.time, place.adds}});
}

std::vector<FrameReader::Behind> FrameReader::behind_clause(const Frame& frame,
                                                            const std::vector<FrameSide>& objects,
                                                            const Subject& subject, Place place) {
  std::vector<Behind> found;
  if (frame.time == FrameTime::kEnded) return found;
  add_others(frame, subject, place, found);
  // "A nurse at Siemens in Bergen."
  for (std::size_t i = 0, once = found.size(); i < once; ++i) {
    std::vector<Behind> further;
    add_others(frame, subject, skip(found[i].place, true), further);
    for (Behind& one : further) {
      one.told.insert(one.told.begin(), found[i].told.begin(), found[i].told.end());
      one.timed.insert(one.timed.begin(), found[i].timed.begin(), found[i].timed.end());
      found.push_back(std::move(one));
    }
  }
  if (objects.size() > 1) return found;
  add_companions(frame, objects.front(), {place}, found);
  add_passed_over(frame, objects.front(), place, found);
  return found;
}

bool FrameReader::begins_with_since(const TimeReading& reading) const {
  for (std::size_t at = 0; at < lexemes_.size(); ++at) {
    if (lexemes_[at].begin == reading.begin) return sides_.phrase(at, words_.since) > 0;
  }
  return false;
}

bool FrameReader::set_time(Frame& frame, const TimeReading* reading) const {
  if (reading == nullptr) return frame.time != FrameTime::kSince;
  const TimeInterval* sure = reading->sure();
  if (sure == nullptr || sure->open_from) return false;
  const std::int64_t now =
      context_.now ? context_.now->microseconds / kMicrosecondsPerSecond + context_.offset_seconds
                   : INT64_MAX;
  const bool lasts = frame.time == FrameTime::kHolds || frame.time == FrameTime::kSince;
  if (sure->open_until != lasts || sure->from > now) return false;
  if (lasts && !begins_with_since(*reading)) return false;
  // "I turned 40 in 2019": by now it is another age.
  const bool grows = frame.relation->value == ValueKind::kNumber;
  if (grows && (!context_.now || sure->from < now - kSecondsOfYear)) return false;
  frame.at_second = sure->from;
  return true;
}

bool FrameReader::says_now(std::size_t end) const {
  bool now = false;
  for (std::size_t at = 0; at < end; ++at) {
    if (sides_.phrase(at, words_.joiners) > 0) now = false;
    if (sides_.phrase(at, words_.now) > 0) now = true;
  }
  return now;
}

bool FrameReader::emit(const Frame& frame, const std::vector<FrameSide>& objects,
                       const Subject& subject, Place place, std::size_t count, bool inverse) {
  place = skip(place, true);
  if (!inverse) {
    for (const Behind& one : behind_clause(frame, objects, subject, place))
      if (emit_with(frame, objects, subject, one, count, inverse)) return true;
  }
  return emit_with(frame, objects, subject, {place}, count, inverse);
}

bool FrameReader::emit_with(Frame frame, const std::vector<FrameSide>& objects,
                            const Subject& subject, const Behind& behind, std::size_t count,
                            bool inverse) {
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
  say_of_others(subject, before, frame.noun);
  if (ends(place, subject, count)) return true;
  const bool one = objects.size() == 1 && subject.others.empty() && frame.time != FrameTime::kEnded;
  if (one && contrast(frames_[first], objects.front(), subject, place, count, inverse)) return true;
  frames_.resize(before);
  return false;
}

void FrameReader::say_of_others(const Subject& subject, std::size_t from, const std::string& noun) {
  const auto is_it = [&](const FrameSide& side) {
    return side.kind == subject.side.kind && side.name == subject.side.name;
  };
  for (const FrameSide& other : subject.others) {
    for (std::size_t at = from, end = frames_.size(); at < end; ++at) {
      if (frames_[at].noun != noun) continue;  // "Claire and I live in Oslo with my son Sam"
      Frame said = frames_[at];
      FrameSide& side = is_it(said.subject) ? said.subject : said.object;
      if (!is_it(side)) continue;
      side = other;
      frames_.push_back(std::move(said));
    }
  }
}

bool FrameReader::contrast(Frame denied, const FrameSide& told, const Subject& subject, Place place,
                           std::size_t count, bool inverse) {
  const std::size_t words = sides_.phrase(place.at, words_.contrasts);
  if (words == 0) return false;
  const std::size_t before = sides_.phrase(place.at + words, words_.before_contrasts);
  for (const auto& [side, end] : sides_at(*denied.relation, place.at + words + before)) {
    if (side.name == told.name) continue;
    const std::size_t read = frames_.size();
    denied.denied = true;
    denied.time = FrameTime::kEnded;
    denied.at_second = std::nullopt;
    (inverse ? denied.subject : denied.object) = side;
    frames_.push_back(denied);
    if (ends(skip(reach({end, place.time, place.adds}, 0), true), subject, count)) return true;
    frames_.resize(read);
  }
  return false;
}

bool FrameReader::add_time_fact(const FrameRelation& relation, const Subject& subject,
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

bool FrameReader::ends(Place place, const Subject& subject, std::size_t count) {
  if (sides_.is_end(place.at)) return true;
  const std::size_t joiner = std::max(sides_.phrase(place.at, words_.joiners),
                                      sides_.phrase(place.at, words_.clause_joiners));
  if (joiner == 0) return false;
  return next_clause(reach(place, joiner).at, &subject, count + 1);
}
}  // namespace anima::language::detail
