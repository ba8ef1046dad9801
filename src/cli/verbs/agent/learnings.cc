// anima learnings: what the agents of a space learnt, as a person looks at it, takes it elsewhere
// and takes it back.
#include <fmt/format.h>

#include <algorithm>

#include "agent/learnings/own_learnings.h"
#include "base/files/output_file.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "govern/trust.h"
#include "learn/transfer.h"

namespace anima::cli {
namespace {

using learn::Learning;

constexpr std::uint64_t kMostFileBytes = std::uint64_t{16} << 20;

constexpr const char* kShardHelp =
    "whose learnings: owner (what you refused and allowed), campaign, or a name of your own";

struct Learnt {
  SystemClock clock;
  std::shared_ptr<store::Space> space;
  std::unique_ptr<agent::OwnLearnings> own;
  learn::LearningStore& store() { return own->store(); }
};

// Errors: those of the space and of <space>/learn.
Result<std::unique_ptr<Learnt>> open_learnt(Context& context, Access access) {
  auto learnt = std::make_unique<Learnt>();
  ANIMA_ASSIGN(learnt->space, open_space(context, access));
  ANIMA_ASSIGN(learnt->own, agent::OwnLearnings::open(*learnt->space, learnt->clock,
                                                      learning_thresholds(context), context.files));
  if (learnt->own == nullptr)
    return anima::fail(ErrorCode::kUnsupported, "a space in memory keeps no learnings");
  return learnt;
}

std::optional<int> wrong_shard(Context& context, const std::string& shard) {
  if (learn::is_shard_name(shard)) return std::nullopt;
  return context.usage_error("InvalidShard: '" + shard + "' is no shard's name",
                             "a letter a to z, then letters, digits and _, at most 32");
}

Json learning_json(learn::LearningStore& store, const Learning& row) {
  return Json::object({{"id", row.id},
                       {"shard", row.shard},
                       {"fact_predicate", row.predicate},
                       {"fact_args", row.arguments},
                       {"confidence", store.confidence_now(row)},
                       {"learned_at", format_timestamp(row.learned_at)},
                       {"source_campaign", row.campaign},
                       {"reinforcements", row.reinforcements},
                       {"trust", std::string(govern::trust_name(row.trust))}});
}

int run_learnings_list(Context& context, Arguments arguments) {
  std::string shard, predicate, format = "table";
  bool all = false;
  Options options;
  options.value("--shard NAME", shard, std::string(kShardHelp) + "; none: all of them");
  options.value("--predicate NAME", predicate, "only these");
  options.flag("--all", all, "those too that are not sure enough to be followed");
  options.value("--format FORM", format, "table or json").choices({"table", "json"});
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!shard.empty()) {
    if (const auto exit = wrong_shard(context, shard)) return *exit;
  }
  const auto learnt = open_learnt(context, Access::kRead);
  if (!learnt) return context.fail(learnt.error());
  learn::LearningStore& store = (*learnt)->store();
  auto shards = shard.empty() ? store.shards() : Result<std::vector<std::string>>({shard});
  if (!shards) return context.fail(shards.error());
  Table table(
      {"id", "shard", "predicate", "args", "confidence", "learned_at", "campaign", "trust"});
  Json rows = Json::array();
  int exit = kDone;
  for (const std::string& each : *shards) {
    auto loaded = all ? store.load_all(each) : store.load(each, predicate);
    if (!loaded) {
      // The others are shown all the same.
      exit = context.fail(loaded.error());
      continue;
    }
    for (const std::string& skipped : loaded->skipped) context.warn(each + ", " + skipped);
    for (Learning& row : loaded->learnings) {
      if (!predicate.empty() && row.predicate != predicate) continue;
      row.shard = each;
      table.add({std::to_string(row.id), each, row.predicate, row.arguments.dump(),
                 fmt::format("{:.2f}", store.confidence_now(row)), learn::sql_time(row.learned_at),
                 row.campaign, std::string(govern::trust_name(row.trust))});
      rows.push_back(learning_json(store, row));
    }
  }
  if (context.json || format == "json") {
    context.print_json(Json::object({{"learnings", std::move(rows)}}));
  } else if (table.empty()) {
    context.print("no learnings\n");
  } else {
    context.print(table.render(context));
  }
  return exit;
}

int run_learnings_export(Context& context, Arguments arguments) {
  std::string shard, format = "json", file = "-";
  Options options;
  options.value("--shard NAME", shard, kShardHelp).required();
  options.value("--format FORM", format, "json").choices({"json"});
  options.value("--file FILE", file, "where to; standard output when none is named").output();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const auto exit = wrong_shard(context, shard)) return *exit;
  const auto learnt = open_learnt(context, Access::kRead);
  if (!learnt) return context.fail(learnt.error());
  const auto exported = learn::export_learnings((*learnt)->store(), shard, (*learnt)->clock.now());
  if (!exported) return context.fail(exported.error());
  if (file == "-") {
    context.print_json(*exported);
    return kDone;
  }
  const Status written = write_output(context.files, file, exported->dump(2) + "\n");
  if (!written) return context.fail(written.error());
  context.note(fmt::format("{} learnings written", exported->find("learnings")->as_array().size()));
  return kDone;
}

