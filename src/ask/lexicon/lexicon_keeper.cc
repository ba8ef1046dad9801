#include "ask/lexicon/lexicon_keeper.h"

#include <algorithm>
#include <utility>

#include "ask/lexicon/rule_heads.h"
#include "store/holds.h"

namespace anima::ask {
namespace {

// Keys that were written since, up to which a lexicon follows instead of being built anew.
constexpr std::size_t kMostFollowed = 20'000;

}  // namespace

void LexiconKeeper::set_words(const BroughtWords& words) {
  words_ = words;
  std::erase_if(words_.rules, [&](const memory::RuleSource& one) { return one.trust < floor_; });
  if (floor_ >= store::Trust::kStandard)
    std::erase_if(words_.synonyms, [](const Synonym& one) { return !one.trusted; });
  const std::vector<RuleHead> heads = rule_heads(words_.rules);
  rules_tell_ = needs_reasoner(heads);
  heads_.clear();
  for (const RuleHead& head : heads) heads_.push_back(head.name);
  forget();
}

std::string LexiconKeeper::build_of(const Lexicon& lexicon) const {
  const std::string view = std::to_string(static_cast<int>(floor_)) + " ";
  if (&lexicon == past_.get()) return view + "past " + past_key_;
  return view + lexicon.pack().language() + " " + std::to_string(epoch_) + "." +
         std::to_string(lexicon.builds());
}

void LexiconKeeper::forget() {
  drop_lexicons();
  known_.reset();
  past_.reset();
  past_reasoner_.reset();
}

void LexiconKeeper::drop_lexicons() {
  lexicons_.clear();
  reasoner_.reset();
  ++epoch_;
}

store::Snapshot LexiconKeeper::view_of(const store::Snapshot& snapshot) const {
  return floor_ == store::Trust::kHostile ? snapshot : store::trusted_view(snapshot, floor_);
}

Result<const Lexicon*> LexiconKeeper::lexicon(const store::Snapshot& newest,
                                              const std::shared_ptr<const Pack>& pack,
                                              const std::optional<Json>& as_of) {
  if (as_of) return past_lexicon(newest, pack, *as_of);
  ANIMA_TRY(follow(view_of(newest)));
  auto& kept = lexicons_[pack->language()];
  if (kept == nullptr) {
    if (rules_tell_ && reasoner_ == nullptr) {
      reasoner_ = reason(*known_);
      if (reasoner_ != nullptr) reasoner_->watch(heads_);
    }
    kept = Lexicon::build(*known_, words_.rules, words_.synonyms, pack,
                          rules_tell_ ? reasoner_.get() : nullptr);
  }
  return kept.get();
}

Result<const Lexicon*> LexiconKeeper::past_lexicon(const store::Snapshot& newest,
                                                   const std::shared_ptr<const Pack>& pack,
                                                   const Json& as_of) {
  std::optional<store::Snapshot> earlier;
  if (as_of.is_integer()) {
    const auto sequence = static_cast<std::uint64_t>(as_of.as_integer());
    ANIMA_ASSIGN(earlier, newest.as_of(store::Sequence{sequence}));
  } else {
    ANIMA_ASSIGN(const Timestamp time, parse_timestamp(as_of.as_string()));
    ANIMA_ASSIGN(earlier, newest.as_of(time));
  }
  const std::string key =
      pack->language() + ":" + std::to_string(static_cast<std::uint64_t>(earlier->sequence()));
  if (past_ == nullptr || past_key_ != key) {
    const store::Snapshot view = view_of(*earlier);
    past_reasoner_ = rules_tell_ ? reason(view) : nullptr;
    past_ = Lexicon::build(view, words_.rules, words_.synonyms, pack, past_reasoner_.get());
    past_key_ = key;
  }
  return past_.get();
}

// Takes the rules and every lexicon on to this state.
Status LexiconKeeper::follow(const store::Snapshot& now) {
  if (known_ && known_->sequence() == now.sequence()) return {};
  if (!known_ || lexicons_.empty()) {
    reasoner_.reset();
    known_ = now;
    return {};
  }
  std::vector<store::WrittenKey> written;
  const Status read =
      space_->visit_written(known_->sequence(), now.sequence(), [&](const store::WrittenKey& key) {
        if (written.size() >= kMostFollowed)
          return Status(fail(ErrorCode::kLimitExceeded, "as much as to read it all"));
        written.push_back(key);
        return Status();
      });
  // An entry that nobody can read any more, or as much as to read it all. What is there in a view
  // by trust may change by what is said of it, which rules do not follow.
  const bool again = floor_ != store::Trust::kHostile && reasoner_ != nullptr;
  if (!read || again || now.sequence() < known_->sequence()) {
    drop_lexicons();
    known_ = now;
    return {};
  }
  std::vector<memory::RuleChange> derived;
  if (reasoner_ != nullptr) {
    if (reasoner_->refresh(*space_, now)) {
      derived = reasoner_->take_changes();
    } else {
      drop_lexicons();
    }
  }
  for (auto& [language, lexicon] : lexicons_)
    lexicon->follow(now, written, derived, rules_tell_ ? reasoner_.get() : nullptr);
  known_ = now;
  return {};
}

std::unique_ptr<memory::Reasoner> LexiconKeeper::reason(const store::Snapshot& view) const {
  auto made = memory::Reasoner::create(view, words_.rules, clock_);
  return made ? std::move(*made) : nullptr;
}

const memory::Reasoner* LexiconKeeper::rules_at(const Lexicon& lexicon) {
  const bool earlier = &lexicon == past_.get();
  auto& one = earlier ? past_reasoner_ : reasoner_;
  if (one == nullptr) {
    one = reason(lexicon.snapshot());
    if (one != nullptr && !earlier) one->watch(heads_);
  }
  return one.get();
}

}  // namespace anima::ask
