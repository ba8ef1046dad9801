#include "agent/learnings/own_learnings.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/json/json_member.h"
#include "base/text/text.h"
#include "language/text/word_uses.h"

namespace anima::agent {
namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kRefused = "refused";  // where no reason was given
// Longer than this nobody's count waits for its third.
constexpr std::int64_t kCountedDays = 30;
constexpr std::size_t kMostRuleBytes = std::size_t{1} << 20;
constexpr std::size_t kMostKindBytes = 120;

// Answers of a door that asks for no reason.
bool is_no_reason(std::string_view reason) {
  static constexpr std::array<std::string_view, 4> kWords = {
      "", "denied at the prompt", "declined at the client", "denied by who was asked"};
  return std::ranges::find(kWords, reason) != kWords.end();
}

// What a tool of the loop calls.
std::string called_tool(std::string_view tool, const Json& arguments) {
  if (tool == "shell_exec") return "shell:execute";
  if (tool == "http_fetch") return "http:fetch";
  if (tool != "file_io") return std::string(tool);
  const std::string action = text_member(arguments, "action");
  return "file:" + (action.empty() ? std::string("read") : action);
}

// The programs of a command, each once: of "cd /tmp && sudo rm -r x; ls" cd, ls and rm.
std::string programs_of(std::string_view command) {
  std::set<std::string> programs;
  bool begins = true;
  for (std::size_t at = 0; at < command.size();) {
    const char c = command[at];
    if (c == ';' || c == '|' || c == '&' || c == '\n' || c == '(' || c == ')') begins = true;
    if (std::string_view(" \t;|&\n()").find(c) != std::string_view::npos) {
      ++at;
      continue;
    }
    const std::size_t end = std::min(command.find_first_of(" \t;|&\n()", at), command.size());
    const std::string_view word = command.substr(at, end - at);
    at = end;
    const bool assigns = word.find('=') != std::string_view::npos;
    if (!begins || assigns || word == "sudo" || word == "env") continue;
    programs.insert(std::string(file_name(word)));
    begins = false;
  }
  const std::vector<std::string> sorted(programs.begin(), programs.end());
  return join(sorted, ",");
}

std::string host_of(std::string_view url) {
  const std::size_t start = url.find("://");
  if (start == std::string_view::npos) return {};
  const std::string_view rest = url.substr(start + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t user = authority.rfind('@');
  return to_lower(user == std::string_view::npos ? authority : authority.substr(user + 1));
}

std::string kind_of_file(std::string_view path) {
  const std::string_view end = extension(path);
  return end.empty() ? std::string(file_name(path)) : "*" + std::string(end);
}

Result<std::vector<std::string>> rule_files(FileSystem& files, const std::string& folder) {
  std::vector<std::string> names;
  const auto entries = files.list(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return names;
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name.ends_with(".mg")) names.push_back(join_path(folder, entry.name));
  }
  return names;
}

}  // namespace

std::string kind_of_action(std::string_view tool, const Json& arguments) {
  const std::string called = called_tool(tool, arguments);
  std::string what;
  if (const std::string command = text_member(arguments, "command"); !command.empty()) {
    what = programs_of(command);
  } else if (const std::string url = text_member(arguments, "url"); !url.empty()) {
    what = host_of(url);
  } else if (const std::string path = text_member(arguments, "path"); !path.empty()) {
    what = kind_of_file(path);
  }
  if (what.empty()) return called;
  return called + " " + std::string(beginning_of(what, kMostKindBytes));
}

std::optional<std::string> reason_of_refusal(std::string_view text) {
  const auto word = [](std::string_view& rest) {
    const std::size_t end = std::min(rest.find_first_of(" \t,.:;!-"), rest.size());
    const std::string taken = to_lower(rest.substr(0, end));
    rest.remove_prefix(end);
    const std::size_t next = std::min(rest.find_first_not_of(" \t,.:;!-"), rest.size());
    rest.remove_prefix(next);
    return taken;
  };
  std::string_view rest = trim(text);
  if (!language::words_used_as("refuse").contains(word(rest))) return std::nullopt;
  if (!language::words_used_as("because").contains(word(rest))) return std::nullopt;
  while (!rest.empty() && (rest.back() == '.' || rest.back() == '!')) rest.remove_suffix(1);
  if (trim(rest).empty()) return std::nullopt;
  return std::string(trim(rest));
}

Json to_json(const AvoidedAction& avoided) {
  return Json::object(
      {{"action", avoided.action}, {"reason", avoided.reason}, {"learning", avoided.learning}});
}

AvoidedAction avoided_from_json(const Json& json) {
  const Json* const learning = json.find("learning");
  return {text_member(json, "action"), text_member(json, "reason"),
          learning == nullptr ? 0 : learning->as_integer()};
}

std::string describe(const AvoidedAction& avoided) {
  return visible_text(avoided.action) + ", which you refused before (" +
         visible_text(avoided.reason) + ")";
}

std::string shards_folder(const std::string& space_folder) {
  return join_path(space_folder, "shards");
}