int run_learnings_import(Context& context, Arguments arguments) {
  std::string shard, file, trust = "standard";
  bool skip = false;
  Options options;
  options.value("--shard NAME", shard, kShardHelp).required();
  options.value("--file FILE", file, "what `anima learnings export` wrote; - for standard input")
      .required();
  options.flag("--skip-invalid", skip,
               "leave out rows that may not be learnt, and take the others");
  options
      .value("--trust LEVEL", trust,
             "how far its author is trusted (standard); operator: these are your own words")
      .choices({"operator", "verified", "standard", "untrusted", "hostile"});
  options.epilogue("Exit code 1: a row may not be learnt, and nothing was taken.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const auto exit = wrong_shard(context, shard)) return *exit;
  const auto learnt = open_learnt(context, Access::kWrite);
  if (!learnt) return context.fail(learnt.error());
  const auto text = context.read_input(file, kMostFileBytes);
  if (!text) return context.fail(text.error());
  const auto rows = learn::parse_export(*text, *govern::parse_trust(trust), (*learnt)->clock.now());
  if (!rows) return context.fail(rows.error());
  const auto report = (*learnt)->store().import(shard, *rows, skip);
  if (!report) return context.fail(report.error());
  for (const std::string& each : report->invalid) context.warn(each);
  if (context.json) {
    context.print_json(
        Json::object({{"added", static_cast<std::uint64_t>(report->added)},
                      {"updated", static_cast<std::uint64_t>(report->updated)},
                      {"unchanged", static_cast<std::uint64_t>(report->unchanged)},
                      {"invalid", static_cast<std::uint64_t>(report->invalid.size())}}));
  } else {
    context.print(fmt::format("added {}, updated {}, unchanged {}, invalid {}\n", report->added,
                              report->updated, report->unchanged, report->invalid.size()));
  }
  return kDone;
}

int run_learnings_forget(Context& context, Arguments arguments) {
  std::string shard, id;
  Options options;
  options.positional("ID", id, "the learning, as `anima learnings list` numbers it").required();
  options.value("--shard NAME", shard, kShardHelp).required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const auto exit = wrong_shard(context, shard)) return *exit;
  const auto learnt = open_learnt(context, Access::kWrite);
  if (!learnt) return context.fail(learnt.error());
  const auto loaded = (*learnt)->store().load_all(shard);
  if (!loaded) return context.fail(loaded.error());
  const auto row = std::ranges::find_if(
      loaded->learnings, [&](const Learning& each) { return std::to_string(each.id) == id; });
  if (row == loaded->learnings.end()) {
    return context.fail({ErrorCode::kNotFound,
                         "there is no learning " + id + " in " + shard,
                         {},
                         "`anima learnings list --all` shows them"});
  }
  const auto learner = (*learnt)->own->learner();
  if (!learner) return context.fail(learner.error());
  const auto gone = (*learner)->forget(shard, row->predicate, row->arguments);
  if (!gone) return context.fail(gone.error());
  if (context.json) {
    context.print_json(
        Json::object({{"forgotten", learn::describe(row->predicate, row->arguments)}}));
  } else {
    context.print("forgotten: " + learn::describe(row->predicate, row->arguments) + "\n");
  }
  return kDone;
}

