// Where in a JSON document something stands: a path while it is walked, "line:column" for an error.
//
// Thread-safety: one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace anima::sparql::rdf {

class JsonPath {
 public:
  struct Step {
    std::string_view key;  // of an object's member; else `index` counts
    std::size_t index = 0;
    bool is_key = false;
  };

  // One step further for as long as it lives.
  class Inside {
   public:
    Inside(JsonPath& path, std::string_view key) : path_(path) { path_.push({key, 0, true}); }
    Inside(JsonPath& path, std::size_t index) : path_(path) { path_.push({{}, index, false}); }
    ~Inside() { --path_.depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    JsonPath& path_;
  };

  // The offset in the document of what was stepped into last, even when it was left since: an error
  // on its way up leaves everything. `text` is valid JSON. O(text).
  std::size_t last_offset_in(std::string_view text) const;

 private:
  void push(const Step& step) {
    steps_.resize(depth_);
    steps_.push_back(step);
    ++depth_;
  }

  std::vector<Step> steps_;  // those beyond depth_ are left already
  std::size_t depth_ = 0;
};

}  // namespace anima::sparql::rdf
