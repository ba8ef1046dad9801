// anima forget: things, or all from a source or a time, taken away for good, with a certificate.
#include "store/forget.h"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <utility>

#include "agent/house/forgotten_files.h"
#include "agent/house/forgotten_state.h"
#include "agent/learnings/kept_learnings.h"
#include "agent/telling/told_layout.h"
#include "base/files/output_file.h"
#include "base/json/text_array.h"
#include "base/past_time.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/frame/vectors_access.h"
#include "cli/render/text_lines.h"
#include "memory/forgetting.h"
#include "memory/forgetting_record.h"
#include "memory/provenance.h"
#include "store/history.h"
#include "store/verify/erasure_certificate.h"
#include "store/verify/missing_keys.h"

namespace anima::cli {
namespace {

using store::ForgetReport;
using store::ForgottenStatement;
using store::Snapshot;

constexpr std::size_t kMostShown = 100;

struct ForgetOptions {
  memory::ForgetRequest request;
  std::optional<std::string> between;
  std::string certificate;
  std::optional<std::string> certificate_of;
  bool dry_run = false;
  bool confirm = false;
};

// "A..B", times as `anima changes` takes them; one of a day is its end, so A means its beginning.
Result<std::pair<Timestamp, Timestamp>> parse_between(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    return anima::fail(ErrorCode::kInvalidArgument, "--between takes FROM..TO", text,
                       "--between 2026-03-01..2026-03-31");
  }
  const Timestamp now = SystemClock().now();
  const std::string first = text.substr(0, dots);
  const bool is_date = first.size() == 10 && first[4] == '-' && first[7] == '-';
  ANIMA_ASSIGN(const Timestamp from, past_time(is_date ? first + "T00:00:00Z" : first, now));
  ANIMA_ASSIGN(const Timestamp to, past_time(text.substr(dots + 2), now));
  if (to < from) {
    return anima::fail(ErrorCode::kInvalidArgument, "the time begins after it ends", text);
  }
  return std::pair(from, to);
}

std::string statement_line(const Snapshot& snapshot, const ForgottenStatement& statement) {
  const store::StatementWords words = store::statement_words(snapshot, statement.triple);
  return fmt::format("entry {}: {} {} {}", sequence_number(statement.entry), words.subject,
                     words.predicate, words.object);
}

Json mentions_json(const std::vector<memory::Mention>& mentions) {
  JsonArray list;
  for (const memory::Mention& mention : mentions) {
    list.emplace_back(
        Json::object({{"id", "C:" + std::to_string(static_cast<std::uint32_t>(mention.entity))},
                      {"name", mention.label}}));
  }
  return Json(std::move(list));
}

Json doubtful_json(const memory::ForgetPlan& plan) {
  JsonArray list;
  for (const memory::DoubtfulText& text : plan.doubtful) {
    const auto id = static_cast<std::uint32_t>(text.of.entity);
    list.emplace_back(Json::object({{"id", "C:" + std::to_string(id)},
                                    {"name", text.of.label},
                                    {"around", plan.around(text.text)}}));
  }
  return Json(std::move(list));
}

// What goes beside what the log says.
struct Beside {
  std::size_t learnings = 0;  // rows
  agent::NamedFiles files;
  std::vector<std::string> lines;  // the statements, in words
  std::vector<agent::NamedState> states;
  std::vector<std::string> sealed;  // what could not be searched for want of a key
};

Json states_json(const std::vector<agent::NamedState>& states) {
  Json list = Json::array();
  for (const agent::NamedState& state : states)
    list.push_back(Json::object({{"agent", state.agent}, {"vetoes", text_array(state.vetoes)}}));
  return list;
}

Json report_json(const ForgetReport& report, const memory::ForgetPlan& plan, const Beside& beside,
                 const ForgetOptions& wanted) {
  JsonArray entries;
  for (const store::ForgottenEntry& entry : report.entries)
    entries.emplace_back(sequence_number(entry.sequence));
  Json json = Json::object({{"dry_run", wanted.dry_run},
                            {"statements", report.statements.size()},
                            {"things", report.things},
                            {"values", report.values},
                            {"records", report.records},
                            {"attachments", report.attachments},
                            {"graphs", report.graphs},
                            {"learnings", static_cast<std::uint64_t>(beside.learnings)},
                            {"memories", text_array(plan.memories)},
                            {"said", mentions_json(plan.said)},
                            {"staged", text_array(beside.files.staged)},
                            {"files", text_array(beside.files.work)},
                            {"not_searched", text_array(beside.files.unsearched)},
                            {"sealed", text_array(beside.sealed)},
                            {"by_hand", text_array(beside.files.by_hand)},
                            {"places", text_array(plan.places)},
                            {"what", text_array(beside.lines)},
                            {"states", states_json(beside.states)},
                            {"entries", std::move(entries)},
                            {"keys", text_array(plan.keys)},
                            {"stays", text_array(report.stays)},
                            {"mentions", mentions_json(plan.mentions)},
                            {"not_touched", mentions_json(plan.others)},
                            {"shared_names", text_array(plan.shared)},
                            {"alike", mentions_json(plan.alike)},
                            {"in_doubt", mentions_json(plan.in_doubt)},
                            {"doubtful", doubtful_json(plan)},
                            {"doubtful_taken", wanted.request.in_doubt}});
  return json;
}

std::string by_hand_line(const std::string& path) {
  return "this file names it, and only you can remove it: " + path;
}

// One more place of the certificate, which is no file.
void add_place(std::string_view place, std::string_view how, const std::vector<std::string>& left,
               Json& searched) {
  searched.push_back(Json::object({{"place", std::string(place)},
                                   {"how", std::string(how)},
                                   {"files", 0},
                                   {"left", text_array(left)}}));
}

std::string not_touched(const memory::Mention& other) {
  return fmt::format("not touched: {}, forget it by its id C:{}", other.label,
                     static_cast<std::uint32_t>(other.entity));
}

std::string doubtful_line(const memory::ForgetPlan& plan, const memory::DoubtfulText& text,
                          std::string_view says) {
  return fmt::format("C:{} {}{}: {}", static_cast<std::uint32_t>(text.of.entity), text.of.label,
                     says, plan.around(text.text));
}

std::vector<std::string> labels_of(const std::vector<memory::Mention>& mentions) {
  std::vector<std::string> labels;
  for (const memory::Mention& mention : mentions) {
    labels.push_back(
        fmt::format("C:{} {}", static_cast<std::uint32_t>(mention.entity), mention.label));
  }
  return labels;
}

template <typename Each, typename Line>
void note_each(Context& context, const std::vector<Each>& all, const Line& line) {
  for (std::size_t i = 0; i < all.size() && i < kMostShown; ++i) context.note(line(all[i]));
  if (all.size() > kMostShown)
    context.note(fmt::format("and {} more (--json lists all of them)", all.size() - kMostShown));
}

// What is in doubt and stays.
void say_in_doubt(Context& context, const memory::ForgetPlan& plan) {
  if (plan.doubtful.empty()) return;
  note_each(context, plan.doubtful, [&](const memory::DoubtfulText& text) {
    return "not touched: " +
           doubtful_line(plan, text, ", a text of it may name it, or another thing");
  });
  context.note(fmt::format("{} {} in doubt: look at them with --dry-run, take them with --in-doubt",
                           plan.doubtful.size(), plan.doubtful.size() == 1 ? "text" : "texts"));
}

// A text that has only a name of two things.
void say_alike(Context& context, const memory::ForgetPlan& plan) {
  if (plan.alike.empty()) return;
  context.note(
      fmt::format("another thing that is not touched has a name of it, too ({}): texts with that "
                  "name alone may "
                  "mean either, and stay; forget both by their ids to take these:",
                  join(plan.shared, ", ")));
  note_each(context, plan.alike, [](const memory::Mention& mention) {
    return fmt::format("  C:{} {}", static_cast<std::uint32_t>(mention.entity), mention.label);
  });
}

// What is sealed under keys that are not here, a line for each key.
Result<std::vector<std::string>> sealed_away(Context& context, store::Space& space) {
  std::vector<std::string> lines;
  ANIMA_ASSIGN(const auto missing, store::missing_seal_keys(space, context.files));
  for (const store::MissingKey& key : missing) {
    std::vector<std::string> numbers;
    for (const store::Sequence entry : key.entries)
      numbers.push_back(std::to_string(sequence_number(entry)));
    const std::string_view why = key.why == store::MissingKey::Why::kNotHere   ? "is not here"
                                 : key.why == store::MissingKey::Why::kDamaged ? "is damaged"
                                                                               : "was changed";
    lines.push_back(fmt::format("{} {} of the log ({}), sealed under {}: its key {}",
                                key.entries.size(), key.entries.size() == 1 ? "entry" : "entries",
                                join(numbers, ", "), key.seal, why));
  }
  return lines;
}

void warn_of_sealed(Context& context, const std::vector<std::string>& sealed) {
  for (const std::string& line : sealed) context.warn("this could not be searched: " + line);
  if (!sealed.empty())
    context.warn(
        "so this is not all: put the key back into keys/ and forget the same again, or give it up "
        "with `anima erase NAME`");
}

void say_rest(Context& context, const ForgetReport& report, const memory::ForgetPlan& plan,
              const Beside& beside, const memory::ForgetRequest& request) {
  for (const std::string& stays : report.stays) context.note("this stays: " + stays);
  for (const std::string& value : plan.values) {
    context.note(fmt::format(
        "no thing is called {}: what has it as its value goes, and what that is said of stays",
        quote_json(value)));
  }
  note_each(context, plan.others, [](const memory::Mention& other) { return not_touched(other); });
  if (!request.in_doubt) say_in_doubt(context, plan);
  warn_of_sealed(context, beside.sealed);
  for (const std::string& path : beside.files.unsearched)
    context.warn("this could not be searched, and may name it (`anima doctor`): " + path);
  for (const std::string& place : plan.places) context.note("this names it and stays: " + place);
  for (const std::string& path : beside.files.by_hand) context.note(by_hand_line(path));
  say_alike(context, plan);
  if (request.mentions) return;
  for (const std::string& path : beside.files.work)
    context.note("this file names it and stays (--mentions takes it too): " + path);
  if (plan.mentions.empty()) return;
  context.note(
      fmt::format("texts of {} other things name it and stay (--mentions takes these texts too):",
                  plan.mentions.size()));
  note_each(context, plan.mentions, [](const memory::Mention& mention) {
    return fmt::format("  C:{} {}", static_cast<std::uint32_t>(mention.entity), mention.label);
  });
}

void show_list(Context& context, const std::vector<std::string>& lines) {
  std::size_t shown = 0;
  for (const std::string& line : lines) {
    if (shown++ == kMostShown) break;
    context.print(line + "\n");
  }
  if (lines.size() > kMostShown) {
    context.print(
        fmt::format("and {} more (--json lists all of them)\n", lines.size() - kMostShown));
  }
}

// What the person said.
void show_said(Context& context, const std::vector<memory::Mention>& said, bool dry_run) {
  std::vector<std::string> lines;
  for (const memory::Mention& one : said) {
    lines.push_back(fmt::format("{} forget what this person said: {}", dry_run ? "would" : "did",
                                first_line(one.label)));
  }
  show_list(context, lines);
}

// What may be another thing's, and goes all the same.
void show_doubtful(Context& context, const memory::ForgetPlan& plan, const ForgetOptions& wanted) {
  if (!wanted.request.in_doubt || plan.doubtful.empty()) return;
  context.print(
      fmt::format("{} take these, which are in doubt, too:\n", wanted.dry_run ? "would" : "did"));
  std::vector<std::string> lines;
  for (const memory::DoubtfulText& text : plan.doubtful) {
    lines.push_back(lines.size() < kMostShown ? "  " + doubtful_line(plan, text, "") : "");
  }
  show_list(context, lines);
}

// What goes, or went, in the same words.
void show_what(Context& context, const ForgetReport& report, const memory::ForgetPlan& plan,
               const Beside& beside, const ForgetOptions& wanted) {
  const auto say = [&](std::string_view does, std::string_view what) {
    context.print(fmt::format("{} {}{}\n", wanted.dry_run ? "would" : "did", does, what));
  };
  show_list(context, beside.lines);
  show_doubtful(context, plan, wanted);
  say("forget ",
      fmt::format("{} statements, {} names of things, {} values, {} records and {} attachments in "
                  "{} entries",
                  report.statements.size(), report.things, report.values, report.records,
                  report.attachments, report.entries.size()));
  if (report.graphs > 0) say("take the names of ", fmt::format("{} graphs", report.graphs));
  for (const std::string& id : plan.memories) say("forget the memory ", id);
  show_said(context, plan.said, wanted.dry_run);
  for (const std::string& key : plan.keys) say("destroy the key ", key);
  for (const std::string& id : beside.files.staged) say("remove what is staged as ", id);
  if (wanted.request.mentions) {
    for (const std::string& path : beside.files.work) say("remove the file ", path);
  }
  for (const agent::NamedState& state : beside.states) {
    say("write again, without the name, what the agent goes on with: ", state.agent);
    for (const std::string& veto : state.vetoes)
      say("take the name out of a veto, which forbids nothing of that name then: ", veto);
  }
  if (beside.learnings > 0)
    say("forget ", fmt::format("{} rows of what was learnt", beside.learnings));
}

int show_plan(Context& context, const ForgetReport& report, const memory::ForgetPlan& plan,
              const Beside& beside, const ForgetOptions& wanted) {
  if (context.json) {
    context.print_json(report_json(report, plan, beside, wanted));
    return kDone;
  }
  show_what(context, report, plan, beside, wanted);
  say_rest(context, report, plan, beside, wanted.request);
  return kDone;
}

// Where the certificate goes, opened before anything is taken: what cannot be written to takes
// nothing. Null where no file is wanted. A device or a pipe may refuse what it is given later.
Result<std::unique_ptr<OutputFile>> open_certificate(Context& context, const std::string& path) {
  if (path.empty() || path == "-") return std::unique_ptr<OutputFile>();
  ANIMA_TRY(check_replaceable(path));
  return OutputFile::open(context.files, path);
}

Result<Json> sign_certificate(Context& context, store::Space& space,
                              const store::CertificateRequest& request) {
  SystemRandom random;
  return store::make_certificate(space, request, local_origin(context, "certificate"),
                                 context.files, random);
}

// Where the disk is full meanwhile, it is said here.
Status write_certificate(Context& context, OutputFile* output, const Json& certificate) {
  if (output == nullptr) return {};
  Status written = output->append(certificate.dump(2) + "\n");
  if (written) written = output->commit();
  if (!written) {
    context.note("the certificate could not be written to its file; this is it, keep it");
    context.print(certificate.dump(2) + "\n");
  }
  return written;
}

int say_done(Context& context, const ForgetReport& report, const memory::ForgetPlan& plan,
             const Beside& beside, const ForgetOptions& wanted, const Json& certificate) {
  if (context.json) {
    Json json = report_json(report, plan, beside, wanted);
    json.set("sequence", sequence_number(report.receipt.sequence));
    json.set("certificate", certificate);
    context.print_json(json);
    return beside.sealed.empty() ? kDone : kFailed;
  }
  show_what(context, report, plan, beside, wanted);
  context.print("\n" + store::certificate_text(certificate));
  if (!wanted.certificate.empty() && wanted.certificate != "-")
    context.note("the certificate is in " + wanted.certificate + "; keep it outside the space");
  say_rest(context, report, plan, beside, wanted.request);
  return beside.sealed.empty() ? kDone : kFailed;
}

Result<Beside> beside_log(Context& context, store::Space& space, const Snapshot& before,
                          const ForgetReport& report, const memory::ForgetPlan& plan) {
  Beside beside;
  for (const ForgottenStatement& each : report.statements)
    beside.lines.push_back(statement_line(before, each));
  ANIMA_ASSIGN(beside.learnings,
               agent::forget_learnings(space.folder(), context.files, plan.named, true));
  ANIMA_ASSIGN(beside.files, agent::find_named_files(space.folder(), context.files, plan.named));
  ANIMA_ASSIGN(beside.states, agent::states_naming(space, plan));
  ANIMA_ASSIGN(beside.sealed, sealed_away(context, space));
  return beside;
}

// Before the log forgets: who is stopped between the two can name it again, and goes on.
Status forget_beside_log(Context& context, store::Space& space, const ForgetReport& report,
                         const memory::ForgetPlan& plan, const Beside& beside, bool mentions) {
  std::set<store::EntityId> touched(plan.what.entities.begin(), plan.what.entities.end());
  for (const ForgottenStatement& each : report.statements) touched.insert(each.triple.subject);
  ANIMA_TRY(agent::write_states_without(space, plan, beside.states));
  if (plan.what.entries) ANIMA_TRY(memory::keep_provenance_count(space));
  ANIMA_TRY(drop_vectors_of(context, space, touched));
  ANIMA_TRY(agent::forget_learnings(space.folder(), context.files, plan.named, false)
                .map([](std::size_t) {}));
  return agent::remove_named_files(space.folder(), context.files, beside.files, mentions);
}

// What no thing is called may still be in files that people put there.
int say_not_found(Context& context, store::Space& space, const ForgetOptions& wanted,
                  const Error& error) {
  if (error.code != ErrorCode::kNotFound || wanted.request.things.empty())
    return context.fail(error);
  const auto files =
      agent::find_named_files(space.folder(), context.files, memory::naming(wanted.request.things));
  if (!files) return context.fail(files.error());
  for (const auto* paths : {&files->staged, &files->work, &files->by_hand})
    for (const std::string& path : *paths) context.note(by_hand_line(path));
  if (const auto sealed = sealed_away(context, space)) warn_of_sealed(context, *sealed);
  return context.fail(error);
}

struct Planned {
  ForgetReport report;
  Beside beside;
};

Result<Planned> look(Context& context, store::Space& space, const memory::ForgetPlan& plan) {
  Planned planned;
  ANIMA_ASSIGN(const Snapshot before, space.snapshot());
  ANIMA_ASSIGN(planned.report, store::forget(space, local_origin(context, "anima forget"),
                                             plan.what, SystemClock().now(), true));
  ANIMA_ASSIGN(planned.beside,
               beside_log(context, space, before.with_books(), planned.report, plan));
  return planned;
}

struct Done {
  ForgetReport report;
  Json certificate;
};

// What the bytes of the files are searched for: the name of a source, too.
std::vector<std::string> searched_names(std::vector<std::string> names,
                                        const std::optional<std::string>& source) {
  if (source) names.push_back(*source);
  return names;
}

Result<Json> certify(Context& context, store::Space& space, const memory::ForgetPlan& plan,
                     const Planned& planned, store::Sequence entry, const ForgetOptions& wanted) {
  // The record knows them: --certificate-of destroys what a stop here leaves.
  for (const std::string& key : plan.keys) ANIMA_TRY(space.erase(key));
  ANIMA_ASSIGN(const auto places,
               agent::search_bytes(space.folder(), context.files,
                                   searched_names(plan.names, wanted.request.source)));
  store::CertificateRequest request;
  request.entry = entry;
  request.asked = plan.asked;
  request.keys_destroyed = plan.keys;
  request.not_touched = labels_of(plan.others);
  request.searched = agent::searched_json(places, planned.beside.files, wanted.request.mentions);
  add_place("keys, types, predicates and graphs", "words of their names", plan.places,
            request.searched);
  add_place("entries sealed under keys that are not here", "not searched", planned.beside.sealed,
            request.searched);
  add_place("texts with a name that another thing has, too", "words", labels_of(plan.alike),
            request.searched);
  if (wanted.request.in_doubt) {
    add_place("texts that may name it, or another thing: these were taken, too", "words", {},
              request.searched);
  } else {
    add_place("texts that may name it, or another thing", "words", labels_of(plan.in_doubt),
              request.searched);
  }
  return sign_certificate(context, space, request);
}

Result<Done> forget_for_good(Context& context, store::Space& space, const memory::ForgetPlan& plan,
                             const Planned& planned, const ForgetOptions& wanted) {
  Done done;
  ANIMA_TRY(forget_beside_log(context, space, planned.report, plan, planned.beside,
                              wanted.request.mentions));
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  const agent::ToldLayout told(now);
  ANIMA_ASSIGN(done.report, store::forget(space, local_origin(context, "anima forget"), plan.what,
                                          SystemClock().now(), false));
  ANIMA_TRY(told.lay_out_again(space, local_origin(context, "anima forget")));
  auto certificate = certify(context, space, plan, planned, done.report.receipt.sequence, wanted);
  if (!certificate) {
    context.note("it is forgotten; `anima forget --certificate-of last` makes the certificate");
    return anima::fail(std::move(certificate).error());
  }
  done.certificate = std::move(*certificate);
  return done;
}

// What the certificate needs, before anything is taken: without, nothing goes.
Status prepare_certificate(Context& context, store::Space& space, OutputFile* output,
                           const Planned& planned) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 20, kBytesOfAnEntry = 1024;
  SystemRandom random;
  ANIMA_TRY(store::prepare_certificate(space, local_origin(context, "certificate"), context.files,
                                       random));
  if (output == nullptr) return {};
  return output->reserve(kBytes + kBytesOfAnEntry * planned.report.entries.size());
}

