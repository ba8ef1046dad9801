// What the models may use: tokens and money, over all of them and all processes. The account is a
// small file; each change of it happens under its lock.
//
// A call is admitted with the most that it may use, which is held until it settles with what it
// used; so calls at the same time cannot pass the limit together. What a process that died held
// comes back when its hold is an hour old. Money is in the unit of the prices. Thread-safety: from
// any thread and any process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/result.h"
#include "llm/message.h"
#include "llm/model_config.h"
#include "llm/router.h"

namespace anima::llm {

struct Spending {
  std::int64_t tokens = 0;
  double money = 0;
};
Spending cost_of(const ModelConfig& model, const Usage& usage);

struct BudgetState {
  Spending limit;            // 0: none
  Spending spent;            // in this period
  Spending held;             // by calls that run
  std::string period;        // "total", "2026-11", "2026-11-23"
  double fraction_left = 1;  // the lower of both; held spending counts as spent
  BudgetLevel level = BudgetLevel::kNormal;
};
Json to_json(const BudgetState& state);

class Budget {
 public:
  // `path` is the account's file, made when it is first needed (mode 0600, its folder too). What is
  // passed in outlives the object.
  Budget(BudgetConfig config, FileSystem& files, std::string path, Clock& clock);

  Result<BudgetState> state();
  // Holds the spending; the number is for settle(). Errors: kLimitExceeded when less is left.
  Result<std::uint64_t> admit(const Spending& most);
  Status settle(std::uint64_t hold, const Spending& used);

 private:
  struct Account;
  Result<Account> load(const std::string& period);
  Status save(const Account& account);
  std::string period_now();
  BudgetState state_of(const Account& account) const;
  bool unlimited() const { return config_.tokens == 0 && config_.money == 0; }

  const BudgetConfig config_;
  FileSystem& files_;
  const std::string path_;
  Clock& clock_;
};

}  // namespace anima::llm
