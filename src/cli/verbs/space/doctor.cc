// anima doctor: is this space in order, and does the machine give it what it needs?
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "agent/learnings/own_learnings.h"
#include "agent/mind/psyche_change.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/verbs/space/space_files.h"
#include "govern/decide/stop_switch.h"
#include "learn/shard_files.h"
#include "memory/compartments/compartments.h"
#include "memory/lost_memories.h"
#include "serve/tokens.h"
#include "store/backup.h"
#include "store/space_place.h"
#include "store/verify/audit.h"
#include "store/verify/missing_keys.h"
#include "tools/external.h"
#include "tools/sandbox/sandbox.h"

namespace anima::cli {
namespace {

enum class Finding : std::uint8_t { kGood, kWarning, kBad };

struct Check {
  std::string name;
  Finding finding = Finding::kGood;
  std::string detail;
  ExitCode exit = kIntegrity;  // when it is bad
};

std::string_view word(Finding finding) {
  switch (finding) {
    case Finding::kGood:
      return "ok";
    case Finding::kWarning:
      return "warning";
    case Finding::kBad:
      return "broken";
  }
  return {};
}

Check of_status(std::string name, const Status& status, std::string good) {
  if (status) return {std::move(name), Finding::kGood, std::move(good)};
  return {std::move(name), Finding::kBad, status.error().describe()};
}

Check check_version(const Context& context) {
  const auto version = store::schema_version(context.space);
  if (!version) return {"version", Finding::kBad, version.error().describe()};
  const std::int64_t ours = store::current_schema_version();
  if (*version == ours) return {"version", Finding::kGood, fmt::format("schema {}", ours)};
  if (store::has_archived_payloads(*version)) {
    return {"version", Finding::kGood,
            fmt::format("schema {}: payloads of old entries lie in archives", *version)};
  }
  if (store::knows_schema_version(*version)) {
    return {"version", Finding::kGood,
            fmt::format("schema {}: something was forgotten or compacted", *version)};
  }
  return {"version", Finding::kBad,
          fmt::format("schema {}, this program writes {}: `anima migrate`", *version, ours)};
}

// A database's promises are its owner's.
Check check_server(const Context& context) {
  const std::string where = store::shown_log(context.files, context.space);
  const auto weakness = store::log_weakness(context.files, context.space);
  if (!weakness) return {"server", Finding::kBad, weakness.error().describe(), kFailed};
  if (weakness->empty()) return {"server", Finding::kGood, where};
  return {"server", Finding::kWarning, where + ": " + *weakness};
}

Check check_log(const Context& context, std::optional<store::AuditReport>* found = nullptr,
                bool mend = false) {
  auto report = store::verify_space(context.space, context.files);
  if (!report && mend && report.error().code == ErrorCode::kCorrupt) {
    const std::string was = report.error().message;
    const auto mended = store::mend_log_file(context.space, context.files);
    if (mended && *mended) report = store::verify_space(context.space, context.files);
    if (!mended && was.starts_with("its entries are whole")) report = anima::fail(mended.error());
    if (report) {
      if (found != nullptr) *found = *report;
      return {"log", Finding::kGood,
              fmt::format("{} entries, chain whole; the file was made anew of them ({})",
                          report->entries, was)};
    }
  }
  if (report && found != nullptr) *found = *report;
  if (!report) {
    const bool none = report.error().code == ErrorCode::kNotFound;
    return {"log", Finding::kBad, report.error().describe(), none ? kMissing : kIntegrity};
  }
  return {"log", Finding::kGood, fmt::format("{} entries, chain whole", report->entries)};
}

Check check_views(Context& context) {
  const auto space = open_space(context, Access::kRead);
  if (!space) return {"views", Finding::kBad, space.error().describe()};
  const std::vector<std::string> notes = (*space)->notes();
  if (!notes.empty()) return {"views", Finding::kWarning, notes.front()};
  const store::SpaceStats stats = (*space)->stats();
  return {"views", Finding::kGood,
          fmt::format("base at entry {} of {}", static_cast<std::uint64_t>(stats.base_sequence),
                      stats.entries)};
}

constexpr std::size_t kMostNamed = 3;

// "a, b, c, .."
std::string first_of(const std::vector<std::string>& all) {
  std::string list;
  for (std::size_t i = 0; i < all.size() && i < kMostNamed; ++i)
    list += (i == 0 ? "" : ", ") + all[i];
  return all.size() > kMostNamed ? list + ", .." : list;
}

// Secrets must be readable by their owner only.
Check check_permissions(Context& context) {
  const std::string folder = join_path(context.space, "keys");
  const auto entries = context.files.list(folder);
  if (!entries) return {"keys", Finding::kGood, "none"};
  std::size_t count = 0;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(".seal") && !entry.name.ends_with(".key")) continue;
    if (entry.kind == FileInfo::Kind::kDirectory) continue;
    ++count;
    const auto info = context.files.info(join_path(folder, entry.name));
    if (info && (info->permissions & 077) != 0) {
      return {"keys", Finding::kBad,
              fmt::format("others can read {}: chmod 600", join_path(folder, entry.name))};
    }
  }
  return {"keys", Finding::kGood, fmt::format("{}, readable by their owner only", count)};
}

