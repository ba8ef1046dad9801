#include "memory/recall/detail/vector_index.h"

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>
#include <optional>

#include "base/bytes.h"

namespace anima::memory::detail {
namespace {

using store::EntityId;
using Layers = hnswlib::HierarchicalNSW<float>;

constexpr std::size_t kLinks = 16;  // of an entry in a layer above the lowest; there twice as many
constexpr std::size_t kBreadth = 100;  // of a search, at least
constexpr std::size_t kRoom = 1024;    // entries, at first
constexpr std::size_t kMostDimensions = 8192;
constexpr std::size_t kMostEntries = 50'000'000;
constexpr int kMostLayers = 64;

std::uint32_t number(EntityId entity) { return static_cast<std::uint32_t>(entity); }

// Of length one; nothing for zeros.
std::optional<std::vector<float>> unit(std::span<const float> vector) {
  double square = 0;
  for (const float value : vector)
    square += static_cast<double>(value) * static_cast<double>(value);
  if (!(square > 0) || !std::isfinite(square)) return std::nullopt;
  const double length = std::sqrt(square);
  std::vector<float> scaled(vector.size());
  std::ranges::transform(vector, scaled.begin(), [length](float value) {
    return static_cast<float>(static_cast<double>(value) / length);
  });
  return scaled;
}

Error corrupt(std::string_view what) {
  return {ErrorCode::kCorrupt, "the vectors cannot be read: " + std::string(what), {}, {}};
}

}  // namespace

// A label of the library is the place of the entry here.
struct VectorIndex::Graph {
  struct Entry {
    EntityId entity = EntityId::kNone;  // kNone: removed
    std::uint32_t signature = 0;
  };

  Graph(std::size_t dimensions, std::size_t room)
      : space(dimensions), layers(&space, room, kLinks, kBreadth) {
    layers.setEf(kBreadth);
    // The library looks one link beyond a full list, to fetch it early; here that is there to be
    // read.
    layers.size_links_per_element_ += sizeof(hnswlib::tableint);
  }

  hnswlib::InnerProductSpace space;
  Layers layers;
  std::vector<Entry> entries;                // by place, which is the library's own id
  std::map<EntityId, std::uint32_t> places;  // of what is not removed
};

VectorIndex::VectorIndex(std::size_t dimensions)
    : dimensions_(dimensions), graph_(std::make_unique<Graph>(dimensions, kRoom)) {}
VectorIndex::~VectorIndex() = default;
VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;

std::size_t VectorIndex::size() const { return graph_->places.size(); }

std::uint32_t VectorIndex::signature(EntityId entity) const {
  const auto found = graph_->places.find(entity);
  return found == graph_->places.end() ? 0 : graph_->entries[found->second].signature;
}

std::vector<EntityId> VectorIndex::entities() const {
  std::vector<EntityId> list;
  list.reserve(size());
  for (const auto& [entity, place] : graph_->places) list.push_back(entity);
  return list;
}

std::span<const float> VectorIndex::vector(EntityId entity) const {
  const auto found = graph_->places.find(entity);
  if (found == graph_->places.end()) return {};
  return {reinterpret_cast<const float*>(graph_->layers.getDataByInternalId(found->second)),
          dimensions_};
}

Status VectorIndex::add(EntityId entity, std::uint32_t signature, std::span<const float> vector) {
  const auto scaled = vector.size() == dimensions_ ? unit(vector) : std::nullopt;
  if (!scaled) {
    return fail(ErrorCode::kInvalidArgument, vector.size() == dimensions_
                                                 ? "a vector of nothing but zeros"
                                                 : "a vector of another number of dimensions");
  }
  remove(entity);
  const std::size_t place = graph_->entries.size();
  try {
    if (place == graph_->layers.max_elements_) graph_->layers.resizeIndex(2 * place);
    graph_->layers.addPoint(scaled->data(), place);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kLimitExceeded, std::string("no room for a vector: ") + error.what());
  }
  graph_->entries.push_back({entity, signature});
  graph_->places[entity] = static_cast<std::uint32_t>(place);
  return {};
}

bool VectorIndex::remove(EntityId entity) {
  const auto found = graph_->places.find(entity);
  if (found == graph_->places.end()) return false;
  char* const data = graph_->layers.getDataByInternalId(found->second);
  std::memset(data, 0, dimensions_ * sizeof(float));
  graph_->entries[found->second] = {};
  graph_->places.erase(found);
  return true;
}

Result<std::vector<NearText>> VectorIndex::nearest(std::span<const float> vector,
                                                   std::size_t count) const {
  std::vector<NearText> found;
  const auto scaled = vector.size() == dimensions_ ? unit(vector) : std::nullopt;
  if (!scaled) {
    return fail(ErrorCode::kInvalidArgument,
                "the question's vector has another number of dimensions than the texts'");
  }
  if (count == 0 || size() == 0) return found;
  try {
    auto hits = graph_->layers.searchKnn(scaled->data(), count);
    for (; !hits.empty(); hits.pop()) {
      const Graph::Entry& entry = graph_->entries[hits.top().second];
      if (entry.entity == EntityId::kNone) continue;
      found.push_back({entry.entity, entry.signature, 1 - static_cast<double>(hits.top().first)});
    }
  } catch (const std::exception& error) {
    return fail(corrupt(error.what()));
  }
  std::ranges::sort(found, [](const NearText& a, const NearText& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.entity < b.entity;
  });
  return found;
}

