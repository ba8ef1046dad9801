// The text index on any bytes: as a section (damaged or not, reading stays inside and search ends),
// and as texts and queries, where what the index says must not depend on how its segments lie.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "language/text/fold.h"
#include "store/text/text_search.h"
#include "store/text/text_segment.h"

namespace {

using namespace anima;
using namespace anima::store;
using namespace anima::store::detail;

// Text n belongs to entity n.
class Texts final : public TextSource, public TextGraph {
 public:
  std::vector<std::string> all{""};

  std::uint32_t bound() const { return static_cast<std::uint32_t>(all.size()); }
  ValueView literal(std::uint32_t place) const override {
    ValueView view;
    view.kind = place % 5 == 4 ? ValueKind::kJson : ValueKind::kString;
    view.text = all[place];
    return view;
  }
  void owners(std::span<const Term> terms, std::vector<TextOwner>& out) const override {
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
      if (terms[i].tag() != Tag::kLiteral || terms[i].place() >= all.size()) continue;
      out.push_back({i, static_cast<EntityId>(terms[i].place()), kAttributeWeight});
    }
  }
  void texts(EntityId entity, std::vector<TextField>& out) const override {
    out.push_back({Term::literal(static_cast<std::uint32_t>(entity)), kAttributeWeight});
  }
  bool accepts(EntityId) const override { return true; }
  std::vector<EntityId> exactly_named(std::string_view) const override { return {}; }
  std::vector<EntityId> folded_named(std::string_view) const override { return {}; }
  bool contains(Term literal, std::string_view folded) const override {
    return anima::language::fold_for_finding(all[literal.place()]).find(folded) !=
           std::string::npos;
  }
  anima::language::LanguageSet languages(Term literal) const override {
    return anima::language::languages_of_forms(all[literal.place()]);
  }
};

void read_as_section(const std::string& bytes) {
  const auto owner = std::make_shared<const std::string>(bytes);
  const auto opened = TextIndex::open(*owner, owner);
  if (!opened) return;
  const std::uint32_t bound = (*opened)->bound();
  TextQuery query;
  query.text = "graph memor u1 7";
  rank_text(Texts(), *(*opened)->segments(), bound, query);
  (*opened)->section(bound);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string input(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (data[0] % 4 == 0) {
    read_as_section(input);
    return 0;
  }
  // The first line is the query, each other a text.
  Texts texts;
  TextQuery query;
  std::size_t begin = input.find('\n');
  query.text = input.substr(0, begin);
  while (begin != std::string::npos) {
    const std::size_t end = input.find('\n', begin + 1);
    texts.all.push_back(input.substr(begin + 1, end == std::string::npos ? end : end - begin - 1));
    begin = end;
  }
  query.limit = 1 + data[1] % 20;
  query.fuzzy = (data[0] & 4) == 0;
  query.prefix = (data[0] & 8) == 0;
  TextIndex whole;
  whole.catch_up(texts, texts.bound());
  TextIndex stepwise;
  for (std::uint32_t bound = 1; bound <= texts.bound(); bound += 1 + data[1] % 3) {
    stepwise.catch_up(texts, bound);
  }
  stepwise.catch_up(texts, texts.bound());
  const std::string section = whole.section(texts.bound());
  if (section != stepwise.section(texts.bound())) std::abort();
  const auto one = rank_text(texts, *whole.segments(), texts.bound(), query);
  const auto two = rank_text(texts, *stepwise.segments(), texts.bound(), query);
  if (one.size() != two.size()) std::abort();
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i].entity != two[i].entity || one[i].score != two[i].score) std::abort();
  }
  std::string damaged = section;
  damaged[data[1] * 7919u % damaged.size()] ^= static_cast<char>(1u << (data[0] % 8));
  read_as_section(damaged);
  return 0;
}
