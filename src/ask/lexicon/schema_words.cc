// Concepts of the type Word: words that a space declares for itself.
#include "ask/lexicon/schema_words.h"

namespace anima::ask {
namespace {

std::string text_attribute(const store::Snapshot& snapshot, store::EntityId entity,
                           std::string_view key) {
  const auto term = snapshot.attribute(entity, key);
  if (!term) return {};
  const store::ValueView value = snapshot.value(*term);
  return value.kind == store::ValueKind::kString ? std::string(value.text) : std::string();
}

}  // namespace

Synonym word_of_space(const store::Snapshot& snapshot, const store::Triple& row) {
  Synonym word;
  word.word = std::string(snapshot.name(row.subject));
  word.means = text_attribute(snapshot, row.subject, "means");
  word.most = text_attribute(snapshot, row.subject, "most");
  word.language = text_attribute(snapshot, row.subject, "lang");
  if (const auto flag = snapshot.attribute(row.subject, "inverse")) {
    const store::ValueView value = snapshot.value(*flag);
    word.inverse = value.kind == store::ValueKind::kBoolean && value.integer != 0;
  }
  if (const auto where = snapshot.attribute(row.subject, "where")) {
    const store::ValueView value = snapshot.value(*where);
    if (value.kind == store::ValueKind::kJson) {
      if (auto json = parse_json(value.text)) word.where = std::move(*json);
    }
  }
  const auto said = snapshot.assertions(row);
  word.trusted =
      !said.empty() && snapshot.entry(said.front().born).trust >= store::Trust::kStandard;
  return word;
}

}  // namespace anima::ask
