#include "memory.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "calls.h"
#include "convert.h"
#include "rows.h"
#include "values.h"

namespace anima::python {
namespace {

MemoryBox* open_memory(nb::handle folder, bool create, bool read_only) {
  const std::string path = text_of(folder, "a folder");
  if (path.empty()) raise(ErrorCode::kInvalidArgument, "a memory needs a folder");
  const auto open = std::make_shared<OpenFolder>(path);
  Result<Memory> memory = [&] {
    const Unlocked unlocked;
    return Memory::open(path, {.create = create, .read_only = read_only});
  }();
  return new MemoryBox(value_of(std::move(memory)), open);
}

MemoryBox* memory_in_memory() {
  Result<Memory> memory = [] {
    const Unlocked unlocked;
    return Memory::in_memory();
  }();
  return new MemoryBox(value_of(std::move(memory)), std::make_shared<OpenFolder>(""));
}

// Whether it names values that stay as somebody who is trusted more states them.
bool may_tell_outranked(const Json& answer) {
  if (answer.find("outranked") != nullptr) return true;
  const Json* result = answer.find("result");
  return result != nullptr && std::ranges::any_of(result->as_array(), [](const Json& each) {
           return each.find("outranked") != nullptr;
         });
}

nb::object kip(const MemoryBox& box, nb::handle command, nb::handle parameters, nb::tuple author,
               nb::handle stop, nb::handle timeout) {
  const std::string text = text_of(command, "a KIP text");
  const Json values = json_from(parameters);
  const Author who = author_from(author);
  const Json answer =
      with_limits(box, stop, timeout, [&](Memory& memory, const CallLimits& limits) {
        return memory.kip(text, values, who, limits);
      });
  const Json result = value_of(Memory::result_of(answer));
  if (may_tell_outranked(answer)) {
    constexpr int kCaller = 2;  // of Memory.kip()
    nb::module_::import_("anima._errors").attr("warn_of_outranked")(python_from(answer), kCaller);
  }
  return python_from(result);
}

nb::object execute_kip(const MemoryBox& box, nb::handle request, nb::tuple author, bool readonly) {
  const Json whole = json_from(request);
  const Author who = author_from(author);
  return python_from(with(box, [&](Memory& memory) {
    return readonly ? memory.execute_kip_readonly(whole) : memory.execute_kip(whole, who);
  }));
}

// Memory and View are asked by the same words.
template <typename T>
RowsBox find(const Held<T>& box, nb::handle query, nb::handle parameters, nb::handle stop,
             nb::handle timeout) {
  const std::string text = text_of(query, "a KIP query");
  const Json values = json_from(parameters);
  return RowsBox(
      value_of(with_limits(box, stop, timeout, [&](const T& source, const CallLimits& limits) {
        return source.find(text, values, limits);
      })));
}

RowsBox what_if(const MemoryBox& box, nb::handle change, nb::handle query, nb::handle parameters,
                nb::handle stop, nb::handle timeout) {
  const std::string changed = text_of(change, "a KIP text"), asked = text_of(query, "a KIP query");
  const Json values = json_from(parameters);
  return RowsBox(
      value_of(with_limits(box, stop, timeout, [&](const Memory& memory, const CallLimits& limits) {
        return memory.what_if(changed, asked, values, limits);
      })));
}

// (base, pack, default_graphs, named_graphs, load_root)
SparqlSettings settings_from(const nb::tuple& given) {
  SparqlSettings settings;
  settings.base = text_of(given[0], "base");
  settings.pack = text_of(given[1], "pack");
  settings.default_graphs = texts_of(given[2], "default_graphs");
  settings.named_graphs = texts_of(given[3], "named_graphs");
  settings.load_root = text_of(given[4], "load_root");
  return settings;
}

template <typename T>
SparqlBox* sparql(const Held<T>& box, nb::handle query, nb::tuple settings, nb::handle stop,
                  nb::handle timeout) {
  const std::string text = text_of(query, "a SPARQL query");
  SparqlSettings asked = settings_from(settings);
  return new SparqlBox(value_of(with_limits(box, stop, timeout,
                                            [&](const T& source, const CallLimits& limits) {
                                              asked.limits = limits;
                                              return source.sparql(text, asked);
                                            })),
                       box.folder());
}

nb::dict sparql_update(const MemoryBox& box, nb::handle update, nb::tuple author,
                       nb::tuple settings, nb::handle stop, nb::handle timeout) {
  const std::string text = text_of(update, "a SPARQL update");
  const Author who = author_from(author);
  SparqlSettings asked = settings_from(settings);
  const SparqlChange change =
      value_of(with_limits(box, stop, timeout, [&](Memory& memory, const CallLimits& limits) {
        asked.limits = limits;
        return memory.sparql_update(text, who, asked);
      }));
  nb::dict dict;
  dict["operations"] = change.operations;
  dict["inserted"] = change.inserted;
  dict["deleted"] = change.deleted;
  dict["entry"] = change.entry;
  return dict;
}

std::uint64_t import_rdf(const MemoryBox& box, nb::handle text, nb::handle format, nb::handle base,
                         nb::handle graph, nb::tuple author) {
  const std::string rdf = text_of(text, "an RDF text"), name = text_of(format, "a format");
  const Author who = author_from(author);
  const RdfText whole{rdf, name, text_of(base, "base"), text_of(graph, "graph")};
  return value_of(with(box, [&](Memory& memory) { return memory.import_rdf(whole, who); }));
}

// (session, language, now, all, speaker)
template <typename T>
nb::dict ask(const Held<T>& box, nb::handle question, nb::tuple given, nb::handle stop,
             nb::handle timeout) {
  const std::string text = text_of(question, "a question");
  AskSettings settings;
  settings.session = text_of(given[0], "session");
  settings.language = text_of(given[1], "language");
  settings.now = text_of(given[2], "now");
  settings.all = nb::cast<bool>(given[3]);
  settings.speaker = text_if_any(given[4], "speaker");
  const QuestionAnswer answer =
      value_of(with_limits(box, stop, timeout, [&](const T& source, const CallLimits& limits) {
        settings.limits = limits;
        return source.ask(text, settings);
      }));
  nb::dict dict;
  dict["status"] = str_from(to_string(answer.status));
  dict["text"] = str_from(answer.text);
  dict["reading"] = str_from(answer.reading);
  dict["query"] = str_from(answer.query);
  dict["rows"] = RowsBox(answer.rows);
  dict["unknown"] = list_from(answer.unknown);
  dict["details"] = python_from(answer.details);
  return dict;
}

ViewBox* view(const MemoryBox& box) {
  return new ViewBox(value_of(with(box, [](const Memory& memory) { return memory.view(); })),
                     box.folder());
}

ViewBox* as_of(const MemoryBox& box, nb::handle point) {
  const std::string when = text_of(point, "a point in time");
  return new ViewBox(value_of(with(box, [&](const Memory& memory) { return memory.as_of(when); })),
                     box.folder());
}

FeedBox* changes(const MemoryBox& box, nb::handle after) {
  const bool from_now = after.is_none();
  const std::uint64_t entry = from_now ? 0 : entry_from(after, "after");
  ChangeFeed feed = value_of(with(box, [&](const Memory& memory) {
    return from_now ? memory.changes() : memory.changes(entry);
  }));
  return new FeedBox(std::make_shared<Feed>(std::move(feed)), box.folder());
}

// A feed belongs to one thread at a time; next() of several take turns. In the main thread it
// waits in slices, between which the program's handlers of signals run; another thread has none to
// run, and must not come back from a wait while the interpreter ends.
nb::object next_commit(const FeedBox& box, nb::handle stop, nb::handle timeout) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kSlice{100};
  const std::stop_source source = source_of(stop);
  const std::chrono::milliseconds whole = time_of(timeout);
  const Clock::time_point end = Clock::now() + whole;
  const bool ends = whole.count() > 0, sliced = ::gettid() == ::getpid();
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (ends && left.count() <= 0) return nb::none();
    const std::chrono::milliseconds rest = ends ? left : whole;
    const std::chrono::milliseconds slice = !sliced ? rest : ends ? std::min(kSlice, left) : kSlice;
    const std::optional<Commit> commit = value_of(with_stop(
        box, source, slice, [](const std::shared_ptr<Feed>& feed, const CallLimits& limits) {
          const std::lock_guard lock(feed->mutex);
          auto next = feed->feed.next(limits);
          feed->after = feed->feed.after();
          return next;
        }));
    if (commit) return dict_of(*commit);
    if (source.stop_requested() || (!sliced && !ends)) return nb::none();
  }
}