bool all_not_here(const std::vector<store::MissingKey>& missing) {
  return std::ranges::all_of(missing, [](const store::MissingKey& each) {
    return each.why == store::MissingKey::Why::kNotHere;
  });
}

// Beside that it is not here.
std::string what_is_wrong(const store::MissingKey& key) {
  switch (key.why) {
    case store::MissingKey::Why::kDamaged:
      return fmt::format(" (its file is damaged, and holds no key any more: {})", key.file);
    case store::MissingKey::Why::kChanged:
      return fmt::format(" (its file was changed, and does not open what was sealed: {})",
                         key.file);
    case store::MissingKey::Why::kNotHere:
      break;
  }
  return {};
}

// What cannot be read for want of a key, and where the key may be.
std::string missing_seals(Context& context, const std::vector<store::MissingKey>& missing) {
  std::vector<std::string> keys;
  for (const store::MissingKey& each : missing) {
    std::vector<std::string> numbers;
    for (const store::Sequence entry : each.entries)
      numbers.push_back(std::to_string(sequence_number(entry)));
    keys.push_back(fmt::format("{}{}, which {} of the log {} (entry {})", each.seal,
                               what_is_wrong(each),
                               each.entries.size() == 1 ? "an entry" : "entries",
                               each.entries.size() == 1 ? "needs" : "need", first_of(numbers)));
  }
  std::string detail =
      fmt::format("{}{}; what is sealed under it cannot be read until its .seal is back in keys/",
                  all_not_here(missing) ? "not here: " : "", first_of(keys));
  const std::string& seal = missing.front().seal;
  const std::string name = seal.substr(0, seal.rfind('#'));
  const auto backups = store::known_backups(context.space, context.files);
  std::string with_keys;
  for (std::size_t i = 0; backups && i < backups->size(); ++i) {
    const store::BackupInfo& each = (*backups)[i];
    if (std::ranges::find(each.keys, name) != each.keys.end()) with_keys = each.path;
  }
  detail += with_keys.empty()
                ? "; no backup with keys is known, so look in copies of the folder"
                : fmt::format("; `anima restore {}` into another folder, and copy its keys/*.seal",
                              with_keys);
  return detail + fmt::format("; `anima erase {}` gives it up", name);
}

Check check_keys(Context& context, const std::optional<store::AuditReport>& report) {
  Check found = check_permissions(context);
  if (found.finding == Finding::kBad) return found;
  const auto space = open_space(context, Access::kRead);
  if (!space) return {"keys", Finding::kBad, space.error().describe()};
  const auto missing = store::missing_seal_keys(**space, context.files);
  if (!missing) return {"keys", Finding::kBad, missing.error().describe()};
  const auto no_keys = store::files_without_key(context.space, context.files);
  if (!no_keys) return {"keys", Finding::kBad, no_keys.error().describe()};
  if (!missing->empty()) {
    found = {"keys", all_not_here(*missing) ? Finding::kWarning : Finding::kBad,
             missing_seals(context, *missing)};
  } else if (!no_keys->empty()) {
    found = {"keys", Finding::kWarning,
             "no key is in " + first_of(*no_keys) + ", and the log needs none of it: remove it"};
  }
  if (!report) return found;
  const Status here = store::check_signing_key_is_here(context.space, context.files, *report);
  if (here) return found;
  const std::string others = missing->empty() && no_keys->empty() ? "" : "; " + found.detail;
  return {"keys", Finding::kBad,
          fmt::format("keys/signing.key {}, the one that the log names since entry {}: no "
                      "checkpoint and no certificate can be signed; no backup has it, so put it "
                      "back from a copy of the folder{}",
                      here.error().code == ErrorCode::kNotFound ? "is not here"
                      : here.error().code == ErrorCode::kCorrupt
                          ? "is damaged or another one"
                          : "cannot be read (" + here.error().message + ")",
                      sequence_number(report->keys.back().since), others)};
}

std::string described(const std::vector<Error>& errors) {
  std::vector<std::string> lines;
  for (const Error& error : errors) lines.push_back(error.describe());
  return first_of(lines);
}

