#include "memory/ingest.h"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/bytes.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "language/text/emoji.h"
#include "language/times/times.h"
#include "memory/detail/memory_check.h"
#include "memory/ingest/mentions.h"
#include "memory/recall/detail/languages.h"
#include "memory/turns.h"
#include "store/bulk.h"

namespace anima::memory {
namespace {

using detail::TermWord;
using language::Language;
using store::EntityId;
using store::Value;

constexpr std::size_t kLongestShown = 80;       // bytes of a turn's name, in a message
constexpr std::size_t kRememberedSayings = 50;  // of a session, against repeating

// A turn that is to be written.
struct Admitted {
  std::string name, session, speaker, text, attachment, time;
  std::vector<std::string> mentioned, days;
  const Turn* turn = nullptr;
};

// Decides what is written and what is left out.
class Admitter {
 public:
  Admitter(MemoryManager& memory, const govern::Guardian& guardian, const IngestOptions& options,
           IngestReport& report)
      : memory_(memory),
        guardian_(guardian),
        origin_(options.origin),
        dry_run_(options.dry_run),
        report_(report) {}

  // Of the turns those that are new and worth keeping. What is known counts as said, so that a file
  // that is read again, or has grown, is judged as it was the first time.
  Result<std::vector<Admitted>> admit(std::span<const Turn> turns, const store::Snapshot& now) {
    const auto type = now.known_concept(store::kConceptType, kEventType);
    std::vector<Admitted> admitted;
    for (const Turn& turn : turns) {
      std::string name = valid_text(turn.session) + "#" + valid_text(turn.id);
      if (!names_.insert(name).second) {
        ++report_.known;
        continue;
      }
      const bool known = type && now.find_concept(*type, name);
      ANIMA_ASSIGN(auto one, admit(turn, std::move(name), known));
      if (one) admitted.push_back(*std::move(one));
    }
    return admitted;
  }

 private:
  Result<std::optional<Admitted>> admit(const Turn& turn, std::string name, bool known) {
    Admitted one;
    one.name = std::move(name);
    one.turn = &turn;
    one.session = valid_text(turn.session);
    one.speaker = valid_text(std::string(trim(turn.speaker)));
    one.attachment = valid_text(turn.attachment);
    const std::string said = valid_text(turn.text);
    one.text = detail::without_recalled(said);
    if (!known && one.text.size() != said.size()) ++report_.recalled;
    const std::vector<TermWord> words = detail::split_terms(one.text, language::TermUse::kWords);
    if (!known && means_nothing(words, one.text) && one.attachment.empty()) {
      ++report_.empty;
      return std::optional<Admitted>();
    }
    if (one.text.empty()) one.text = "(" + one.attachment + ")";
    const bool repeated = is_repeated(one);
    if (known || repeated) {
      ++(known ? report_.known : report_.repeated);
      if (!repeated) language_of(one.session, words);
      return std::optional<Admitted>();
    }
    ANIMA_ASSIGN(const bool closed, quarantine(one));
    if (closed) return std::optional<Admitted>();
    const std::optional<Language> language = language_of(one.session, words);
    one.mentioned = detail::mentions_in(one.text, words, language.value_or(Language::kEnglish));
    one.days = detail::days_in(one.text, language, turn.time, turn.offset_seconds);
    if (turn.time) one.time = language::format_with_offset(*turn.time, turn.offset_seconds);
    return std::optional(std::move(one));
  }

  // Nothing but stop words of one language. Among words an emoji says something ("I ❤ you"), alone
  // it does not.
  static bool means_nothing(const std::vector<TermWord>& words, std::string_view text) {
    if (!words.empty() && !language::emoji_in(text).empty()) return false;
    language::LanguageSet all;  // those in which every word is a stop word
    all.set();
    for (const TermWord& word : words) {
      language::LanguageSet of_word;
      for (const Language one : language::languages_with_stop_word(word.text))
        of_word |= language::set_of(one);
      all &= of_word;
      if (all.none()) return false;
    }
    return true;
  }

  bool is_repeated(const Admitted& one) {
    const std::uint64_t key =
        checksum64(one.speaker + '\n' + fold_case(one.text) + '\n' + one.attachment);
    std::deque<std::uint64_t>& said = said_[one.session];
    if (std::ranges::find(said, key) != said.end()) return true;
    said.push_back(key);
    if (said.size() > kRememberedSayings) said.pop_front();
    return false;
  }