std::string VectorIndex::encode() const {
  const Layers& layers = graph_->layers;
  ByteWriter out;
  out.u32(static_cast<std::uint32_t>(dimensions_));
  out.u32(static_cast<std::uint32_t>(graph_->entries.size()));
  out.u32(layers.enterpoint_node_);
  out.u32(static_cast<std::uint32_t>(layers.maxlevel_));
  for (const Graph::Entry& entry : graph_->entries) {
    out.u32(number(entry.entity));
    out.u32(entry.signature);
  }
  for (std::uint32_t i = 0; i < graph_->entries.size(); ++i) {
    const int above = layers.element_levels_[i];
    out.u8(static_cast<std::uint8_t>(above));
    for (int layer = 0; layer <= above; ++layer) {
      hnswlib::linklistsizeint* const list = layers.get_linklist_at_level(i, layer);
      const std::size_t links = layers.getListCount(list);
      out.varint(links);
      for (std::size_t k = 1; k <= links; ++k) out.u32(list[k]);
    }
    out.raw({layers.getDataByInternalId(i), dimensions_ * sizeof(float)});
  }
  return out.take();
}

Result<VectorIndex> VectorIndex::decode(std::string_view bytes) {
  ByteReader in(bytes);
  ANIMA_ASSIGN(const std::uint32_t dimensions, in.u32());
  ANIMA_ASSIGN(const std::uint32_t count, in.u32());
  ANIMA_ASSIGN(const std::uint32_t enter, in.u32());
  ANIMA_ASSIGN(const std::uint32_t top, in.u32());
  const std::size_t least = dimensions * sizeof(float) + 10;
  if (dimensions == 0 || dimensions > kMostDimensions || count > kMostEntries ||
      count > bytes.size() / least || (count > 0 && enter >= count))
    return fail(corrupt("numbers that fit nothing"));
  VectorIndex index(dimensions);
  if (count == 0) return index;
  try {
    index.graph_ = std::make_unique<Graph>(dimensions, std::max<std::size_t>(kRoom, count));
    Layers& layers = index.graph_->layers;
    for (std::uint32_t i = 0; i < count; ++i) {
      ANIMA_ASSIGN(const std::uint32_t entity, in.u32());
      ANIMA_ASSIGN(const std::uint32_t signature, in.u32());
      index.graph_->entries.push_back({EntityId{entity}, signature});
      const bool fresh = entity == 0 || index.graph_->places.emplace(EntityId{entity}, i).second;
      if (!fresh) return fail(corrupt("an entity that stands twice"));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      ANIMA_ASSIGN(const std::uint8_t above, in.u8());
      if (above > kMostLayers) return fail(corrupt("too many layers"));
      std::memset(layers.data_level0_memory_ + i * layers.size_data_per_element_, 0,
                  layers.size_data_per_element_);
      layers.setExternalLabel(i, i);
      layers.label_lookup_[i] = i;
      layers.linkLists_[i] = nullptr;
      if (above > 0) {
        const std::size_t size = layers.size_links_per_element_ * above + 1;
        layers.linkLists_[i] = static_cast<char*>(std::calloc(1, size));
        if (layers.linkLists_[i] == nullptr) throw std::bad_alloc();
      }
      layers.element_levels_[i] = above;
      layers.cur_element_count = i + 1;  // what the destructor frees
      for (int layer = 0; layer <= above; ++layer) {
        ANIMA_ASSIGN(const std::uint64_t links, in.varint());
        if (links > (layer == 0 ? layers.maxM0_ : layers.maxM_))
          return fail(corrupt("too many links"));
        hnswlib::linklistsizeint* const list = layers.get_linklist_at_level(i, layer);
        layers.setListCount(list, static_cast<unsigned short>(links));
        for (std::uint64_t k = 1; k <= links; ++k) {
          ANIMA_ASSIGN(list[k], in.u32());
          if (list[k] >= count) return fail(corrupt("a link to nowhere"));
        }
      }
      ANIMA_ASSIGN(const std::string_view vector, in.raw(dimensions * sizeof(float)));
      std::memcpy(layers.getDataByInternalId(i), vector.data(), vector.size());
    }
    if (layers.element_levels_[enter] != static_cast<int>(top))
      return fail(corrupt("an entrance that is not at the top"));
    // A link above the lowest layer leads to what stands there, too.
    for (std::uint32_t i = 0; i < count; ++i) {
      for (int layer = 1; layer <= layers.element_levels_[i]; ++layer) {
        const hnswlib::linklistsizeint* const list = layers.get_linklist_at_level(i, layer);
        const std::size_t links = layers.getListCount(layers.get_linklist_at_level(i, layer));
        for (std::size_t k = 1; k <= links; ++k) {
          if (layers.element_levels_[list[k]] < layer) return fail(corrupt("a link to nowhere"));
        }
      }
    }
    layers.enterpoint_node_ = enter;
    layers.maxlevel_ = static_cast<int>(top);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kLimitExceeded, std::string("no room for the vectors: ") + error.what());
  }
  return index;
}

}  // namespace anima::memory::detail