// What was learnt lies beside the log; nothing of it is made again.
Check check_learnings(Context& context, bool mend) {
  const std::string folder = agent::shards_folder(context.space);
  const auto faults = learn::faults_of_shards(folder, context.files);
  if (!faults) return {"learnings", Finding::kBad, faults.error().describe()};
  const auto odd = learn::oddities_of_shards(folder, context.files);
  if (!odd) return {"learnings", Finding::kBad, odd.error().describe()};
  if (faults->empty() && !odd->empty()) return {"learnings", Finding::kWarning, described(*odd)};
  if (faults->empty()) return {"learnings", Finding::kGood, "every store can be read"};
  std::vector<std::string> broken, aside;
  for (const Error& fault : *faults) {
    // What another program holds, or a newer one made, is not damaged.
    if (!mend || fault.code != ErrorCode::kCorrupt) {
      broken.push_back(fault.describe());
      continue;
    }
    const auto moved = learn::set_shard_aside(fault.where, SystemClock().now(), context.files);
    if (moved) {
      aside.push_back(*moved);
    } else {
      broken.push_back(moved.error().describe());
    }
  }
  if (broken.empty()) {
    return {
        "learnings", Finding::kWarning,
        "set aside, and begun anew: " + first_of(aside) +
            " (what it held is not known any more; `sqlite3 FILE .recover` may read some of it)"};
  }
  return {"learnings", Finding::kBad, first_of(broken)};
}

// What lies beside the log, of the kinds and with the rights that it needs.
Check check_helpers(const Context& context) {
  const std::vector<FileFault> faults = faults_of_files(context.files, context.space);
  if (faults.empty()) return {"helpers", Finding::kGood, "files, or not there"};
  std::vector<std::string> lines;
  for (const FileFault& fault : faults) lines.push_back(fault.what + ": " + fault.remedy);
  return {"helpers", Finding::kBad, fmt::format("{}", fmt::join(lines, "; "))};
}

constexpr std::int64_t kClocksApart = 5 * kMicrosecondsPerSecond;  // of machines that share a log

// What is written now bears the time of the newest entry until the clock is past it.
Check check_clock(Context& context) {
  const auto space = open_space(context, Access::kRead);
  if (!space) return {"clock", Finding::kBad, space.error().describe()};
  const auto now = (*space)->snapshot();
  if (!now) return {"clock", Finding::kBad, now.error().describe()};
  const Timestamp clock = SystemClock().now();
  const Timestamp log = now->entry(now->sequence()).time;
  if (log.microseconds <= clock.microseconds + kClocksApart)
    return {"clock", Finding::kGood, format_timestamp(clock)};
  return {"clock", Finding::kWarning,
          fmt::format("the log is ahead of the clock: its newest entry is of {}, and it is {}; "
                      "what is written until then bears that time. Set the clock right where it "
                      "is wrong",
                      format_timestamp(log), format_timestamp(clock))};
}

// Of each compartment's folder all that a load would read.
Check check_compartments(Context& context) {
  const auto space = open_space(context, Access::kRead);
  if (!space) return {"compartments", Finding::kBad, space.error().describe()};
  memory::CompartmentManager manager(**space, context.files,
                                     join_path(context.space, "compartments"));
  std::vector<std::string> broken;
  if (const auto found = manager.discover(); !found) broken.push_back(found.error().describe());
  for (const Error& error : manager.discovery_errors()) broken.push_back(error.describe());
  const auto all = manager.all();
  for (const memory::Compartment* each : all) {
    const auto content = memory::read_content(context.files, each->manifest);
    if (!content) broken.push_back(content.error().describe());
    if (!content || content->psyche.empty()) continue;
    const std::string path = join_path(each->manifest.directory, "psyche.toml");
    const auto psyche = agent::read_psyche(content->psyche, path, {});
    if (!psyche) broken.push_back(psyche.error().describe());
  }
  if (broken.empty())
    return {"compartments", Finding::kGood, fmt::format("{}, each can be read", all.size())};
  return {"compartments", Finding::kBad,
          first_of(broken) + "; mend the file, or move its folder away"};
}

