// Contexts of JSON-LD: what terms mean, made from "@context".
//
// A context is immutable once made; nodes share it. Contexts that would have to be fetched are
// refused. The work is metered: contexts in contexts cost at most kMostTermCopies copied terms and
// kMostTermChain terms that are defined through each other. Thread-safety: one thread.
// Source: JSON-LD 1.1 Processing Algorithms and API, sections 4.1 (contexts), 4.2 (terms), 5.2
// (IRIs); the words in quotes of the errors are its error codes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json/json.h"
#include "base/result.h"
#include "sparql/iri.h"
#include "sparql/rdf/json_path.h"

namespace anima::sparql::rdf {

enum JsonLdContainer : std::uint8_t {
  kGraphContainer = 1,
  kIdContainer = 2,
  kIndexContainer = 4,
  kLanguageContainer = 8,
  kListContainer = 16,
  kSetContainer = 32,
  kTypeContainer = 64,
};

bool is_jsonld_keyword(std::string_view text);
// "@" and letters: reserved, and ignored where it is no keyword.
bool has_keyword_form(std::string_view text);

struct TermDefinition {
  std::optional<std::string> iri;  // unset: the term means nothing
  std::optional<std::string> type;
  bool has_language = false;
  std::optional<std::string> language;
  std::optional<std::string> direction;  // "" is null
  std::uint8_t containers = 0;
  bool is_reverse = false;
  bool is_prefix = false;
  bool is_protected = false;
  std::string index;
  std::string nest;
  const Json* context = nullptr;  // of the document

  bool says_the_same(const TermDefinition& other) const;
};

struct JsonLdContext {
  IriBase base;
  std::optional<std::string> vocabulary;
  std::optional<std::string> language;
  std::map<std::string, TermDefinition, std::less<>> terms;
  std::shared_ptr<const JsonLdContext> previous;

  const TermDefinition* find(std::string_view term) const;
  bool has_protected() const;

  enum Mode : std::uint8_t { kPlain = 0, kVocabulary = 1, kRelative = 2 };
  // nullopt: the text means nothing.
  std::optional<std::string> expand(std::string_view text, unsigned mode) const;
};
using JsonLdContextPtr = std::shared_ptr<const JsonLdContext>;

class JsonLdContexts {
 public:
  static constexpr std::uint64_t kMostTermCopies = 5'000'000;
  static constexpr std::size_t kMostTermChain = 256;

  JsonLdContexts(std::string document_base, JsonPath& path)
      : document_base_(std::move(document_base)), path_(path) {}

  JsonLdContextPtr initial() const;
  // `local` must live as long as what is made of it.
  Result<JsonLdContextPtr> process(const JsonLdContextPtr& active, const Json& local,
                                   bool override_protected = false, bool propagate = true);

 private:
  struct Local;

  Result<JsonLdContextPtr> process_one(const JsonLdContextPtr& active,
                                       const JsonLdContextPtr& result, const Json& local,
                                       bool override_protected, bool propagate);
  Status set_defaults(JsonLdContext& context, const Json& local);
  Status set_base(JsonLdContext& context, const Json& base);
  Status define(JsonLdContext& context, Local& local, std::string_view term);
  Status define_now(JsonLdContext& context, Local& local, std::string_view term, const Json& value);
  Status set_iri(JsonLdContext& context, Local& local, std::string_view term, const Json& value,
                 TermDefinition& definition, bool* ignored);
  Status set_given_iri(JsonLdContext& context, Local& local, std::string_view term, const Json& id,
                       bool simple, TermDefinition& definition, bool* ignored);
  Status set_own_iri(JsonLdContext& context, Local& local, std::string_view term,
                     TermDefinition& definition);
  Status set_reverse(JsonLdContext& context, Local& local, const Json& value,
                     TermDefinition& definition, bool* ignored);
  Status set_type(JsonLdContext& context, Local& local, const Json& type,
                  TermDefinition& definition);
  Status set_container(const Json& container, TermDefinition& definition);
  Status set_rest(JsonLdContext& context, Local& local, std::string_view term, const Json& value,
                  TermDefinition& definition);
  Result<std::optional<std::string>> expand(JsonLdContext& context, Local& local,
                                            std::string_view text, unsigned mode);

  std::string document_base_;
  JsonPath& path_;
  std::uint64_t copied_ = 0;
  std::size_t chain_ = 0;
};

}  // namespace anima::sparql::rdf