int carry_out(Context& context, const ForgetOptions& wanted) {
  const auto space = open_space(context, wanted.dry_run ? Access::kRead : Access::kWrite);
  if (!space) return context.fail(space.error());
  if (!wanted.dry_run) {
    if (const Status ready = store::check_can_be_taken_from(**space); !ready)
      return context.fail(ready.error());
  }
  const auto plan = memory::plan_forgetting(**space, wanted.request);
  if (!plan) return say_not_found(context, **space, wanted, plan.error());
  std::unique_ptr<OutputFile> output;
  if (!wanted.dry_run) {
    auto opened = open_certificate(context, wanted.certificate);
    if (!opened) return context.fail(opened.error());
    output = std::move(*opened);
  }
  const auto planned = look(context, **space, *plan);
  if (!planned) {
    if (planned.error().code == ErrorCode::kNotFound) say_rest(context, {}, *plan, {}, {});
    return say_not_found(context, **space, wanted, planned.error());
  }
  if (wanted.dry_run) return show_plan(context, planned->report, *plan, planned->beside, wanted);
  if (const Status ready = prepare_certificate(context, **space, output.get(), *planned); !ready) {
    context.note("nothing was forgotten");
    return context.fail(ready.error());
  }
  const auto done = forget_for_good(context, **space, *plan, *planned, wanted);
  if (!done) return context.fail(done.error());
  const Status written = write_certificate(context, output.get(), done->certificate);
  if (!written) return context.fail(written.error());
  return say_done(context, done->report, *plan, planned->beside, wanted, done->certificate);
}

