// OwnerWords: what a message of a person says, for knowing its words again in the arguments of a
// call: whole words in their order, numbers and dates. A value that stands in the message as whole
// words is the person's own, whatever else was read. Thread-safety: a plain value. Complexity:
// linear in the texts; of said(), in the value and the places of its first word.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace anima::guard {

class OwnerWords {
 public:
  // At most 256 KiB of a text are looked at.
  void add(std::string_view text);
  bool empty() const { return words_.empty(); }
  // The value as it is known here; nothing: nobody said it.
  std::optional<std::string> said(const Json& scalar) const;
  // The same for a number that the message has as a word ("two"), by its normal form.
  std::optional<std::string> said_as_word(const std::string& normal) const;
  // Whether it is one of the words by which the message names things (naming_words.h).
  bool names(std::string_view word) const { return names_.contains(word); }
  // All words of it (shared_words.h).
  const std::set<std::string, std::less<>>& all() const { return all_; }
  // "all", "every", "both": everything of a kind is meant.
  bool means_all() const { return means_all_; }
  // Whether the day ("2026-11-23") is one of the message, or between two of it; true when it says
  // no day.
  bool day_fits(std::string_view day) const;
  // The largest number that was said and is no year; nothing: none was.
  std::optional<double> largest_number() const { return largest_; }

 private:
  bool has_words(std::string_view text) const;

  std::vector<std::string> words_;  // an empty one between two texts
  std::map<std::string, std::vector<std::size_t>, std::less<>> places_;
  std::set<std::string, std::less<>> normal_;  // numbers and dates
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> all_;
  std::optional<double> largest_ = {};
  bool means_all_ = false;
};

}  // namespace anima::guard
