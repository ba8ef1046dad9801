// VectorIndex: vectors of texts, found by their cosine with another one (HNSW).
//
// An entry is an entity, the signature of the text that was embedded, and the vector, kept at
// length one. Removing overwrites the vector; its place in the graph stays until the index is made
// anew. The same entries in the same order give the same index, byte for byte. Not thread-safe, but
// nearest() may run from any number of threads while nothing changes. Complexity: adding and
// searching O(log n) distances; memory: 4 bytes a number and some 150 an entry. Source: Malkov and
// Yashunin, "Efficient and robust approximate nearest neighbor search using HNSW graphs" (2018).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/ids.h"

namespace anima::memory::detail {

struct NearText {
  store::EntityId entity = store::EntityId::kNone;
  std::uint32_t signature = 0;
  double cosine = 0;
};

class VectorIndex {
 public:
  explicit VectorIndex(std::size_t dimensions);
  ~VectorIndex();
  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;

  std::size_t dimensions() const { return dimensions_; }
  std::size_t size() const;  // without what was removed
  // The signature that is kept of the entity, or 0.
  std::uint32_t signature(store::EntityId entity) const;
  std::vector<store::EntityId> entities() const;  // rising
  // Of length one; empty when none is kept of the entity. Valid until something is added.
  std::span<const float> vector(store::EntityId entity) const;

  // Takes the place of what is kept of the entity. Errors: kInvalidArgument (another number of
  // dimensions, a vector of nothing but zeros), kLimitExceeded (no memory).
  Status add(store::EntityId entity, std::uint32_t signature, std::span<const float> vector);
  bool remove(store::EntityId entity);
  // Most similar first, ties by entity. Errors: kInvalidArgument.
  Result<std::vector<NearText>> nearest(std::span<const float> vector, std::size_t count) const;

  // As docs/formats_views.md describes it, without the frame of the file.
  std::string encode() const;
  // Errors: kCorrupt.
  static Result<VectorIndex> decode(std::string_view bytes);

 private:
  struct Graph;
  std::size_t dimensions_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace anima::memory::detail