// --- a certificate that was lost ----------------------------------------------------------------

Result<store::Sequence> entry_of(store::Space& space, const std::string& text) {
  if (text == "last") return memory::newest_forgetting(space.log());
  return parse_sequence(text);
}

// What a stop behind the forgetting has left undone is done here: keys that are still there.
Result<Json> certificate_again(Context& context, store::Space& space, const ForgetOptions& wanted) {
  ANIMA_ASSIGN(const store::Sequence entry, entry_of(space, *wanted.certificate_of));
  ANIMA_ASSIGN(const memory::AskedAgain again, memory::asked_again(space, entry, wanted.request));
  for (const std::string& key : again.keys) ANIMA_TRY(space.erase(key));
  store::CertificateRequest request;
  request.entry = entry;
  request.asked = again.asked;
  request.keys_destroyed = again.destroyed;
  request.not_touched = again.not_touched;
  ANIMA_ASSIGN(const auto sealed, sealed_away(context, space));
  const auto names = searched_names(again.names, wanted.request.source);
  if (!names.empty()) {
    ANIMA_ASSIGN(const auto files, agent::find_named_files(space.folder(), context.files,
                                                           memory::naming(again.names)));
    ANIMA_ASSIGN(const auto places, agent::search_bytes(space.folder(), context.files, names));
    request.searched = agent::searched_json(places, files, false);
    add_place("entries sealed under keys that are not here", "not searched", sealed,
              request.searched);
  }
  return sign_certificate(context, space, request);
}

