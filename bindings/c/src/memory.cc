#include <memory>
#include <optional>

#include "handles.h"
#include "request.h"
#include "values.h"

namespace anima::c {
namespace {

// A call of a memory: what its request says, read and checked, then done. `work` reads the members,
// of a memory that is there, and gives what does it.
template <typename Work>
int call(const anima_memory* memory, const char* request, char** answer, Work work) noexcept {
  return run(answer, [&]() -> Result<Json> {
    if (memory == nullptr) return fail(ErrorCode::kInvalidArgument, "no memory was given");
    Request given(request);
    auto act = work(given);
    ANIMA_TRY(given.checked());
    return act(Memory(memory->memory));
  });
}

Result<View> view_at(const Memory& memory, const std::string& as_of) {
  return as_of.empty() ? memory.view() : memory.as_of(as_of);
}

SparqlSettings sparql_settings(Request& given, const anima_stop* stop) {
  return {.base = given.text_or("base"),
          .pack = given.text_or("pack"),
          .default_graphs = given.texts("default_graphs"),
          .named_graphs = given.texts("named_graphs"),
          .limits = given.limits(stop)};
}

Result<Json> sparql_json(const SparqlAnswer& answer, std::string format) {
  using Form = SparqlAnswer::Form;
  const bool graph = answer.form() == Form::kTriples;
  if (format.empty()) format = graph ? "ntriples" : "json";
  ANIMA_ASSIGN(std::string text, answer.text(format));
  const char* form = graph ? "triples" : answer.form() == Form::kTruth ? "truth" : "rows";
  return Json::object({{"form", form}, {"format", format}, {"text", std::move(text)}});
}

Json done() { return Json::object({{"done", true}}); }
Result<Json> done_or(const Status& status) {
  ANIMA_TRY(status);
  return done();
}

Result<std::vector<RuleText>> rule_texts(const Json& given) {
  std::vector<RuleText> texts;
  if (!given.is_null() && !given.is_array())
    return fail(ErrorCode::kInvalidArgument, "\"rules\" is an array of {name, text}");
  for (const Json& each : given.as_array()) {
    const Json* text = each.find("text");
    const Json* name = each.find("name");
    if (text == nullptr || !text->is_string() || name == nullptr || !name->is_string())
      return fail(ErrorCode::kInvalidArgument, "\"rules\" is an array of {name, text}");
    texts.push_back({name->as_string(), text->as_string()});
  }
  return texts;
}

}  // namespace
}  // namespace anima::c

using namespace anima;
using namespace anima::c;

extern "C" {

int anima_open(const char* folder, const char* options, anima_memory** memory, char** error) {
  if (memory != nullptr) *memory = nullptr;
  return open(error, [&]() -> Result<Json> {
    if (memory == nullptr) return fail(ErrorCode::kInvalidArgument, "no place for the memory");
    Request given(options);
    const OpenOptions how{.create = given.flag("create"), .read_only = given.flag("read_only")};
    const Author author = given.author_or({});
    ANIMA_TRY(given.checked());
    auto opened = folder == nullptr ? Memory::in_memory() : Memory::open(folder, how);
    if (!opened && opened.error().code == ErrorCode::kNotFound && !how.create)
      opened.error().hint = "{\"create\":true} makes one, and so does `anima init`";
    if (!opened) return fail(opened.error());
    *memory = new anima_memory{*std::move(opened), author};
    return done();
  });
}

void anima_close(anima_memory* memory) { delete memory; }

int anima_kip(anima_memory* memory, const char* request, const anima_stop* stop, char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [command = given.text("command"), parameters = given.object("parameters"),
            author = given.author_or(memory->author),
            limits = given.limits(stop)](Memory to) -> Result<Json> {
      Json whole = to.kip(command, parameters, author, limits);
      ANIMA_TRY(Memory::result_of(whole));
      return whole;
    };
  });
}

int anima_find(anima_memory* memory, const char* request, const anima_stop* stop, char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [query = given.text("query"), parameters = given.object("parameters"),
            as_of = given.as_of(), limits = given.limits(stop)](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const View view, view_at(of, as_of));
      ANIMA_ASSIGN(const Rows rows, view.find(query, parameters, limits));
      return json_of(rows);
    };
  });
}