int run_learnings_decay(Context& context, Arguments arguments) {
  std::string shard;
  double factor = 0.9;
  Options options;
  options.value("--shard NAME", shard, kShardHelp).required();
  options.value("--factor X", factor, "what is left of the confidence after a week (0.9)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const auto exit = wrong_shard(context, shard)) return *exit;
  if (const Status good = learn::check_factor(factor); !good)
    return context.usage_error(good.error().message);
  const auto learnt = open_learnt(context, Access::kWrite);
  if (!learnt) return context.fail(learnt.error());
  const auto report = (*learnt)->store().decay(shard, factor);
  if (!report) return context.fail(report.error());
  if (context.json) {
    context.print_json(
        Json::object({{"decayed", static_cast<std::uint64_t>(report->decayed)},
                      {"forgotten", static_cast<std::uint64_t>(report->forgotten)}}));
  } else {
    context.print(fmt::format("decayed {}, forgotten {}\n", report->decayed, report->forgotten));
  }
  return kDone;
}

int run_learnings_clear(Context& context, Arguments arguments) {
  std::string shard;
  bool confirmed = false;
  Options options;
  options.value("--shard NAME", shard, kShardHelp).required();
  options.flag("--confirm", confirmed, "do it");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const auto exit = wrong_shard(context, shard)) return *exit;
  const auto learnt = open_learnt(context, confirmed ? Access::kWrite : Access::kRead);
  if (!learnt) return context.fail(learnt.error());
  learn::LearningStore& store = (*learnt)->store();
  if (!confirmed) {
    const auto rows = store.load_all(shard);
    if (!rows) return context.fail(rows.error());
    context.print(fmt::format("{} learnings of {} would go; --confirm does it\n",
                              rows->learnings.size() + rows->skipped.size(), shard));
    return kRefused;
  }
  const auto gone = store.clear(shard);
  if (!gone) return context.fail(gone.error());
  if (context.json) {
    context.print_json(Json::object({{"cleared", static_cast<std::uint64_t>(*gone)}}));
  } else {
    context.print(fmt::format("cleared {} learnings of {}\n", *gone, shard));
  }
  return kDone;
}

int run_learnings_stats(Context& context, Arguments arguments) {
  std::string shard;
  Options options;
  options.value("--shard NAME", shard, kShardHelp).required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const auto exit = wrong_shard(context, shard)) return *exit;
  const auto learnt = open_learnt(context, Access::kRead);
  if (!learnt) return context.fail(learnt.error());
  const auto stats = (*learnt)->store().stats(shard);
  if (!stats) return context.fail(stats.error());
  context.print_json(stats->to_json());
  return kDone;
}

}  // namespace

extern const Verb kLearningsList, kLearningsExport, kLearningsImport, kLearningsForget;
extern const Verb kLearningsDecay, kLearningsClear, kLearningsStats;
const Verb kLearningsList{
    "learnings list",
    Group::kActing,
    "what was learnt from what you refused, allowed and corrected",
    "[--shard NAME] [--predicate NAME] [--all] [--format table|json] [--json]",
    "anima learnings list --shard owner",
    run_learnings_list};
const Verb kLearningsExport{"learnings export",
                            Group::kActing,
                            "the learnings of a shard as a file",
                            "--shard NAME [--format json] [--file FILE]",
                            "anima learnings export --shard owner --format json --file owner.json",
                            run_learnings_export};
const Verb kLearningsImport{"learnings import",
                            Group::kActing,
                            "learnings of another space; all of a file or nothing",
                            "--shard NAME --file FILE [--skip-invalid] [--trust LEVEL] [--json]",
                            "anima learnings import --shard owner --file owner.json",
                            run_learnings_import};
const Verb kLearningsForget{"learnings forget",
                            Group::kActing,
                            "takes one learning back; the same must be refused as often again",
                            "ID --shard NAME [--json]",
                            "anima learnings forget 2 --shard owner",
                            run_learnings_forget};
const Verb kLearningsDecay{"learnings decay",
                           Group::kActing,
                           "writes down how sure old learnings still are; the oldest go",
                           "--shard NAME [--factor X] [--json]",
                           "anima learnings decay --shard owner --factor 0.9",
                           run_learnings_decay};
const Verb kLearningsClear{"learnings clear",
                           Group::kActing,
                           "forgets all of a shard",
                           "--shard NAME --confirm [--json]",
                           "anima learnings clear --shard owner --confirm",
                           run_learnings_clear};
const Verb kLearningsStats{"learnings stats",
                           Group::kActing,
                           "how many learnings a shard has, and how sure they are",
                           "--shard NAME",
                           "anima learnings stats --shard owner",
                           run_learnings_stats};

}  // namespace anima::cli