nb::dict load(const MemoryBox& box, const nb::list& files, nb::handle type, nb::handle key,
              nb::handle links, nb::handle mapping, bool dry_run, nb::tuple author) {
  const LoadRequest request{texts_of(files, "files"), text_of(type, "type"), texts_of(key, "key"),
                            texts_of(links, "links"), json_from(mapping),    dry_run};
  const Author who = author_from(author);
  return dict_of(value_of(with(box, [&](Memory& memory) { return memory.load(request, who); })));
}

nb::object load_pack(const MemoryBox& box, nb::handle folder, nb::tuple author) {
  const std::string path = text_of(folder, "a folder");
  const Author who = author_from(author);
  return str_from(value_of(with(box, [&](Memory& memory) { return memory.load_pack(path, who); })));
}

void unload_pack(const MemoryBox& box, nb::handle id, nb::tuple author) {
  const std::string pack = text_of(id, "a pack's id");
  const Author who = author_from(author);
  check(with(box, [&](Memory& memory) { return memory.unload_pack(pack, who); }));
}

void undo(const MemoryBox& box, nb::handle first, nb::handle last, bool cascade, nb::tuple author) {
  const std::uint64_t from = entry_from(first, "first"), until = entry_from(last, "last");
  const Author who = author_from(author);
  check(with(box,
             [&](Memory& memory) { return memory.undo(from, until, {.cascade = cascade}, who); }));
}