// Changes of tools that wait for an answer, or can be undone.
Check check_staged(const Context& context) {
  const std::string folder = join_path(context.space, "staged");
  const auto entries = context.files.list(folder);
  std::vector<std::string> broken;
  std::size_t whole = 0;
  for (std::size_t i = 0; entries && i < entries->size(); ++i) {
    const std::string path = join_path(join_path(folder, (*entries)[i].name), "record.json");
    const auto text = read_file(context.files, path);
    const bool is_other = !text && text.error().code == ErrorCode::kNotFound;
    if (is_other) continue;
    if (text && parse_json(*text)) {
      ++whole;
    } else {
      broken.push_back(path);
    }
  }
  if (broken.empty()) return {"staged", Finding::kGood, fmt::format("{} changes of tools", whole)};
  return {"staged", Finding::kWarning,
          first_of(broken) +
              " cannot be read: what it would change is not made; run the command again, and "
              "remove the folder"};
}

// An erasure names the backups that are noted there.
Check check_backups(Context& context) {
  const auto notes = store::backup_notes(context.space, context.files);
  if (!notes) {
    return {"backups", Finding::kBad,
            notes.error().describe() + ": no backup and no certificate is made until it is gone"};
  }
  if (notes->damaged_from) {
    return {"backups", Finding::kBad,
            store::doubt_about(*notes) +
                "; its whole lines count. Move it away, and back up anew: an erasure then names "
                "what was backed up since, and says that there may be more"};
  }
  if (notes->missing) return {"backups", Finding::kGood, "none is noted"};
  return {"backups", Finding::kGood, fmt::format("{} noted", notes->backups.size())};
}

// Who lets programs in at an address.
Check check_tokens(Context& context) {
  const auto tokens = serve::TokenBook(context.files, context.space).list();
  if (!tokens) return {"tokens", Finding::kBad, tokens.error().describe()};
  return {"tokens", Finding::kGood, fmt::format("{}, for `anima serve`", tokens->size())};
}

Check check_disk(const Context& context) {
  struct statvfs info = {};
  if (statvfs(context.space.c_str(), &info) != 0) {
    return {"disk", Finding::kWarning, "the free space is not known"};
  }
  const std::uint64_t free_megabytes =
      static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize / 1'000'000;
  const Finding finding = free_megabytes < 100 ? Finding::kWarning : Finding::kGood;
  return {"disk", finding, fmt::format("{} MB free", free_megabytes)};
}

Check check_leftovers(Context& context) {
  const auto entries = context.files.list(context.space);
  if (!entries) return of_status("folder", anima::fail(entries.error()), {});
  std::string found;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name.ends_with(".part")) found += (found.empty() ? "" : ", ") + entry.name;
  }
  if (found.empty()) {
    if (const std::string open = open_to_others(context.files, context.space); !open.empty())
      return {"folder", Finding::kWarning, open};
    return {"folder", Finding::kGood, context.space};
  }
  return {"folder", Finding::kWarning, "left behind by something that was stopped: " + found};
}

// What holds the programs of tools on this machine.
void check_sandbox(std::vector<Check>& checks) {
  const tools::SandboxFacts& facts = tools::machine_sandbox();
  for (const tools::Protection& each : tools::describe_sandbox(facts)) {
    if (each.present) {
      checks.push_back({each.name, Finding::kGood, each.meaning});
    } else {
      checks.push_back({each.name, Finding::kWarning, "missing: " + each.remedy});
    }
  }
  const std::string fetcher = tools::find_fetcher();
  checks.push_back({"fetcher", fetcher.empty() ? Finding::kWarning : Finding::kGood,
                    fetcher.empty() ? "missing: http:fetch needs anima-fetch beside anima or in "
                                      "../libexec/anima"
                                    : fetcher});
  const bool full = facts.containment() == tools::Containment::kFull;
  checks.push_back(
      {"sandbox", full ? Finding::kGood : Finding::kWarning,
       fmt::format("{} containment{}", tools::to_string(facts.containment()),
                   full ? "" : ": tools that need more are refused with exit code 126")});
}

// Rules that cannot be read have every call refused.
Check check_policy(Context& context) {
  const auto bad = [](const Error& error) {
    return Check{"policy", Finding::kBad,
                 "every call is refused until this is mended: " + error.describe(), kFailed};
  };
  std::vector<govern::PolicySource> sources = govern::Policy::shipped_sources();
  const auto own = govern::rules_in(context.files, rule_folders(context));
  if (!own) return bad(own.error());
  sources.insert(sources.end(), own->begin(), own->end());
  const auto policy = govern::Policy::create(sources);
  if (!policy) return bad(policy.error());
  const std::vector<std::string> idle = (*policy)->idle_rules();
  if (!idle.empty()) return {"policy", Finding::kWarning, idle.front()};
  return {"policy", Finding::kGood,
          fmt::format("{} files of your own, beside those shipped", own->size())};
}