Result<learn::LearnableTable> learnable_table(FileSystem& files, const std::string& space_folder) {
  ANIMA_ASSIGN(learn::LearnableTable table, learn::LearnableTable::shipped());
  ANIMA_ASSIGN(const std::vector<std::string> names,
               rule_files(files, join_path(space_folder, "learn")));
  for (const std::string& name : names) {
    ANIMA_ASSIGN(const std::string text, read_file(files, name, kMostRuleBytes));
    ANIMA_TRY(table.extend(text, name));
  }
  return table;
}

Result<std::unique_ptr<OwnLearnings>> OwnLearnings::open(store::Space& space, Clock& clock,
                                                         const learn::Thresholds& thresholds,
                                                         FileSystem& files) {
  if (space.folder().empty()) return std::unique_ptr<OwnLearnings>();
  std::unique_ptr<OwnLearnings> own(new OwnLearnings());
  own->clock_ = &clock;
  ANIMA_ASSIGN(learn::LearnableTable table, learnable_table(files, space.folder()));
  own->store_ = std::make_unique<learn::LearningStore>(
      shards_folder(space.folder()), std::move(table), clock, learn::StoreOptions(), files);
  own->thresholds_ = thresholds;
  return own;
}

Result<learn::Learner*> OwnLearnings::learner() {
  if (learner_ == nullptr) {
    learn::LearnerOptions options;
    options.thresholds = thresholds_;
    ANIMA_ASSIGN(learner_, learn::Learner::open(*store_, std::move(options)));
    ANIMA_TRY(learner_->rehydrate(learn::kOwnerShard).map([](const learn::LoadedLearnings&) {}));
  }
  return learner_.get();
}

Status OwnLearnings::catch_up(govern::Approvals& approvals) {
  ANIMA_ASSIGN(const std::vector<govern::Approval> list, approvals.list());
  const std::int64_t oldest = clock_->now().microseconds - kCountedDays * kMicrosecondsPerDay;
  // In the order asked, so that the last word about a call is counted last.
  std::vector<const govern::Approval*> answered;
  for (const govern::Approval& each : list) {
    if (each.decided_by == kOperator && each.asked.microseconds >= oldest)
      answered.push_back(&each);
  }
  std::ranges::stable_sort(answered, {}, [](const govern::Approval* each) { return each->asked; });
  ANIMA_ASSIGN(const std::set<std::string> seen, store_->evidence(learn::kOwnerShard));
  for (const govern::Approval* each : answered) {
    const std::string denial = "denied " + each->id, grant = "granted " + each->id;
    const bool denied = each->status == govern::ApprovalStatus::kRejected;
    const bool granted = each->status == govern::ApprovalStatus::kApproved ||
                         each->status == govern::ApprovalStatus::kUsed;
    if ((!denied && !granted) || seen.contains(denied ? denial : grant)) continue;
    ANIMA_ASSIGN(learn::Learner* const learner, this->learner());
    const std::string action = kind_of_action(each->request.tool, each->request.arguments);
    const learn::Hit hit{govern::Trust::kOperator, denied ? denial : grant, {}};
    // The answer that this one took the place of was none.
    ANIMA_TRY(learner->take_back(learn::kOwnerShard, denied ? grant : denial));
    const auto tracked =
        denied ? learner->track_rejection(learn::kOwnerShard, action,
                                          is_no_reason(each->reason) ? kRefused : each->reason, hit)
               : learner->track_acceptance(learn::kOwnerShard, action, hit);
    if (!tracked) return fail(tracked.error());
  }
  return {};
}

Result<learn::Tracked> OwnLearnings::refused(std::string_view action, std::string_view reason,
                                             govern::Trust trust) {
  if (trust < govern::Trust::kOperator) return learn::Tracked();
  ANIMA_ASSIGN(learn::Learner* const learner, this->learner());
  return learner->track_rejection(learn::kOwnerShard, action, reason, {trust, {}, {}});
}

Status OwnLearnings::failed(std::string_view tool, std::string_view reason, govern::Trust trust) {
  ANIMA_ASSIGN(learn::Learner* const learner, this->learner());
  return learner->track_failure(learn::kToolShard, tool, reason, {trust, {}, {}})
      .map([](const learn::Tracked&) {});
}

Result<std::vector<AvoidedAction>> OwnLearnings::avoided() {
  std::vector<AvoidedAction> avoided;
  ANIMA_TRY(store_->decay(learn::kOwnerShard).map([](const learn::DecayReport&) {}));
  ANIMA_ASSIGN(const learn::LoadedLearnings loaded,
               store_->load(learn::kOwnerShard, "avoid_action"));
  if (loaded.learnings.empty()) return avoided;
  ANIMA_ASSIGN(learn::Learner* const learner, this->learner());
  ANIMA_TRY(learner->rehydrate(learn::kOwnerShard).map([](const learn::LoadedLearnings&) {}));
  for (const learn::Learning& each : loaded.learnings) {
    const std::string& action = each.arguments.as_array()[0].as_string();
    // The rules say whether it counts: packs/learn/guidance.mg.
    ANIMA_ASSIGN(const std::vector<learn::SetAside> aside, learner->set_aside({{action, action}}));
    const bool known = std::ranges::any_of(
        avoided, [&](const AvoidedAction& other) { return other.action == action; });
    if (aside.empty() || known || each.trust < govern::Trust::kOperator) continue;
    avoided.push_back({action, each.arguments.as_array()[1].as_string(), each.id});
  }
  return avoided;
}

}  // namespace anima::agent
