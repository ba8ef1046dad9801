// A server of embeddings for tests: a real HTTP server (model_server.h) that turns a text into the
// hashed counts of its words. Words that are told to mean the same share a place.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "support/model_server.h"

namespace anima::test {

using WordMeanings = std::map<std::string, std::string>;  // folded word -> the word it stands for

inline std::vector<double> hashed_words(std::string_view text, std::size_t dimensions,
                                        const WordMeanings& meanings = {}) {
  std::vector<double> vector(dimensions, 0.0);
  const auto is_sign = [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) == 0;
  };
  std::string words(text);
  std::ranges::replace_if(words, is_sign, ' ');
  for (const std::string_view word : split(words, ' ')) {
    if (word.empty()) continue;
    std::string folded = fold_case(word);
    if (const auto same = meanings.find(folded); same != meanings.end()) folded = same->second;
    std::uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
    for (const char c : folded) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    vector[hash % dimensions] += (hash >> 40) % 2 == 0 ? 1.0 : -1.0;
  }
  vector[0] += 0.01;  // no text is nowhere
  return vector;
}

inline ServerAnswer embeddings_answer(const ServerRequest& request, std::size_t dimensions,
                                      const WordMeanings& meanings = {}) {
  Json data = Json::array();
  const Json body = request.json();
  const Json* input = body.find("input");
  if (input == nullptr) return json_answer(Json::object({{"error", "no input"}}), 400);
  for (const Json& text : input->as_array()) {
    Json numbers = Json::array();
    for (const double number : hashed_words(text.as_string(), dimensions, meanings))
      numbers.push_back(number);
    data.push_back(Json::object({{"index", static_cast<std::uint64_t>(data.as_array().size())},
                                 {"embedding", std::move(numbers)}}));
  }
  return json_answer(Json::object({{"data", std::move(data)}}));
}

inline void embeds_words(ModelServer& server, std::size_t dimensions, WordMeanings meanings = {}) {
  server.otherwise([dimensions, meanings = std::move(meanings)](const ServerRequest& request) {
    return embeddings_answer(request, dimensions, meanings);
  });
}

}  // namespace anima::test
