#include "query/derived.h"

#include <utility>

namespace anima::query {
namespace {

// The codes that the values of one run have for the cells of a relation.
class Cells {
 public:
  Cells(Values& values, const DerivedRelation& rows) {
    for (const store::Value& value : rows.made) made_.push_back(values.intern(value.view()).code);
  }
  std::uint32_t of(std::uint32_t code) const {
    const store::Term term{code};
    return term.tag() == store::Tag::kOverlay ? made_[term.place()] : code;
  }

 private:
  std::vector<std::uint32_t> made_;
};

bool agrees(const Ref& end, std::uint32_t code) { return end.is_slot || end.value == code; }

}  // namespace

std::shared_ptr<const DerivedEdges> edges_of(Values& values, const DerivedRelation& rows) {
  const Cells cells(values, rows);
  std::vector<std::uint32_t> from, to;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    from.push_back(cells.of(rows.subjects[row]));
    to.push_back(cells.of(rows.objects[row]));
  }
  return std::make_shared<const DerivedEdges>(from, to);
}

NodePtr relation(Values& values, const DerivedRelation& rows, Ref subject, Ref object, Slot spare) {
  const Cells cells(values, rows);
  const bool loop = subject.is_slot && object.is_slot && subject.value == object.value;
  std::vector<std::uint32_t> subjects, objects;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::uint32_t from = cells.of(rows.subjects[row]);
    const std::uint32_t to = cells.of(rows.objects[row]);
    if (!agrees(subject, from) || !agrees(object, to) || (loop && from != to)) continue;
    subjects.push_back(from);
    objects.push_back(to);
  }
  std::vector<Slot> slots;
  std::vector<std::vector<std::uint32_t>> columns;
  if (subject.is_slot) {
    slots.push_back(subject.value);
    columns.push_back(std::move(subjects));
  }
  if (object.is_slot && !loop) {
    slots.push_back(object.value);
    columns.push_back(std::move(objects));
  }
  if (!slots.empty()) return table(std::move(slots), std::move(columns));
  if (!subjects.empty()) return unit();
  return table({spare}, {{}});
}

}  // namespace anima::query