int write_again(Context& context, const ForgetOptions& wanted) {
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  auto output = open_certificate(context, wanted.certificate);
  if (!output) return context.fail(output.error());
  const auto certificate = certificate_again(context, **space, wanted);
  if (!certificate) return context.fail(certificate.error());
  const Status written = write_certificate(context, output->get(), *certificate);
  if (!written) return context.fail(written.error());
  if (context.json) {
    context.print_json(*certificate);
    return kDone;
  }
  context.print(store::certificate_text(*certificate));
  return kDone;
}

int run_forgetting(Context& context, Arguments arguments) {
  ForgetOptions wanted;
  Options options;
  options.positional(
      "ENTITY", wanted.request.things,
      "a name, an id as C:12, or a value that statements have (a bare number is one)");
  options.value("--source TEXT", wanted.request.source,
                "all that this source has stated, and what claims it as its source");
  options.value("--between FROM..TO", wanted.between,
                "all that was written in this time; a date is the whole day");
  options.flag("--mentions", wanted.request.mentions,
               "the texts, too, that name ENTITY; what they are said of stays");
  options.flag("--in-doubt", wanted.request.in_doubt,
               "with --mentions, and the texts, too, that may name ENTITY or another thing");
  options.value("--reason TEXT", wanted.request.reason, "why; it stands in the log");
  options.flag("--dry-run", wanted.dry_run, "show each statement that would go");
  options.flag("--confirm", wanted.confirm, "yes: it cannot be brought back");
  options.value("-o,--output FILE", wanted.certificate, "where the certificate goes, as JSON")
      .output();
  options.value("--certificate-of ENTRY", wanted.certificate_of,
                "forget nothing: make the certificate of a forgetting again, by the number of its "
                "entry, or of the last one; name ENTITY as before to have the files searched");
  options.epilogue(
      "What is forgotten is taken from the log, the views and their files, its past included. The\n"
      "log keeps the numbers and the hashes of the entries and still verifies. Backups, archives\n"
      "and exports are out of reach: the certificate lists those that the space knows of.\n"
      "`anima audit verify --certificate FILE` checks a certificate.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (wanted.between) {
    const auto between = parse_between(*wanted.between);
    if (!between) return context.usage_error(between.error().describe());
    wanted.request.between = *between;
  }
  if (wanted.certificate_of) return write_again(context, wanted);
  const bool any =
      !wanted.request.things.empty() || wanted.request.source || wanted.request.between;
  if (!any) return context.usage_error("name an ENTITY, a --source or a time (--between)");
  if (!wanted.dry_run && !wanted.confirm) {
    return context.fail({ErrorCode::kDenied,
                         "forgetting cannot be undone",
                         {},
                         "look with --dry-run, then add --confirm"});
  }
  wanted.request.dry_run = wanted.dry_run;
  wanted.request.mentions = wanted.request.mentions || wanted.request.in_doubt;
  return carry_out(context, wanted);
}

}  // namespace

extern const Verb kForget;
const Verb kForget{
    "forget",
    Group::kKeeping,
    "takes things away for good, with a certificate of erasure",
    "ENTITY...|--source TEXT|--between FROM..TO [--dry-run|--confirm] | --certificate-of ENTRY",
    "anima forget \"Alice Example\" --dry-run\n"
    "anima forget \"0170-55512\" --dry-run",
    run_forgetting};

}  // namespace anima::cli
