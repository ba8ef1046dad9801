// What the verbs of governance work with: the space's ledger, its approvals and its council, in the
// name of the person at the terminal (trust operator, DATA.md 14). Thread-safety: one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "bus/event_journal.h"
#include "cli/space_access.h"
#include "govern/approvals.h"
#include "govern/council_book.h"
#include "govern/ledger.h"
#include "govern/plan_book.h"

namespace anima::cli {

struct Governance {
  Governance(std::shared_ptr<store::Space> opened, std::string person_name)
      : space(std::move(opened)),
        journal(*space, clock),
        events([this](const bus::Event& event) { journal.add(event); }),
        ledger(*space, clock, random, &events),
        approvals(clock, random, ledger, &ledger, govern::kPersonAnswers, &events),
        plans(ledger, approvals, clock),
        council(ledger, clock, random, &events),
        person{std::move(person_name), govern::Trust::kOperator} {}

  SystemClock clock;
  SystemRandom random;
  std::shared_ptr<store::Space> space;
  bus::EventJournal journal;
  bus::EventBus events;
  govern::Ledger ledger;
  govern::Approvals approvals;
  govern::PlanBook plans;
  govern::CouncilBook council;
  govern::Caster person;
};

// Where the owner's rules lie: those of the space, then those for all spaces.
std::vector<std::string> rule_folders(const Context& context);

// Errors: those of open_space().
Result<std::unique_ptr<Governance>> open_governance(Context& context, Access access);

// The whole call that waits, for a person to answer: with a shell command's parts and what each
// does.
std::string approval_text(const govern::Approval& approval);

}  // namespace anima::cli
