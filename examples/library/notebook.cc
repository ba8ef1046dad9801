// A notebook on Anima's memory: what the public library looks like from a program.
//
//   notebook SPACE add TOPIC TEXT      remembers a note
//   notebook SPACE about TOPIC         the notes on a topic, as JSON
//   notebook SPACE undo                takes the last change back
//
// `anima kip --space SPACE`, `anima history` and the rest work on the same folder at the same time.
#include <anima/memory.h>

#include <cstdio>
#include <string>

namespace {

using anima::Json;
using anima::Memory;

constexpr const char* kSchema = R"(
UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Note"} SET ATTRIBUTES {description: "Something written down"} }
  CONCEPT { {type: "$ConceptType", name: "Topic"} SET ATTRIBUTES {description: "What notes are about"} }
  CONCEPT { {type: "$PropositionType", name: "is_about"} SET ATTRIBUTES {description: "The note is about the topic"} }
})";

constexpr const char* kAdd = R"(
UPSERT {
  CONCEPT ?topic { {type: "Topic", name: :topic} }
  CONCEPT { {type: "Note", name: :text} SET PROPOSITIONS { ("is_about", ?topic) } }
})";

constexpr const char* kAbout = R"(
FIND(?note.name, ?note.metadata._created_at) WHERE {
  (?note, "is_about", {type: "Topic", name: :topic})
} ORDER BY ?note.metadata._created_at ASC)";

// Prints what KIP answers; an error there is an ordinary answer with a code and a hint.
int show(const Json& answer) {
  std::printf("%s\n", answer.dump(2).c_str());
  return answer.find("error") == nullptr ? 0 : 1;
}

int complain(const anima::Error& error) {
  std::fprintf(stderr, "notebook: %s\n", error.describe().c_str());
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string verb = count > 2 ? arguments[2] : "";
  auto memory = count > 2 ? Memory::open(arguments[1], {.create = true}) : Memory::in_memory();
  if (!memory) return complain(memory.error());
  const anima::Author author{"notebook", "typed", anima::TrustLevel::kOperator};
  if (verb == "add" && count == 5) {
    const Json parameters = Json::object({{"topic", arguments[3]}, {"text", arguments[4]}});
    const Json request = Json::object(
        {{"commands", Json::array({kSchema, kAdd})}, {"parameters", parameters}, {"atomic", true}});
    return show(memory->execute_kip(request, author));
  }
  if (verb == "about" && count == 4)
    return show(memory->kip(kAbout, Json::object({{"topic", arguments[3]}})));
  if (verb == "undo" && count == 3) {
    const auto newest = memory->newest_entry();
    if (!newest) return complain(newest.error());
    const auto undone = memory->undo(*newest, *newest, {}, author);
    return undone ? 0 : complain(undone.error());
  }
  std::fprintf(stderr, "usage: notebook SPACE add TOPIC TEXT | about TOPIC | undo\n");
  return 2;
}