int anima_what_if(anima_memory* memory, const char* request, const anima_stop* stop,
                  char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [change = given.text("change"), query = given.text("query"),
            parameters = given.object("parameters"),
            limits = given.limits(stop)](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const Rows rows, of.what_if(change, query, parameters, limits));
      return json_of(rows);
    };
  });
}

int anima_sparql(anima_memory* memory, const char* request, const anima_stop* stop, char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [query = given.text("query"), format = given.text_or("format"), as_of = given.as_of(),
            settings = sparql_settings(given, stop)](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const View view, view_at(of, as_of));
      ANIMA_ASSIGN(const SparqlAnswer found, view.sparql(query, settings));
      return sparql_json(found, format);
    };
  });
}

int anima_sparql_update(anima_memory* memory, const char* request, const anima_stop* stop,
                        char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    SparqlSettings settings = sparql_settings(given, stop);
    settings.load_root = given.text_or("load_root");
    return [update = given.text("update"), author = given.author_or(memory->author),
            settings = std::move(settings)](Memory to) -> Result<Json> {
      ANIMA_ASSIGN(const SparqlChange change, to.sparql_update(update, author, settings));
      return Json::object({{"operations", change.operations},
                           {"inserted", change.inserted},
                           {"deleted", change.deleted},
                           {"entry", change.entry}});
    };
  });
}

int anima_ask(anima_memory* memory, const char* request, const anima_stop* stop, char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    const AskSettings settings{.session = given.text_or("session"),
                               .language = given.text_or("language", "en"),
                               .speaker = given.text_if_any("speaker"),
                               .now = given.text_or("now"),
                               .all = given.flag("all"),
                               .limits = given.limits(stop)};
    return [question = given.text("question"), as_of = given.as_of(),
            settings](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const View view, view_at(of, as_of));
      ANIMA_ASSIGN(const QuestionAnswer found,
                   as_of.empty() ? of.ask(question, settings) : view.ask(question, settings));
      return json_of(found);
    };
  });
}

int anima_rules(anima_memory* memory, const char* request, const anima_stop* stop, char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return
        [goal = given.text("goal"), texts = given.json("rules"), limit = given.count_or("limit", 0),
         as_of = given.as_of(), limits = given.limits(stop)](const Memory& of) -> Result<Json> {
          ANIMA_ASSIGN(const std::vector<RuleText> beside, rule_texts(texts));
          ANIMA_ASSIGN(const View view, view_at(of, as_of));
          ANIMA_ASSIGN(const Rules rules, view.rules(beside, limits));
          ANIMA_ASSIGN(const Rows rows, rules.query(goal, limit));
          return json_of(rows);
        };
  });
}

int anima_search(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
                 char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    const SearchSettings settings{.type = given.text_or("type"),
                                  .limit = given.count_or("limit", 10),
                                  .links = given.flag("links"),
                                  .exact = given.flag("exact")};
    return [words = given.text("words"), as_of = given.as_of(),
            settings](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const View view, view_at(of, as_of));
      ANIMA_ASSIGN(const std::vector<Hit> hits, view.search(words, settings));
      return json_of(hits);
    };
  });
}

int anima_history(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
                  char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [about = given.text("about"), limit = given.count_or("limit", 100),
            as_of = given.as_of()](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const View view, view_at(of, as_of));
      ANIMA_ASSIGN(const std::vector<Commit> commits, view.history(about, limit));
      return json_of(commits);
    };
  });
}

int anima_why(anima_memory* memory, const char* request, const anima_stop* stop, char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [fact = given.text("fact"), as_of = given.as_of(),
            limits = given.limits(stop)](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const View view, view_at(of, as_of));
      ANIMA_ASSIGN(const Proof proof, view.why(fact, limits));
      return json_of(proof);
    };
  });
}

int anima_why_not(anima_memory* memory, const char* request, const anima_stop* stop,
                  char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [fact = given.text("fact"), as_of = given.as_of(),
            limits = given.limits(stop)](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const View view, view_at(of, as_of));
      ANIMA_ASSIGN(std::string text, view.why_not(fact, limits));
      return Json::object({{"text", std::move(text)}});
    };
  });
}

int anima_load(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
               char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    LoadRequest load{.files = given.texts("files"),
                     .type = given.text_or("type"),
                     .key = given.texts("key"),
                     .links = given.texts("links"),
                     .mapping = given.json("mapping"),
                     .dry_run = given.flag("dry_run")};
    return [load = std::move(load),
            author = given.author_or(memory->author)](Memory to) -> Result<Json> {
      ANIMA_ASSIGN(const LoadReport report, to.load(load, author));
      return json_of(report);
    };
  });
}