std::uint64_t undo_words(const MemoryBox& box, nb::handle entries, bool cascade, nb::tuple author) {
  const std::string words = text_of(entries, "what is undone");
  const Author who = author_from(author);
  return value_of(
      with(box, [&](Memory& memory) { return memory.undo(words, {.cascade = cascade}, who); }));
}

void backup(const MemoryBox& box, nb::handle path) {
  const std::string file = text_of(path, "a path");
  check(with(box, [&](const Memory& memory) { return memory.backup(file); }));
}

nb::list search(const ViewBox& box, nb::handle text, nb::handle type, std::size_t limit, bool links,
                bool exact) {
  const std::string words = text_of(text, "words");
  const SearchSettings settings{text_of(type, "type"), limit, links, exact};
  return dicts_of(value_of(with(box, [&](const View& at) { return at.search(words, settings); })));
}

nb::list history(const ViewBox& box, nb::handle entity, std::size_t limit) {
  const std::string name = text_of(entity, "a name");
  return dicts_of(value_of(with(box, [&](const View& at) { return at.history(name, limit); })));
}

nb::dict why(const ViewBox& box, nb::handle fact, nb::handle stop, nb::handle timeout) {
  const std::string text = text_of(fact, "a fact");
  return dict_of(
      value_of(with_limits(box, stop, timeout, [&](const View& at, const CallLimits& limits) {
        return at.why(text, limits);
      })));
}

nb::object why_not(const ViewBox& box, nb::handle fact, nb::handle stop, nb::handle timeout) {
  const std::string text = text_of(fact, "a fact");
  return str_from(
      value_of(with_limits(box, stop, timeout, [&](const View& at, const CallLimits& limits) {
        return at.why_not(text, limits);
      })));
}

// `beside`: tuples (name, text).
RulesBox* rules(const ViewBox& box, const nb::list& beside, nb::handle stop, nb::handle timeout) {
  std::vector<RuleText> texts;
  for (const nb::handle each : beside) {
    const auto pair = nb::cast<nb::tuple>(each);
    texts.push_back({text_of(pair[0], "a name of rules"), text_of(pair[1], "rules")});
  }
  return new RulesBox(value_of(with_limits(box, stop, timeout,
                                           [&](const View& at, const CallLimits& limits) {
                                             return at.rules(texts, limits);
                                           })),
                      box.folder());
}