  Result<bool> quarantine(const Admitted& one) {
    NewMemory memory;
    memory.content = one.attachment.empty() ? one.text : one.text + "\n" + one.attachment;
    memory.trust = origin_.trust;
    memory.told = true;
    if (detail::reason_to_quarantine(guardian_, memory).empty()) return false;
    memory.source = origin_.source;
    memory.created_by = origin_.author;
    ANIMA_ASSIGN(const bool known, memory_.is_quarantined(memory.content));
    ++(known ? report_.known : report_.quarantined);
    if (!known && !dry_run_) ANIMA_TRY(memory_.store(memory));
    return true;
  }

  // Of a session by all that was said in it.
  std::optional<Language> language_of(const std::string& session,
                                      const std::vector<TermWord>& words) {
    detail::LanguageVotes& votes = votes_[session];
    detail::add_votes(words, votes);
    return votes.sure();
  }

  MemoryManager& memory_;
  const govern::Guardian& guardian_;
  const store::Origin& origin_;
  const bool dry_run_;
  IngestReport& report_;
  std::unordered_set<std::string> names_;  // of this call
  std::unordered_map<std::string, std::deque<std::uint64_t>> said_;
  std::unordered_map<std::string, detail::LanguageVotes> votes_;
};

// Writes a batch in one transaction.
class Writer {
 public:
  Writer(store::Transaction& transaction, IngestReport& report)
      : transaction_(transaction), report_(report) {}

  Status write(const std::vector<Admitted>& turns) {
    const store::AssertOptions options;
    ANIMA_ASSIGN(const EntityId type, transaction_.upsert_type(kEventType, options));
    ANIMA_ASSIGN(const EntityId mentions, transaction_.upsert_predicate("mentions", options));
    const store::Snapshot now = transaction_.view();
    store::BulkWriter bulk(transaction_, options);
    ANIMA_TRY(name_keys(bulk));
    for (const Admitted& turn : turns) {
      ANIMA_ASSIGN(const EntityId event, bulk.upsert_concept(type, turn.name));
      ANIMA_TRY(write_attributes(bulk, event, turn));
      for (const std::string& name : turn.mentioned) {
        const auto thing = known_thing(now, type, name);
        if (!thing) continue;
        bulk.add({event, store::Predicate::link(mentions), store::Term::entity(*thing)});
        ++report_.mentions;
      }
    }
    report_.turns += turns.size();
    return bulk.finish();
  }

 private:
  Status name_keys(store::BulkWriter& bulk) {
    for (const std::string_view key :
         {kEventClass, kEventText, kEventTime, kEventParticipants, kEventSession, kEventAttachment,
          kEventMentioned, kEventDays, kEventConsolidation}) {
      const Value value = Value::string(std::string(key));
      ANIMA_ASSIGN(const store::Term term, bulk.term(value.view()));
      keys_.emplace(key, store::Predicate::attribute(term));
    }
    return {};
  }

  Status set(store::BulkWriter& bulk, EntityId event, std::string_view key, const Value& value) {
    ANIMA_ASSIGN(const store::Term term, bulk.term(value.view()));
    bulk.add({event, keys_.find(key)->second, term});
    return {};
  }

  Status write_attributes(store::BulkWriter& bulk, EntityId event, const Admitted& turn) {
    ANIMA_TRY(set(bulk, event, kEventClass, Value::string("Conversation")));
    ANIMA_TRY(set(bulk, event, kEventText, Value::string(turn.text)));
    ANIMA_TRY(set(bulk, event, kEventSession, Value::string(turn.session)));
    ANIMA_TRY(set(bulk, event, kEventConsolidation, Value::string("pending")));
    if (!turn.time.empty()) ANIMA_TRY(set(bulk, event, kEventTime, Value::string(turn.time)));
    if (!turn.speaker.empty()) ANIMA_TRY(set_list(bulk, event, kEventParticipants, {turn.speaker}));
    if (!turn.attachment.empty())
      ANIMA_TRY(set(bulk, event, kEventAttachment, Value::string(turn.attachment)));
    ANIMA_TRY(set_list(bulk, event, kEventMentioned, turn.mentioned));
    return set_list(bulk, event, kEventDays, turn.days);
  }

  Status set_list(store::BulkWriter& bulk, EntityId event, std::string_view key,
                  const std::vector<std::string>& texts) {
    if (texts.empty()) return {};
    Json list = Json::array();
    for (const std::string& text : texts) list.push_back(text);
    return set(bulk, event, key, Value::from_json(list));
  }

