// What a timeline writes of each link: whose word it is, when it holds, and what took its place.
#include <algorithm>
#include <span>
#include <utility>

#include "agent/telling/detail/timeline.h"
#include "agent/telling/detail/told_statements.h"
#include "store/restate.h"

namespace anima::agent::detail {

using store::EntityId;
using store::GraphId;
using store::Term;
using store::Triple;

namespace {

constexpr std::string_view kSeenAt = "observed_at";

std::vector<std::string> text_of(const std::optional<Timestamp>& time) {
  return time ? std::vector{format_timestamp(*time)} : std::vector<std::string>();
}

std::vector<std::string> texts_of(std::span<const store::Period> periods) {
  std::vector<std::string> texts;
  for (const store::Period& one : periods) texts.push_back(to_string(one));
  return texts;
}

}  // namespace

Result<std::vector<Triple>> Timeline::write(Timestamp at) {
  std::vector<Triple> held;
  for (const Line& line : lines_) {
    if (holds(now_, line.link, at)) held.push_back(line.link);
  }
  for (const Line& line : lines_) {
    ANIMA_TRY(drop_unfounded(line));
    const std::vector<Span> times = joined(line.link);
    // What stands is written only where what is told now changes it.
    if (!line.stands.empty() && periods_of(times) == line.known) continue;
    if (line.stands.empty() && times.empty()) {
      ANIMA_TRY(withdraw(line));
    } else if (!times.empty() && may_stand(line.link)) {
      ANIMA_TRY(write(line, times));
    }
  }
  std::erase_if(held, [&](const Triple& link) { return holds(now_, link, at); });
  return held;
}

// Where others state it as well, what a text said of it that counts no more goes alone.
Status Timeline::drop_unfounded(const Line& line) {
  std::vector<ToldTime> left = line.told;
  left.insert(left.end(), line.stale.begin(), line.stale.end());
  const GraphId graph = place_.told.graph;
  bool others = false, unfounded = false;
  for (const store::Assertion& word : now_.assertions(line.link)) {
    others = others || word.graph != graph;
    unfounded = unfounded || (word.graph == graph && is_unfounded(now_, word, left));
  }
  if (!others || !unfounded) return {};
  return transaction_->retract(line.link, graph).map([](bool) {});
}

// What it is about is there, or comes back.
bool Timeline::may_stand(const Triple& link) const {
  const bool returns = known_ != nullptr && known_->things_return;
  return returns || now_.contains(link) ||
         (now_.exists(link.subject) &&
          (!link.object.is_entity() || now_.exists(link.object.as_entity())));
}

// The ends that were told stay as records.
Status Timeline::withdraw(const Line& line) {
  const GraphId graph = place_.told.graph;
  if (!stands_in(now_, line.link, graph)) return {};
  ANIMA_TRY(transaction_->retract_link(line.link, graph));
  for (ToldTime one : line.told) ANIMA_TRY(keep_told_time(*transaction_, one, graph));
  return {};
}

// The link is the word of who told last that it holds, of those who are trusted most, from when
// that was told.
Status Timeline::write_word(const Line& line) {
  std::optional<ToldTime> last;
  for (const ToldTime& one : line.told) {
    const bool newer = !last || last->trust < one.trust ||
                       (last->trust == one.trust && was_told_before(*last, one));
    if (!one.ends && newer) last = one;
  }
  // What nobody told stands elsewhere.
  const bool stands = stands_in(now_, line.link, place_.told.graph);
  if (!last || (!stands && last->word.provenance == 0)) return {};
  store::AssertOptions options = place_.told;
  options.provenance = last->word.provenance;
  options.confidence = last->word.confidence;
  ANIMA_ASSIGN(const EntityId link,
               store::restate(*transaction_, line.link, options, last->word.entry));
  const std::vector<std::string> seen =
      last->said_earlier ? text_of(last->told) : std::vector<std::string>();
  const auto said = store::said_of_link(now_, link, kSeenAt);
  const std::string was(said ? now_.value(*said).text : "");
  if (was == (seen.empty() ? std::string() : seen.front())) return {};
  return write_key(line.link, link, kSeenAt, seen, last->word);
}

Status Timeline::write(const Line& line, const std::vector<Span>& spans) {
  ANIMA_TRY(write_word(line));
  const auto link = now_.find_proposition(line.link);
  if (!link) return {};
  std::vector<store::Period> periods = periods_of(spans);
  const std::vector<store::Period> known = store::periods_of(now_, *link);
  const store::Period last = periods.back(), was = known.back();
  const Span& newest = spans.back();
  const auto said_newer = store::said_of_link(now_, *link, kNewerThanLink);
  const std::string was_newer(said_newer ? now_.value(*said_newer).text : "");
  std::string newer = newest.newer;
  if (newer.empty() && !newest.ended_by && last.to && last.to == was.to) newer = was_newer;
  periods.pop_back();
  const std::vector<store::Period> before(known.begin(), known.end() - 1);
  const auto write_if = [&](bool changed, std::string_view key, std::vector<std::string> texts,
                            const std::optional<ToldWord>& word) -> Status {
    const bool others = !changed && !is_said_alone(*link, key, texts);
    return changed || others ? write_key(line.link, *link, key, texts, word) : Status();
  };
  ANIMA_TRY(write_if(last.from != was.from, kBeginOfLink, text_of(last.from), newest.begun_by));
  ANIMA_TRY(write_if(periods != before, store::kHeldBefore, texts_of(periods), newest.begun_by));
  ANIMA_TRY(write_if(last.to != was.to, kEndOfLink, text_of(last.to), newest.ended_by));
  const std::vector<std::string> newer_texts =
      newer.empty() ? std::vector<std::string>() : std::vector{newer};
  return write_if(newer != was_newer, kNewerThanLink, newer_texts, newest.ended_by);
}

// Nobody who is trusted less, and so is not heard, left something else there.
bool Timeline::is_said_alone(EntityId link, std::string_view key,
                             const std::vector<std::string>& texts) const {
  const auto name = now_.find_string(key);
  if (!name) return texts.empty();
  const auto predicate = store::Predicate::metadata(*name);
  return std::ranges::all_of(objects_of(now_, link, predicate), [&](std::uint32_t code) {
    const Triple said{link, predicate, Term{code}};
    const bool here =
        stands_in(now_, said, GraphId::kDefault) || stands_in(now_, said, place_.told.graph);
    const std::string text(now_.value(Term{code}).text);
    return !here || std::ranges::find(texts, text) != texts.end();
  });
}

// What was laid out before from what was told goes, on whoever's word it stood: the trust of each
// text counts in the layout. What others stated of the times stays where they are trusted more.
Status Timeline::clear_key(EntityId link, std::string_view key,
                           const std::vector<std::string>& texts, GraphId graph) {
  const auto name = now_.find_string(key);
  if (!name) return {};
  const auto predicate = store::Predicate::metadata(*name);
  bool said = false;
  for (const std::uint32_t code : objects_of(now_, link, predicate)) {
    const Triple one{link, predicate, Term{code}};
    if (!stands_in(now_, one, graph)) continue;
    said = true;
    const std::string text(now_.value(Term{code}).text);
    if (graph != place_.told.graph || std::ranges::find(texts, text) != texts.end()) continue;
    ANIMA_TRY(transaction_->retract(one, graph).map([](bool) {}));
  }
  if (!said || graph == place_.told.graph) return {};
  store::AssertOptions options = place_.told;
  options.graph = graph;
  return store::set_metadata_texts(*transaction_, link, key, {}, options);
}

// `word`: on whose word; else on that of who tells now.
Status Timeline::write_key(const Triple& fact, EntityId link, std::string_view key,
                           const std::vector<std::string>& texts,
                           const std::optional<ToldWord>& word) {
  const bool in_default = stands_in(now_, fact, GraphId::kDefault);
  const GraphId graph = in_default ? GraphId::kDefault : place_.told.graph;
  for (const GraphId other : {GraphId::kDefault, place_.told.graph}) {
    const bool here = other == graph && !texts.empty();
    if (!here || other == place_.told.graph)
      ANIMA_TRY(clear_key(link, key, here ? texts : std::vector<std::string>(), other));
    if (!here) continue;
    store::AssertOptions options = place_.told;
    options.graph = other;
    ANIMA_TRY(store::set_metadata_texts(*transaction_, link, key, texts, options));
    if (!word) continue;
    options.provenance = word->provenance;
    options.confidence = word->confidence;
    for (const std::string& text : texts) {
      ANIMA_ASSIGN(const Term value, transaction_->term(store::Value::string(text).view()));
      ANIMA_ASSIGN(const Term predicate, transaction_->term(store::Value::string(key).view()));
      ANIMA_TRY(store::restate(*transaction_, {link, store::Predicate::metadata(predicate), value},
                               options, word->entry)
                    .map([](EntityId) {}));
    }
  }
  return {};
}

}  // namespace anima::agent::detail
