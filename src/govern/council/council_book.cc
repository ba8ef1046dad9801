#include "govern/council/council_book.h"

#include <algorithm>
#include <array>

#include "base/json/json_member.h"
#include "govern/council/governor.h"

namespace anima::govern {
namespace {

std::int64_t number_member(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value != nullptr && value->is_integer() ? value->as_integer() : 0;
}

Status wrong_kind(std::string_view key) {
  return fail(ErrorCode::kInvalidArgument,
              "\"" + std::string(key) + "\" of the action is of the wrong kind", {},
              key == "host" || key == "operation" || key == "target" ? "a text"
              : key == "trust" ? "system, operator, verified, standard, untrusted or hostile"
                               : "true or false");
}

constexpr std::array<std::string_view, 4> kTexts = {"host", "operation", "target", "trust"};

constexpr bool kByVote = true;  // the vote is the approval

// May this caster speak for the member?
bool speaks_for(std::string_view agent, const Caster& caster) {
  return at_least(caster.trust, Trust::kOperator) ||
         (caster.name == agent && at_least(caster.trust, Trust::kStandard));
}

// A clock can be set back; the times of the log never go back, and may stand still instead.
Timestamp moment_of(const Proposal& proposal, Timestamp clock, Timestamp log) {
  const std::int64_t passed = log.microseconds - proposal.logged.microseconds;
  return std::max(clock, Timestamp{proposal.opened.microseconds + passed});
}

Caster caster_of(const Json& event) {
  return {text_member(event, "by"),
          parse_trust(text_member(event, "trust")).value_or(Trust::kUntrusted)};
}

}  // namespace

Json Proposal::to_json() const {
  Json json = vote.to_json();
  json.set("by", by);
  json.set("opened", format_timestamp(opened));
  const bool open = vote.status() == VoteStatus::kOpen;
  json.set("outcome", open ? "voting" : allowed() ? "approved" : "rejected");
  json.set("allowed", allowed());
  json.set("violations", violation_list(violations));
  if (!action.is_null()) json.set("action", action);
  return json;
}

Result<ActionContext> read_action(const Json& action, Trust trust, bool approved) {
  ActionContext context;
  context.trust = trust;
  context.approved = approved;
  if (action.is_null()) return context;
  if (!action.is_object()) return fail(ErrorCode::kInvalidArgument, "the action is no object");
  for (const auto& [key, value] : action.as_object()) {
    bool* flag = key == "against_creator"    ? &context.against_creator
                 : key == "external"         ? &context.external
                 : key == "treat_as_command" ? &context.treat_as_command
                 : key == "destructive"      ? &context.destructive
                 : key == "sensitive"        ? &context.sensitive
                 : key == "approved"         ? &context.approved
                                             : nullptr;
    if (flag != nullptr) {
      if (!value.is_bool()) return fail(wrong_kind(key).error());
      *flag = value.as_bool();
      continue;
    }
    if (std::ranges::find(kTexts, key) == kTexts.end()) {
      return fail(ErrorCode::kInvalidArgument, "an action has no member \"" + key + "\"", {},
                  "it has host, operation, target, trust, against_creator, external, "
                  "treat_as_command, destructive, sensitive, approved");
    }
    if (!value.is_string()) return fail(wrong_kind(key).error());
    if (key == "host") {
      context.host = value.as_string();
    } else if (key == "operation") {
      context.operation = value.as_string();
    } else if (key == "target") {
      context.target = value.as_string();
    } else {
      const auto named = parse_trust(value.as_string());
      if (!named) return fail(wrong_kind(key).error());
      context.trust = lowest(*named, trust);
    }
  }
  return context;
}

CouncilBook::CouncilBook(Ledger& ledger, Clock& clock, Random& random, bus::EventBus* events)
    : ledger_(ledger), clock_(clock), random_(random), events_(events) {}

// The rules are here, not at the writers.
Status CouncilBook::apply(const LedgerEntry& entry) {
  const Json& event = entry.content;
  const std::string name = text_member(event, "event");
  const Timestamp at{number_member(event, "at")};
  const Caster caster = caster_of(event);
  if (name == "proposed") {
    if (!at_least(caster.trust, Trust::kStandard)) return {};
    ANIMA_ASSIGN(const VoteRisk risk, parse_vote_risk(text_member(event, "risk")));
    const Json* action = event.find("action");
    Proposal proposal{.vote = Vote(text_member(event, "id"), text_member(event, "topic"), risk, at,
                                   number_member(event, "minutes")),
                      .by = caster.name,
                      .action = action == nullptr ? Json() : *action,
                      .opened = at,
                      .logged = entry.time,
                      .violations = {},
                      .expiry_noted = false};
    ANIMA_ASSIGN(const ActionContext context, read_action(proposal.action, caster.trust, kByVote));
    proposal.violations = judge(context);
    proposals_.push_back(std::move(proposal));
    return {};
  }
  const auto found = std::ranges::find_if(proposals_, [&](const Proposal& proposal) {
    return proposal.vote.id() == text_member(event, "id");
  });
  if (found == proposals_.end()) return {};
  const Timestamp moment = moment_of(*found, at, entry.time);
  if (name == "expired") {
    found->vote.expire(moment);
    found->expiry_noted = found->vote.status() == VoteStatus::kExpired;
    return {};
  }
  const std::string agent = text_member(event, "agent");
  if (!speaks_for(agent, caster)) return {};
  if (name == "ballot") {
    ANIMA_ASSIGN(const Ballot ballot, parse_ballot(text_member(event, "ballot")));
    (void)found->vote.cast(agent, ballot, moment);  // late ones and outsiders count for nothing
  } else if (name == "veto") {
    (void)found->vote.veto(agent, text_member(event, "domain"), text_member(event, "reason"),
                           moment);
  }
  return {};
}

Result<Timestamp> CouncilBook::now_for(const Proposal& proposal) const {
  ANIMA_ASSIGN(const store::Head head, ledger_.space().log().head());
  return moment_of(proposal, clock_.now(), head.time);
}

Status CouncilBook::catch_up() {
  ANIMA_ASSIGN(read_, ledger_.read(store::RecordKind::kCouncil, read_,
                                   [&](const LedgerEntry& entry) { return apply(entry); }));
  ANIMA_ASSIGN(const store::Head head, ledger_.space().log().head());
  const Timestamp now = clock_.now();
  for (Proposal& proposal : proposals_) proposal.vote.expire(moment_of(proposal, now, head.time));
  return {};
}

// A vote that nobody closed in time leaves an entry like the others.
Status CouncilBook::note_expiries() {
  for (std::size_t i = 0; i < proposals_.size(); ++i) {
    if (proposals_[i].vote.status() != VoteStatus::kExpired || proposals_[i].expiry_noted) continue;
    const std::string id = proposals_[i].vote.id();
    ANIMA_TRY(write(
        Json::object({{"event", "expired"}, {"id", id}, {"at", clock_.now().microseconds}}),
        "vote_closed", {"council", Trust::kSystem},
        Json::object(
            {{"voteId", id}, {"status", "expired"}, {"reason", proposals_[i].vote.reason()}})));
    announce(proposals_[i]);
  }
  return {};
}

Result<Proposal*> CouncilBook::place(std::string_view id) {
  Proposal* found = nullptr;
  for (Proposal& proposal : proposals_) {
    if (proposal.vote.id() == id) return &proposal;
    if (id.empty() || !proposal.vote.id().starts_with(id)) continue;
    if (found != nullptr) {
      return fail(ErrorCode::kInvalidArgument,
                  "several proposals begin with '" + std::string(id) + "'");
    }
    found = &proposal;
  }
  if (found != nullptr) return found;
  return fail(ErrorCode::kNotFound, "there is no proposal '" + std::string(id) + "'", {},
              "`anima council show` lists them");
}

Status CouncilBook::write(const Json& event, std::string_view action, const Caster& caster,
                          Json details) {
  ANIMA_TRY(ledger_.write_with({{store::RecordKind::kCouncil, event}}, action, caster.name,
                               caster.trust, std::move(details)));
  return catch_up();
}

void CouncilBook::announce(const Proposal& proposal) {
  const VoteStatus status = proposal.vote.status();
  if (events_ == nullptr || status == VoteStatus::kOpen || status == VoteStatus::kVetoed) return;
  events_->emit(
      {"vote:completed", Json::object({{"voteId", proposal.vote.id()},
                                       {"status", std::string(to_string(status))},
                                       {"result", proposal.allowed() ? "approved" : "rejected"}})});
}

Result<Proposal> CouncilBook::propose(std::string_view topic, VoteRisk risk, const Caster& caster,
                                      const Json& action, std::int64_t minutes) {
  const std::lock_guard lock(mutex_);
  if (!at_least(caster.trust, Trust::kStandard)) {
    return fail(ErrorCode::kDenied, "a proposal needs standard trust; '" + caster.name + "' has " +
                                        std::string(trust_name(caster.trust)));
  }
  if (minutes <= 0 || minutes > 60 * 24 * 365)
    return fail(ErrorCode::kInvalidArgument, "a vote lasts between a minute and a year");
  ANIMA_ASSIGN(const ActionContext context, read_action(action, caster.trust, kByVote));
  if (!action.is_null()) {
    ANIMA_ASSIGN(
        const Ruling ruling,
        Governor(ledger_, random_, events_).rule(topic, context, caster.name, caster.trust));
    if (!ruling.allowed()) {
      const Violation& first = ruling.violations.front();
      return fail(
          ErrorCode::kDenied,
          "rule " + std::to_string(first.rule) + ", " + std::string(first.name) + ": " +
              first.reason,
          {},
          "no vote overrides the constitution; anima why-denied " + ruling.audit_id.substr(0, 8));
    }
  }
  ANIMA_TRY(catch_up());
  ANIMA_TRY(note_expiries());
  const std::string id = make_uuid(random_);
  ANIMA_TRY(write(Json::object({{"event", "proposed"},
                                {"id", id},
                                {"topic", std::string(topic)},
                                {"risk", std::string(to_string(risk))},
                                {"minutes", minutes},
                                {"action", action},
                                {"by", caster.name},
                                {"trust", std::string(trust_name(caster.trust))},
                                {"at", clock_.now().microseconds}}),
                  "vote_created", caster,
                  Json::object({{"voteId", id}, {"topic", std::string(topic)}})));
  ANIMA_ASSIGN(const Proposal* made, place(id));
  if (events_ != nullptr) {
    events_->emit(
        {"vote:started", Json::object({{"voteId", id},
                                       {"topic", std::string(topic)},
                                       {"threshold", made->vote.needed()},
                                       {"deadline", format_timestamp(made->vote.deadline())}})});
  }
  return *made;
}

Result<Proposal*> CouncilBook::place_for(std::string_view act, std::string_view id,
                                         std::string_view agent, const Caster& caster) {
  ANIMA_TRY(catch_up());
  ANIMA_TRY(note_expiries());
  ANIMA_ASSIGN(Proposal* const proposal, place(id));
  if (speaks_for(agent, caster)) return proposal;
  return fail(ErrorCode::kDenied, "'" + caster.name + "' cannot " + std::string(act) + " as '" +
                                      std::string(agent) + "'");
}

Status CouncilBook::vote(std::string_view id, std::string_view agent, Ballot ballot,
                         const Caster& caster) {
  const std::lock_guard lock(mutex_);
  ANIMA_ASSIGN(const Proposal* proposal, place_for("vote", id, agent, caster));
  const std::string whole_id = proposal->vote.id();
  // Asked of a copy first, so that a ballot that cannot count is an error here.
  Vote trial = proposal->vote;
  ANIMA_ASSIGN(const Timestamp now, now_for(*proposal));
  ANIMA_TRY(trial.cast(agent, ballot, now));
  ANIMA_TRY(write(Json::object({{"event", "ballot"},
                                {"id", whole_id},
                                {"agent", std::string(agent)},
                                {"ballot", std::string(to_string(ballot))},
                                {"by", caster.name},
                                {"trust", std::string(trust_name(caster.trust))},
                                {"at", clock_.now().microseconds}}),
                  trial.status() == VoteStatus::kOpen ? "vote_cast" : "vote_closed", caster,
                  Json::object({{"voteId", whole_id},
                                {"agent", std::string(agent)},
                                {"option", std::string(to_string(ballot))},
                                {"status", std::string(to_string(trial.status()))}})));
  if (events_ != nullptr) {
    events_->emit({"vote:cast", Json::object({{"voteId", whole_id},
                                              {"agent", std::string(agent)},
                                              {"option", std::string(to_string(ballot))}})});
  }
  ANIMA_ASSIGN(proposal, place(whole_id));
  announce(*proposal);
  return {};
}

Status CouncilBook::veto(std::string_view id, std::string_view agent, std::string_view domain,
                         std::string_view reason, const Caster& caster) {
  const std::lock_guard lock(mutex_);
  ANIMA_ASSIGN(const Proposal* proposal, place_for("veto", id, agent, caster));
  const std::string whole_id = proposal->vote.id();
  Vote trial = proposal->vote;
  ANIMA_ASSIGN(const Timestamp now, now_for(*proposal));
  ANIMA_TRY(trial.veto(agent, domain, reason, now));
  ANIMA_TRY(write(Json::object({{"event", "veto"},
                                {"id", whole_id},
                                {"agent", std::string(agent)},
                                {"domain", std::string(domain)},
                                {"reason", std::string(reason)},
                                {"by", caster.name},
                                {"trust", std::string(trust_name(caster.trust))},
                                {"at", clock_.now().microseconds}}),
                  "vote_vetoed", caster,
                  Json::object({{"voteId", whole_id},
                                {"vetoer", std::string(agent)},
                                {"domain", std::string(domain)},
                                {"reason", std::string(reason)}})));
  if (events_ != nullptr) {
    events_->emit({"vote:vetoed", Json::object({{"voteId", whole_id},
                                                {"vetoer", std::string(agent)},
                                                {"domain", std::string(domain)},
                                                {"reason", std::string(reason)}})});
  }
  return {};
}

Result<std::vector<Proposal>> CouncilBook::list() {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  return proposals_;
}

Result<Proposal> CouncilBook::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  ANIMA_ASSIGN(const Proposal* proposal, place(id));
  return *proposal;
}

}  // namespace anima::govern
