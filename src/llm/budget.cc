#include "llm/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace anima::llm {
namespace {

constexpr std::int64_t kForgetHoldSeconds = 3600;
constexpr double kMillion = 1e6;

std::int64_t integer_of(const Json& json, std::string_view name) {
  const Json* value = json.find(name);
  return value == nullptr ? 0 : value->as_integer();
}
double number_of(const Json& json, std::string_view name) {
  const Json* value = json.find(name);
  return value == nullptr ? 0 : value->as_number();
}

double left_of(double limit, double used) {
  return limit <= 0 ? 1 : std::clamp((limit - used) / limit, 0.0, 1.0);
}

Json to_json(const Spending& spending) {
  return Json::object({{"tokens", spending.tokens}, {"money", spending.money}});
}

}  // namespace

struct Budget::Account {
  struct Hold {
    std::uint64_t number = 0;
    std::int64_t since = 0;  // seconds since 1970
    Spending most;
  };
  std::string period;
  Spending spent;
  std::uint64_t next = 1;
  std::vector<Hold> holds;
};

Spending cost_of(const ModelConfig& model, const Usage& usage) {
  return {usage.input_tokens + usage.output_tokens,
          (static_cast<double>(usage.input_tokens) * model.price_in +
           static_cast<double>(usage.output_tokens) * model.price_out) /
              kMillion};
}

Json to_json(const BudgetState& state) {
  return Json::object({{"period", state.period},
                       {"limit", to_json(state.limit)},
                       {"spent", to_json(state.spent)},
                       {"held", to_json(state.held)},
                       {"fraction_left", state.fraction_left},
                       {"level", to_string(state.level)}});
}

Budget::Budget(BudgetConfig config, FileSystem& files, std::string path, Clock& clock)
    : config_(config), files_(files), path_(std::move(path)), clock_(clock) {}

std::string Budget::period_now() {
  const std::string time = format_timestamp(clock_.now());
  switch (config_.period) {
    case BudgetConfig::Period::kTotal:
      return "total";
    case BudgetConfig::Period::kMonth:
      return time.substr(0, 7);
    case BudgetConfig::Period::kDay:
      return time.substr(0, 10);
  }
  return "total";
}

// The account of the period: another one's spending does not count, its holds do.
Result<Budget::Account> Budget::load(const std::string& period) {
  Account account;
  account.period = period;
  auto text = read_file(files_, path_, std::uint64_t{1} << 20);
  if (!text && text.error().code == ErrorCode::kNotFound) return account;
  if (!text) return fail(text.error());
  const auto json = parse_json(*text);
  if (!json || !json->is_object()) {
    return fail(ErrorCode::kCorrupt, "the account of the models' budget cannot be read", path_,
                "remove the file: the budget begins anew");
  }
  const Json* kept = json->find("period");
  if (kept != nullptr && kept->as_string() == period)
    account.spent = {integer_of(*json, "tokens"), number_of(*json, "money")};
  account.next = static_cast<std::uint64_t>(std::max<std::int64_t>(1, integer_of(*json, "next")));
  const std::int64_t now = clock_.now().microseconds / 1'000'000;
  if (const Json* holds = json->find("holds")) {
    for (const Json& each : holds->as_array()) {
      Account::Hold hold{static_cast<std::uint64_t>(integer_of(each, "number")),
                         integer_of(each, "since"),
                         {integer_of(each, "tokens"), number_of(each, "money")}};
      if (now - hold.since < kForgetHoldSeconds) account.holds.push_back(hold);
    }
  }
  return account;
}

Status Budget::save(const Account& account) {
  Json holds = Json::array();
  for (const Account::Hold& hold : account.holds) {
    holds.push_back(Json::object({{"number", hold.number},
                                  {"since", hold.since},
                                  {"tokens", hold.most.tokens},
                                  {"money", hold.most.money}}));
  }
  const Json json = Json::object({{"period", account.period},
                                  {"tokens", account.spent.tokens},
                                  {"money", account.spent.money},
                                  {"next", account.next},
                                  {"holds", std::move(holds)}});
  return replace_file(files_, path_, json.dump() + "\n", 0600);
}

BudgetState Budget::state_of(const Account& account) const {
  BudgetState state;
  state.limit = {config_.tokens, config_.money};
  state.spent = account.spent;
  for (const Account::Hold& hold : account.holds) {
    state.held.tokens += hold.most.tokens;
    state.held.money += hold.most.money;
  }
  state.period = account.period;
  state.fraction_left =
      std::min(left_of(static_cast<double>(config_.tokens),
                       static_cast<double>(state.spent.tokens + state.held.tokens)),
               left_of(config_.money, state.spent.money + state.held.money));
  state.level = level_of(state.fraction_left);
  return state;
}

Result<BudgetState> Budget::state() {
  ANIMA_ASSIGN(const Account account, load(period_now()));
  return state_of(account);
}

Result<std::uint64_t> Budget::admit(const Spending& most) {
  ANIMA_TRY(files_.make_directories(std::string(parent_path(path_)), 0700));
  ANIMA_ASSIGN(const auto lock, files_.lock(path_ + ".lock", LockMode::kExclusive, true));
  ANIMA_ASSIGN(Account account, load(period_now()));
  const BudgetState state = state_of(account);
  const auto over = [](double limit, double used, double wanted) {
    return limit > 0 && used + wanted > limit;
  };
  const bool tokens = over(static_cast<double>(config_.tokens),
                           static_cast<double>(state.spent.tokens + state.held.tokens),
                           static_cast<double>(most.tokens));
  const bool money = over(config_.money, state.spent.money + state.held.money, most.money);
  if (!unlimited() && (tokens || money || state.level == BudgetLevel::kHalt)) {
    return fail(
        ErrorCode::kLimitExceeded,
        tokens || state.level == BudgetLevel::kHalt
            ? fmt::format("the budget of the models leaves {} tokens, and the call may use "
                          "{}",
                          std::max<std::int64_t>(
                              0, config_.tokens - state.spent.tokens - state.held.tokens),
                          most.tokens)
            : fmt::format("the budget of the models leaves {:.4f}, and the call may cost "
                          "{:.4f}",
                          std::max(0.0, config_.money - state.spent.money - state.held.money),
                          most.money),
        {}, "raise models.budget_tokens or models.budget_money, or lower max_tokens");
  }
  const std::uint64_t number = account.next++;
  account.holds.push_back({number, clock_.now().microseconds / 1'000'000, most});
  ANIMA_TRY(save(account));
  return number;
}

Status Budget::settle(std::uint64_t hold, const Spending& used) {
  ANIMA_ASSIGN(const auto lock, files_.lock(path_ + ".lock", LockMode::kExclusive, true));
  ANIMA_ASSIGN(Account account, load(period_now()));
  std::erase_if(account.holds, [&](const Account::Hold& each) { return each.number == hold; });
  account.spent.tokens += used.tokens;
  account.spent.money += used.money;
  return save(account);
}

}  // namespace anima::llm