  // The one thing of that name; of several nobody knows which is meant.
  std::optional<EntityId> known_thing(const store::Snapshot& now, EntityId event_type,
                                      const std::string& name) {
    const auto [found, fresh] = things_.try_emplace(name);
    if (!fresh) return found->second;
    for (const EntityId thing : now.concepts_labelled(name)) {
      const EntityId type = now.type_of(thing);
      if (type == event_type || now.name(type).starts_with('$')) continue;
      if (found->second) {
        found->second.reset();
        break;
      }
      found->second = thing;
    }
    return found->second;
  }

  store::Transaction& transaction_;
  IngestReport& report_;
  std::map<std::string_view, store::Predicate> keys_;
  std::unordered_map<std::string, std::optional<EntityId>> things_;
};

// What is wrong with one turn, and not with the space.
bool is_of_the_turn(ErrorCode code) {
  return code == ErrorCode::kInvalidArgument || code == ErrorCode::kSyntax ||
         code == ErrorCode::kLimitExceeded;
}

// All in one entry; where the space refuses that for what is in it, each by itself, without those
// that are the reason.
Status write_turns(store::Space& space, const IngestOptions& options, std::vector<Admitted>& turns,
                   IngestReport& report) {
  const auto write = [&](const std::vector<Admitted>& some) -> Status {
    IngestReport after = report;
    const auto receipt = space.write(options.origin, [&](store::Transaction& transaction) {
      return Writer(transaction, after).write(some);
    });
    if (!receipt) return fail(receipt.error());
    report = std::move(after);
    return {};
  };
  const Status all = write(turns);
  if (all || !is_of_the_turn(all.error().code)) return all;
  std::vector<Admitted> kept;
  for (Admitted& turn : turns) {
    std::vector<Admitted> one;
    one.push_back(std::move(turn));
    if (const Status done = write(one); done) {
      kept.push_back(std::move(one[0]));
    } else if (is_of_the_turn(done.error().code)) {
      report.refused.push_back(visible_text(beginning_of(one[0].name, kLongestShown)) + ": " +
                               done.error().message);
    } else {
      return done;
    }
  }
  turns = std::move(kept);
  return {};
}

}  // namespace

Result<IngestReport> ingest_turns(MemoryManager& memory, store::Space& space,
                                  const govern::Guardian& guardian, const std::vector<Turn>& turns,
                                  const IngestOptions& options) {
  IngestReport report;
  Admitter admitter(memory, guardian, options, report);
  const std::size_t batch = std::max<std::size_t>(options.batch, 1);
  for (std::size_t done = 0; done < turns.size();) {
    const std::size_t count = std::min(batch, turns.size() - done);
    ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
    ANIMA_ASSIGN(std::vector<Admitted> admitted,
                 admitter.admit(std::span(turns).subspan(done, count), now));
    if (options.dry_run) {
      report.turns += admitted.size();
    } else if (!admitted.empty()) {
      ANIMA_TRY(write_turns(space, options, admitted, report));
      if (options.kept)
        for (const Admitted& one : admitted) options.kept(*one.turn, one.text);
    }
    done += count;
    if (options.progress && !options.progress(done, turns.size()))
      return fail(ErrorCode::kCancelled, "interrupted",
                  std::to_string(done) + " of " + std::to_string(turns.size()) + " turns are kept",
                  "the same command goes on");
  }
  return report;
}

void cut_sittings(std::vector<Turn>& turns) {
  struct Sitting {
    std::optional<Timestamp> last;
    std::size_t number = 1;
  };
  std::unordered_map<std::string, Sitting> sittings;
  for (Turn& turn : turns) {
    Sitting& sitting = sittings[turn.session];
    if (turn.time && sitting.last &&
        turn.time->microseconds - sitting.last->microseconds > kSittingPause)
      ++sitting.number;
    if (turn.time) sitting.last = turn.time;
    if (sitting.number > 1) turn.session += " " + std::to_string(sitting.number);
  }
}

Json IngestReport::to_json() const {
  const auto count = [](std::size_t number) { return Json(static_cast<std::uint64_t>(number)); };
  Json left_out = Json::array();
  for (const std::string& one : refused) left_out.push_back(one);
  return Json::object({{"turns", count(turns)},
                       {"known", count(known)},
                       {"repeated", count(repeated)},
                       {"empty", count(empty)},
                       {"recalled", count(recalled)},
                       {"quarantined", count(quarantined)},
                       {"refused", std::move(left_out)},
                       {"mentions", count(mentions)}});
}

}  // namespace anima::memory