int anima_import_rdf(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
                     char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [text = given.text("text"), format = given.text("format"), base = given.text_or("base"),
            graph = given.text_or("graph"),
            author = given.author_or(memory->author)](Memory to) -> Result<Json> {
      const RdfText rdf{.text = text, .format = format, .base = base, .graph = graph};
      ANIMA_ASSIGN(const std::uint64_t statements, to.import_rdf(rdf, author));
      return Json::object({{"statements", statements}});
    };
  });
}

int anima_export(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
                 char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [format = given.text_or("format", "ntriples"), path = given.text_or("path"),
            pack = given.text_or("pack"), as_of = given.as_of()](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const View view, view_at(of, as_of));
      if (!path.empty()) return done_or(view.export_file(path, pack));
      ANIMA_ASSIGN(std::string text, view.export_text(format, pack));
      return Json::object({{"format", format}, {"text", std::move(text)}});
    };
  });
}

int anima_load_pack(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
                    char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [folder = given.text("folder"),
            author = given.author_or(memory->author)](Memory to) -> Result<Json> {
      ANIMA_ASSIGN(std::string id, to.load_pack(folder, author));
      return Json::object({{"id", std::move(id)}});
    };
  });
}

int anima_unload_pack(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
                      char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    return [id = given.text("id"), author = given.author_or(memory->author)](Memory to) {
      return done_or(to.unload_pack(id, author));
    };
  });
}

int anima_undo(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
               char** answer) {
  return call(memory, request, answer, [&](Request& given) {
    const std::string words = given.text_or("entries");
    const std::uint64_t first = words.empty() ? given.count("first") : 0;
    return [words, first, last = words.empty() ? given.count_or("last", first) : 0,
            cascade = given.flag("cascade"),
            author = given.author_or(memory->author)](Memory to) -> Result<Json> {
      if (words.empty()) return done_or(to.undo(first, last, {.cascade = cascade}, author));
      ANIMA_ASSIGN(const std::uint64_t entry, to.undo(words, {.cascade = cascade}, author));
      return Json::object({{"entry", entry}});
    };
  });
}

int anima_newest_entry(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
                       char** answer) {
  return call(memory, request, answer, [](Request&) {
    return [](const Memory& of) -> Result<Json> {
      ANIMA_ASSIGN(const std::uint64_t entry, of.newest_entry());
      return Json::object({{"entry", entry}});
    };
  });
}

int anima_verify(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
                 char** answer) {
  return call(memory, request, answer,
              [](Request&) { return [](const Memory& of) { return done_or(of.verify()); }; });
}

int anima_backup(anima_memory* memory, const char* request, const anima_stop* /*stop*/,
                 char** answer) {
  return call(memory, request, answer, [](Request& given) {
    return [path = given.text("path")](const Memory& of) { return done_or(of.backup(path)); };
  });
}

int anima_feed_open(anima_memory* memory, const char* request, anima_feed** feed, char** error) {
  if (feed != nullptr) *feed = nullptr;
  return open(error, [&]() -> Result<Json> {
    if (memory == nullptr || feed == nullptr)
      return fail(ErrorCode::kInvalidArgument, "no memory, or no place for the feed");
    Request given(request);
    const bool from_now = !given.has("after");
    const std::uint64_t after = given.count_or("after", 0);
    ANIMA_TRY(given.checked());
    ANIMA_ASSIGN(ChangeFeed made,
                 from_now ? memory->memory.changes() : memory->memory.changes(after));
    *feed = new anima_feed{std::move(made)};
    return done();
  });
}

int anima_feed_next(anima_feed* feed, const char* request, const anima_stop* stop, char** answer) {
  return run(answer, [&]() -> Result<Json> {
    if (feed == nullptr) return fail(ErrorCode::kInvalidArgument, "no feed was given");
    Request given(request);
    const CallLimits limits = given.limits(stop);
    ANIMA_TRY(given.checked());
    ANIMA_ASSIGN(const std::optional<Commit> commit, feed->feed.next(limits));
    return commit ? json_of(*commit) : Json();
  });
}

void anima_feed_close(anima_feed* feed) { delete feed; }
}