// What the settings guard.* name.
Check check_guardian(Context& context) {
  const auto patterns = patterns_in_use(context);
  if (!patterns) return {"guardian", Finding::kBad, patterns.error().describe(), kFailed};
  const auto model = model_in_use(context);
  if (!model) return {"guardian", Finding::kBad, model.error().describe(), kFailed};
  return {"guardian", Finding::kGood,
          fmt::format("{} patterns, {}", patterns->patterns().size(),
                      *model == nullptr ? "no model (guard.model)" : "with a model")};
}

Check check_line(Context& context) {
  const auto governance = open_governance(context, Access::kRead);
  if (!governance) return {"line", Finding::kBad, governance.error().describe()};
  const auto line = govern::StopSwitch((*governance)->ledger).state();
  if (!line) return {"line", Finding::kBad, line.error().describe()};
  if (!line->halted) return {"line", Finding::kGood, "it runs"};
  return {"line", Finding::kWarning,
          fmt::format("stopped by {}{}{}: no tool runs until `anima guard resume`", line->by,
                      line->reason.empty() ? "" : ": ", line->reason)};
}

// Memories whose text is not in the log any more: nobody reads them again.
Check check_memories(Context& context, bool mend) {
  const auto bad = [](const Error& error) {
    return Check{"memories", Finding::kBad, error.describe()};
  };
  const auto governance = open_governance(context, mend ? Access::kWrite : Access::kRead);
  if (!governance) return bad(governance.error());
  const auto lost = memory::withdraw_lost_memories(*(*governance)->space, (*governance)->ledger,
                                                   (*governance)->person.name, !mend);
  if (!lost) return bad(lost.error());
  if (lost->empty()) return {"memories", Finding::kGood, "every text is there"};
  const std::string detail =
      fmt::format("{} without their text: {}", lost->size(), first_of(*lost));
  if (mend) return {"memories", Finding::kGood, "withdrawn: " + detail};
  return {"memories", Finding::kWarning, detail + " (`anima doctor --mend` withdraws them)"};
}

// Nothing is said of a log whose server does not answer.
std::vector<Check> check_space(Context& context, bool mend) {
  std::vector<Check> checks;
  if (store::is_shared_log(context.files, context.space)) {
    checks.push_back(check_server(context));
    if (checks.front().finding == Finding::kBad) return checks;
  }
  std::optional<store::AuditReport> report;
  for (Check& check : std::vector<Check>{
           check_leftovers(context), check_helpers(context), check_version(context),
           check_log(context, &report, mend), check_views(context), check_memories(context, mend),
           check_learnings(context, mend), check_keys(context, report), check_backups(context),
           check_tokens(context), check_compartments(context), check_staged(context),
           check_clock(context), check_disk(context), check_line(context)}) {
    checks.push_back(std::move(check));
  }
  return checks;
}

int run_doctor(Context& context, Arguments arguments) {
  bool mend = false;
  Options options;
  options.flag(
      "--mend", mend,
      "withdraws memories whose text is gone, gives damaged stores of learnings another name, and "
      "makes a damaged file of the log anew of its entries, where these are whole; the rest is "
      "only looked at");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  std::vector<Check> checks;
  if (space_is_there(context)) {
    checks = check_space(context, mend);
  } else if (const Check log = check_log(context); log.exit != kMissing) {
    checks = {log};  // lost, with what belonged to it
  } else {
    checks = {{"space", Finding::kBad,
               fmt::format("there is none at {} (make one with `anima init`)", context.space),
               kMissing}};
  }
  checks.push_back(check_policy(context));
  checks.push_back(check_guardian(context));
  check_sandbox(checks);
  ExitCode exit = kDone;
  JsonArray list;
  for (const Check& check : checks) {
    if (check.finding == Finding::kBad && (exit == kDone || check.exit == kIntegrity))
      exit = check.exit;
    if (context.json) {
      list.emplace_back(Json::object(
          {{"name", check.name}, {"finding", word(check.finding)}, {"detail", check.detail}}));
      continue;
    }
    const Paint paint = check.finding == Finding::kGood      ? Paint::kGreen
                        : check.finding == Finding::kWarning ? Paint::kYellow
                                                             : Paint::kRed;
    context.print(fmt::format("{}  {}: {}\n",
                              context.paint(paint, fmt::format("{:7}", word(check.finding))),
                              check.name, check.detail));
  }
  if (context.json) {
    context.print_json(Json::object({{"ok", exit == kDone}, {"checks", std::move(list)}}));
  }
  return exit;
}

}  // namespace

extern const Verb kDoctor;
const Verb kDoctor{"doctor",   Group::kKeeping, "checks the space, its governance and the machine",
                   "[--mend]", "anima doctor",  run_doctor};

}  // namespace anima::cli