nb::object export_text(const ViewBox& box, nb::handle format, nb::handle pack) {
  const std::string name = text_of(format, "a format"), from = text_of(pack, "a pack's id");
  return str_from(value_of(with(box, [&](const View& at) { return at.export_text(name, from); })));
}

void export_file(const ViewBox& box, nb::handle path, nb::handle pack) {
  const std::string file = text_of(path, "a path"), from = text_of(pack, "a pack's id");
  check(with(box, [&](const View& at) { return at.export_file(file, from); }));
}

void bind_view(nb::module_& module) {
  nb::class_<ViewBox>(module, "View")
      .def("entry",
           [](const ViewBox& box) { return with(box, [](View& at) { return at.entry(); }); })
      .def("find", &find<View>, nb::arg().none(), nb::arg().none(), nb::arg().none(),
           nb::arg().none())
      .def("sparql", &sparql<View>, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("ask", &ask<View>, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("search", &search)
      .def("history", &history)
      .def("why", &why, nb::arg(), nb::arg().none(), nb::arg().none())
      .def("why_not", &why_not, nb::arg(), nb::arg().none(), nb::arg().none())
      .def("rules", &rules, nb::arg(), nb::arg().none(), nb::arg().none())
      .def("export_text", &export_text)
      .def("export_file", &export_file);
  nb::class_<RulesBox>(module, "Rules")
      .def("query",
           [](const RulesBox& box, nb::handle goal, std::size_t limit) {
             const std::string text = text_of(goal, "a goal");
             return RowsBox(
                 value_of(with(box, [&](const Rules& rules) { return rules.query(text, limit); })));
           })
      .def("why",
           [](const RulesBox& box, nb::handle fact) {
             const std::string text = text_of(fact, "a fact");
             return dict_of(
                 value_of(with(box, [&](const Rules& rules) { return rules.why(text); })));
           })
      .def("why_not",
           [](const RulesBox& box, nb::handle fact) {
             const std::string text = text_of(fact, "a fact");
             return str_from(
                 value_of(with(box, [&](const Rules& rules) { return rules.why_not(text); })));
           })
      .def("predicates", [](const RulesBox& box) {
        return list_from(with(box, [](const Rules& rules) { return rules.predicates(); }));
      });
  nb::class_<FeedBox>(module, "ChangeFeed")
      .def("next", &next_commit, nb::arg().none(), nb::arg().none())
      .def("after", [](const FeedBox& box) { return box.get()->after.load(); })
      .def("close", &FeedBox::close)
      .def("closed", &FeedBox::closed);
}

}  // namespace

void bind_memory(nb::module_& module) {
  nb::class_<Stop>(module, "Stop", "Ends the calls that it is given to, from any thread.")
      .def(nb::init<>())
      .def("request", &Stop::request)
      .def("requested", &Stop::requested);
  nb::class_<MemoryBox>(module, "Memory")
      .def_static("open", &open_memory, nb::rv_policy::take_ownership)
      .def_static("in_memory", &memory_in_memory, nb::rv_policy::take_ownership)
      .def("close", &MemoryBox::close)
      .def("closed", &MemoryBox::closed)
      .def("kip", &kip, nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("execute_kip", &execute_kip)
      .def("find", &find<Memory>, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none())
      .def("what_if", &what_if, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(),
           nb::arg().none())
      .def("sparql", &sparql<Memory>, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("sparql_update", &sparql_update, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
           nb::arg().none())
      .def("import_rdf", &import_rdf)
      .def("ask", &ask<Memory>, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("view", &view, nb::rv_policy::take_ownership)
      .def("as_of", &as_of, nb::rv_policy::take_ownership)
      .def("changes", &changes, nb::arg().none(), nb::rv_policy::take_ownership)
      .def("load", &load, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
           nb::arg())
      .def("load_pack", &load_pack)
      .def("unload_pack", &unload_pack)
      .def("newest_entry",
           [](const MemoryBox& box) {
             return value_of(with(box, [](const Memory& memory) { return memory.newest_entry(); }));
           })
      .def("undo", &undo)
      .def("undo_words", &undo_words)
      .def("verify",
           [](const MemoryBox& box) {
             check(with(box, [](const Memory& memory) { return memory.verify(); }));
           })
      .def("backup", &backup);
  bind_view(module);
}

}  // namespace anima::python
