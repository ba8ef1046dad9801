// anima council: proposals, ballots, vetoes and their outcome, on the log.
#include <fmt/format.h>

#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"

namespace anima::cli {
namespace {

using govern::Proposal;

std::vector<std::string> member_names() {
  std::vector<std::string> names;
  for (const govern::CouncilMember& member : govern::council_members())
    names.emplace_back(member.agent);
  return names;
}

std::string outcome_of(const Proposal& proposal) {
  if (proposal.vote.status() == govern::VoteStatus::kOpen) return "voting";
  if (!proposal.vote.approved()) return "rejected";
  return proposal.allowed() ? "approved" : "approved, but blocked by the constitution";
}

void print_proposal(Context& context, const Proposal& proposal) {
  const govern::Tally tally = proposal.vote.tally();
  context.print(
      fmt::format("{}  {}\n  outcome   {}{}\n  risk      {}: {} of 15 must approve, 9 take part\n"
                  "  ballots   {} approve, {} reject, {} abstain\n  deadline  {}\n",
                  proposal.vote.id(), proposal.vote.topic(), outcome_of(proposal),
                  proposal.vote.reason().empty() ? "" : " (" + proposal.vote.reason() + ")",
                  to_string(proposal.vote.risk()), proposal.vote.needed(), tally.approve,
                  tally.reject, tally.abstain, format_timestamp(proposal.vote.deadline())));
  for (const govern::Violation& violation : proposal.violations) {
    context.print(fmt::format("  breaks    rule {} ({}): {}\n", violation.rule, violation.name,
                              violation.reason));
  }
}

int say(Context& context, const Proposal& proposal) {
  if (context.json) {
    context.print_json(proposal.to_json());
  } else {
    print_proposal(context, proposal);
  }
  return kDone;
}

int say_again(Context& context, Governance& governance, const std::string& id) {
  const auto proposal = governance.council.find(id);
  return proposal ? say(context, *proposal) : context.fail(proposal.error());
}

int run_propose(Context& context, Arguments arguments) {
  std::string topic;
  std::string risk = "low";
  std::optional<std::string> action;
  std::int64_t minutes = govern::Vote::kDefaultMinutes;
  Options options;
  options.positional("TOPIC", topic, "what is to be decided").required();
  options.value("--risk LEVEL", risk, "how many must approve: 9, 9, 10, 15 of 15")
      .choices({"low", "medium", "high", "critical"});
  options.value("--minutes N", minutes, "how long the vote is open");
  options.value("--action JSON", action,
                "what would be done, for the constitution: {\"host\",\"operation\",\"target\",..}");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto level = govern::parse_vote_risk(risk);
  if (!level) return context.usage_error(level.error().describe());
  const auto parsed = action ? parse_json(*action) : Result<Json>(Json());
  if (!parsed) return context.usage_error("--action: " + parsed.error().describe());
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  const auto proposal =
      (*governance)->council.propose(topic, *level, (*governance)->person, *parsed, minutes);
  return proposal ? say(context, *proposal) : context.fail(proposal.error());
}

int run_vote(Context& context, Arguments arguments) {
  std::string id;
  std::string choice;
  std::string member;
  Options options;
  options.positional("ID", id, "the proposal, or the beginning of its id").required();
  options.positional("BALLOT", choice, "approve, reject or abstain").required();
  options.value("--as MEMBER", member, "the member whose ballot it is")
      .required()
      .choices(member_names());
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto ballot = govern::parse_ballot(to_lower(choice));
  if (!ballot) return context.usage_error(ballot.error().describe());
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  const Status cast = (*governance)->council.vote(id, member, *ballot, (*governance)->person);
  return cast ? say_again(context, **governance, id) : context.fail(cast.error());
}

int run_veto(Context& context, Arguments arguments) {
  std::string id;
  std::string member;
  std::string domain;
  std::string reason;
  Options options;
  options.positional("ID", id, "the proposal, or the beginning of its id").required();
  options.value("--as MEMBER", member, "the member who vetoes").required().choices(member_names());
  options.value("--domain D", domain, "the member's veto domain").required();
  options.value("--reason TEXT", reason, "why");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  const Status vetoed =
      (*governance)->council.veto(id, member, domain, reason, (*governance)->person);
  return vetoed ? say_again(context, **governance, id) : context.fail(vetoed.error());
}

int run_tally(Context& context, Arguments arguments) {
  std::string id;
  Options options;
  options.positional("ID", id, "the proposal, or the beginning of its id").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kRead);
  if (!governance) return context.fail(governance.error());
  return say_again(context, **governance, id);
}

int show_members(Context& context) {
  Json list = Json::array();
  Table table({"member", "name", "title", "pillar", "veto domain"});
  for (const govern::CouncilMember& member : govern::council_members()) {
    list.push_back(Json::object({{"agent", std::string(member.agent)},
                                 {"name", std::string(member.name)},
                                 {"title", std::string(member.title)},
                                 {"pillar", std::string(member.pillar)},
                                 {"style", std::string(member.style)},
                                 {"veto_domain", std::string(member.veto_domain)}}));
    table.add({std::string(member.agent), std::string(member.name), std::string(member.title),
               std::string(member.pillar), std::string(member.veto_domain)});
  }
  if (context.json) {
    context.print_json(Json::object({{"members", std::move(list)}}));
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int run_council_show(Context& context, Arguments arguments) {
  std::optional<std::string> id;
  bool members = false;
  Options options;
  options.positional("ID", id, "one proposal; without it, all of them");
  options.flag("--members", members, "the fifteen members instead");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (members) return show_members(context);
  const auto governance = open_governance(context, Access::kRead);
  if (!governance) return context.fail(governance.error());
  if (id) return say_again(context, **governance, *id);
  const auto proposals = (*governance)->council.list();
  if (!proposals) return context.fail(proposals.error());
  Json list = Json::array();
  Table table({"id", "outcome", "risk", "approve", "reject", "topic"});
  for (const Proposal& proposal : *proposals) {
    list.push_back(proposal.to_json());
    const govern::Tally tally = proposal.vote.tally();
    table.add({proposal.vote.id().substr(0, 8), outcome_of(proposal),
               std::string(to_string(proposal.vote.risk())), std::to_string(tally.approve),
               std::to_string(tally.reject), proposal.vote.topic()});
  }
  if (context.json) {
    context.print_json(Json::object({{"proposals", std::move(list)}}));
  } else if (table.empty()) {
    context.print("There is no proposal. Make one: anima council propose TOPIC\n");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

}  // namespace

extern const Verb kCouncilPropose;
extern const Verb kCouncilVote;
extern const Verb kCouncilVeto;
extern const Verb kCouncilTally;
extern const Verb kCouncilShow;
const Verb kCouncilPropose{"council propose",
                           Group::kActing,
                           "puts a question to the council's fifteen members",
                           "TOPIC [--risk LEVEL] [--minutes N] [--action JSON] [--json]",
                           "anima council propose \"Keep backups for a year\" --risk high",
                           run_propose};
const Verb kCouncilVote{"council vote",
                        Group::kActing,
                        "casts a member's ballot; a second one replaces the first",
                        "ID approve|reject|abstain --as MEMBER [--json]",
                        "anima council vote 3f2a approve --as guardian",
                        run_vote};
const Verb kCouncilVeto{"council veto",
                        Group::kActing,
                        "ends a vote in the member's veto domain",
                        "ID --as MEMBER --domain D [--reason TEXT] [--json]",
                        "anima council veto 3f2a --as guardian --domain security",
                        run_veto};
const Verb kCouncilTally{
    "council tally", Group::kActing, "how a vote stands", "ID [--json]", "anima council tally 3f2a",
    run_tally};
const Verb kCouncilShow{"council show",
                        Group::kActing,
                        "the proposals, or the members",
                        "[ID] [--members] [--json]",
                        "anima council show",
                        run_council_show};

}  // namespace anima::cli
