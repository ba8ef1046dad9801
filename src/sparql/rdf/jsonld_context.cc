#include "sparql/rdf/jsonld_context.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sparql/detail/rdf_chars.h"

namespace anima::sparql::rdf {
namespace {

constexpr std::array<std::string_view, 24> kJsonLdKeywords = {
    "@base",   "@container", "@context", "@direction", "@graph",     "@id",
    "@import", "@included",  "@index",   "@json",      "@language",  "@list",
    "@nest",   "@none",      "@prefix",  "@propagate", "@protected", "@reverse",
    "@set",    "@type",      "@value",   "@version",   "@vocab",     "@default"};

// The members of a context that are no terms.
constexpr std::array<std::string_view, 8> kContextMembers = {
    "@base",      "@direction", "@import",  "@language",
    "@propagate", "@protected", "@version", "@vocab"};
constexpr std::array<std::string_view, 11> kTermMembers = {
    "@id",       "@reverse", "@container", "@context",   "@direction", "@index",
    "@language", "@nest",    "@prefix",    "@protected", "@type"};

template <typename List>
bool contains_name(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_iri_or_blank(std::string_view text) {
  return has_iri_scheme(text) || text.starts_with("_:");
}

Unexpected<Error> refuse(const char* code, std::string why) {
  return fail(ErrorCode::kSyntax, std::string(code) + ": " + std::move(why));
}

std::string quoted_name(std::string_view text) { return "\"" + std::string(text) + "\""; }

constexpr std::pair<std::string_view, JsonLdContainer> kContainers[] = {
    {"@graph", kGraphContainer},       {"@id", kIdContainer},     {"@index", kIndexContainer},
    {"@language", kLanguageContainer}, {"@list", kListContainer}, {"@set", kSetContainer},
    {"@type", kTypeContainer}};

// Whether the containers may stand together.
bool is_valid_container(unsigned bits, bool in_array) {
  const unsigned without_set = bits & ~unsigned{kSetContainer};
  const bool single = (bits & (bits - 1)) == 0;
  if (single) return bits != 0 || in_array;
  if ((bits & kListContainer) != 0) return false;
  if ((bits & kGraphContainer) != 0) {
    const unsigned rest = without_set & ~unsigned{kGraphContainer};
    return rest == 0 || rest == kIdContainer || rest == kIndexContainer;
  }
  return (bits & kSetContainer) != 0 && (without_set & (without_set - 1)) == 0;
}

}  // namespace

bool is_jsonld_keyword(std::string_view text) {
  return text.starts_with('@') && text != "@default" && contains_name(kJsonLdKeywords, text);
}

bool has_keyword_form(std::string_view text) {
  return text.size() > 1 && text[0] == '@' && std::all_of(text.begin() + 1, text.end(), [](char c) {
           return detail::is(c, detail::kAlpha);
         });
}

bool TermDefinition::says_the_same(const TermDefinition& other) const {
  const bool same_context =
      context == other.context ||
      (context != nullptr && other.context != nullptr && *context == *other.context);
  return iri == other.iri && type == other.type && has_language == other.has_language &&
         language == other.language && direction == other.direction &&
         containers == other.containers && is_reverse == other.is_reverse &&
         is_prefix == other.is_prefix && index == other.index && nest == other.nest && same_context;
}

const TermDefinition* JsonLdContext::find(std::string_view term) const {
  const auto found = terms.find(term);
  return found == terms.end() ? nullptr : &found->second;
}

bool JsonLdContext::has_protected() const {
  return std::any_of(terms.begin(), terms.end(),
                     [](const auto& term) { return term.second.is_protected; });
}

// API 5.2.2, without a local context.
std::optional<std::string> JsonLdContext::expand(std::string_view text, unsigned mode) const {
  if (is_jsonld_keyword(text)) return std::string(text);
  if (has_keyword_form(text)) return std::nullopt;
  const TermDefinition* const term = find(text);
  if (term != nullptr && term->iri && is_jsonld_keyword(*term->iri)) return term->iri;
  if ((mode & kVocabulary) != 0 && term != nullptr) return term->iri;
  const std::size_t colon = text.find(':', 1);
  if (colon != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, colon);
    const std::string_view suffix = text.substr(colon + 1);
    if (prefix == "_" || suffix.starts_with("//")) return std::string(text);
    const TermDefinition* const meant = find(prefix);
    if (meant != nullptr && meant->iri && meant->is_prefix) {
      return *meant->iri + std::string(suffix);
    }
    if (has_iri_scheme(text)) return std::string(text);
  }
  if ((mode & kVocabulary) != 0 && vocabulary) return *vocabulary + std::string(text);
  std::string out;
  if ((mode & kRelative) != 0 && base.resolve(text, out)) return out;
  return std::string(text);
}

// A context object of the document, while its terms are being defined.
struct JsonLdContexts::Local {
  enum class State : std::uint8_t { kUnseen, kOpen, kDone };
  struct Entry {
    const Json* value;
    State state;
  };

  explicit Local(const Json& json) {
    for (const auto& [key, value] : json.as_object()) {
      if (!contains_name(kContextMembers, key)) entries[key] = {&value, State::kUnseen};
    }
  }

  std::unordered_map<std::string_view, Entry> entries;
  bool is_protected = false;
  bool override_protected = false;
};

JsonLdContextPtr JsonLdContexts::initial() const {
  auto context = std::make_shared<JsonLdContext>();
  context->base = IriBase(document_base_);
  return context;
}

// API 4.1.2.
Result<JsonLdContextPtr> JsonLdContexts::process(const JsonLdContextPtr& active, const Json& local,
                                                 bool override_protected, bool propagate) {
  if (const Json* said = local.find("@propagate"); said != nullptr && said->is_bool()) {
    propagate = said->as_bool();
  }
  if (!local.is_array()) return process_one(active, active, local, override_protected, propagate);
  JsonLdContextPtr result = active;
  std::size_t index = 0;
  for (const Json& each : local.as_array()) {
    const JsonPath::Inside inside(path_, index++);
    ANIMA_ASSIGN(result, process_one(active, result, each, override_protected, propagate));
  }
  return result;
}

Result<JsonLdContextPtr> JsonLdContexts::process_one(const JsonLdContextPtr& active,
                                                     const JsonLdContextPtr& result,
                                                     const Json& local, bool override_protected,
                                                     bool propagate) {
  if (local.is_null()) {
    if (!override_protected && result->has_protected()) {
      return refuse("invalid context nullification", "the context has protected terms");
    }
    auto empty = std::make_shared<JsonLdContext>();
    empty->base = IriBase(document_base_);
    if (!propagate) empty->previous = result;
    return JsonLdContextPtr(std::move(empty));
  }
  if (local.is_string()) {
    return fail(ErrorCode::kUnsupported,
                "loading remote context failed: contexts are not fetched: " +
                    quoted_name(local.as_string()),
                {}, "put the context itself in the place of its address");
  }
  if (!local.is_object()) return refuse("invalid local context", "it is no object");
  if (local.as_object().empty()) return result;
  copied_ += result->terms.size();
  if (copied_ > kMostTermCopies) {
    return fail(ErrorCode::kLimitExceeded, "the contexts of the document are too many and large");
  }
  auto context = std::make_shared<JsonLdContext>(*result);
  if (!propagate && context->previous == nullptr) context->previous = active;
  ANIMA_TRY(set_defaults(*context, local));
  Local terms(local);
  terms.override_protected = override_protected;
  if (const Json* said = local.find("@protected")) {
    if (!said->is_bool()) return refuse("invalid @protected value", "it is no boolean");
    terms.is_protected = said->as_bool();
  }
  for (const auto& [term, value] : local.as_object()) {
    if (contains_name(kContextMembers, term)) continue;
    const JsonPath::Inside inside(path_, term);
    ANIMA_TRY(define(*context, terms, term));
  }
  return JsonLdContextPtr(std::move(context));
}

Status JsonLdContexts::set_defaults(JsonLdContext& context, const Json& local) {
  if (const Json* version = local.find("@version")) {
    if (!version->is_number() || version->as_number() != 1.1) {
      return refuse("invalid @version value", "only 1.1 is known");
    }
  }
  if (local.find("@import") != nullptr) {
    return fail(ErrorCode::kUnsupported, "loading remote context failed: @import is not fetched",
                {}, "put the context itself in the place of its address");
  }
  if (const Json* base = local.find("@base")) ANIMA_TRY(set_base(context, *base));
  if (const Json* vocabulary = local.find("@vocab")) {
    if (vocabulary->is_null()) {
      context.vocabulary.reset();
    } else if (!vocabulary->is_string() || has_keyword_form(vocabulary->as_string())) {
      return refuse("invalid vocab mapping", "@vocab is no IRI");
    } else {
      context.vocabulary = context.expand(vocabulary->as_string(),
                                          JsonLdContext::kVocabulary | JsonLdContext::kRelative);
    }
  }
  if (const Json* language = local.find("@language")) {
    if (!language->is_null() && !language->is_string()) {
      return refuse("invalid default language", "@language is no string");
    }
    context.language.reset();
    if (language->is_string()) context.language = language->as_string();
  }
  if (const Json* direction = local.find("@direction")) {
    const std::string& text = direction->as_string();
    if (!direction->is_null() && text != "ltr" && text != "rtl") {
      return refuse("invalid base direction", "@direction is neither ltr nor rtl");
    }
  }
  if (const Json* propagate = local.find("@propagate")) {
    if (!propagate->is_bool()) return refuse("invalid @propagate value", "it is no boolean");
  }
  return {};
}

Status JsonLdContexts::set_base(JsonLdContext& context, const Json& base) {
  if (base.is_null()) {
    context.base = IriBase();
    return {};
  }
  std::string resolved;
  if (!base.is_string() || !context.base.resolve(base.as_string(), resolved)) {
    return refuse("invalid base IRI", "@base is no IRI, or relative without a base");
  }
  context.base = IriBase(std::move(resolved));
  return {};
}

// API 4.2.2.
Status JsonLdContexts::define(JsonLdContext& context, Local& local, std::string_view term) {
  const auto found = local.entries.find(term);
  if (found == local.entries.end() || found->second.state == Local::State::kDone) return {};
  if (found->second.state == Local::State::kOpen) {
    return refuse("cyclic IRI mapping", quoted_name(term) + " is defined by itself");
  }
  if (term.empty()) return refuse("invalid term definition", "a term has no name");
  if (chain_ == kMostTermChain) {
    return fail(ErrorCode::kLimitExceeded, "too many terms are defined through each other");
  }
  found->second.state = Local::State::kOpen;
  ++chain_;
  Status defined = define_now(context, local, found->first, *found->second.value);
  --chain_;
  found->second.state = Local::State::kDone;
  return defined;
}

Status JsonLdContexts::define_now(JsonLdContext& context, Local& local, std::string_view term,
                                  const Json& value) {
  if (term == "@type") {
    const Json* container = value.find("@container");
    const bool fits =
        value.is_object() && !value.as_object().empty() &&
        std::all_of(value.as_object().begin(), value.as_object().end(), [](const auto& member) {
          return member.first == "@container" || member.first == "@protected";
        });
    const bool set = container == nullptr || container->as_string() == "@set";
    if (!fits || !set) return refuse("keyword redefinition", "@type cannot be redefined");
  } else if (is_jsonld_keyword(term)) {
    return refuse("keyword redefinition", quoted_name(term) + " cannot be redefined");
  } else if (has_keyword_form(term)) {
    return {};
  }
  if (!value.is_null() && !value.is_string() && !value.is_object()) {
    return refuse("invalid term definition", "it is neither text nor object");
  }
  const auto before = context.terms.find(term);
  std::optional<TermDefinition> previous;
  if (before != context.terms.end()) {
    previous = std::move(before->second);
    context.terms.erase(before);
  }
  TermDefinition definition;
  definition.is_protected = local.is_protected;
  if (const Json* said = value.find("@protected")) {
    if (!said->is_bool()) return refuse("invalid @protected value", "it is no boolean");
    definition.is_protected = said->as_bool();
  }
  bool ignored = false;
  ANIMA_TRY(set_iri(context, local, term, value, definition, &ignored));
  if (ignored) return {};
  if (value.is_object()) ANIMA_TRY(set_rest(context, local, term, value, definition));
  if (previous && previous->is_protected && !local.override_protected) {
    if (!definition.says_the_same(*previous)) {
      return refuse("protected term redefinition", quoted_name(term) + " is protected");
    }
    definition = std::move(*previous);
  }
  context.terms[std::string(term)] = std::move(definition);
  return {};
}

Status JsonLdContexts::set_iri(JsonLdContext& context, Local& local, std::string_view term,
                               const Json& value, TermDefinition& definition, bool* ignored) {
  if (const Json* type = value.find("@type")) {
    ANIMA_TRY(set_type(context, local, *type, definition));
  }
  if (value.find("@reverse") != nullptr) {
    return set_reverse(context, local, value, definition, ignored);
  }
  const Json* const id = value.is_object() ? value.find("@id") : &value;
  if (id != nullptr && !(id->is_string() && id->as_string() == term)) {
    return set_given_iri(context, local, term, *id, value.is_string(), definition, ignored);
  }
  return set_own_iri(context, local, term, definition);
}

Status JsonLdContexts::set_type(JsonLdContext& context, Local& local, const Json& type,
                                TermDefinition& definition) {
  if (!type.is_string()) return refuse("invalid type mapping", "@type is no text");
  ANIMA_ASSIGN(const auto meant,
               expand(context, local, type.as_string(), JsonLdContext::kVocabulary));
  const bool keyword =
      meant && (*meant == "@id" || *meant == "@vocab" || *meant == "@json" || *meant == "@none");
  if (!meant || (!keyword && (!has_iri_scheme(*meant) || meant->starts_with("_:")))) {
    return refuse("invalid type mapping", quoted_name(type.as_string()) + " is no IRI");
  }
  definition.type = meant;
  return {};
}

Status JsonLdContexts::set_reverse(JsonLdContext& context, Local& local, const Json& value,
                                   TermDefinition& definition, bool* ignored) {
  const Json& reverse = *value.find("@reverse");
  if (value.find("@id") != nullptr || value.find("@nest") != nullptr) {
    return refuse("invalid reverse property", "@reverse goes with neither @id nor @nest");
  }
  if (!reverse.is_string()) return refuse("invalid IRI mapping", "@reverse is no text");
  if (has_keyword_form(reverse.as_string())) {
    *ignored = true;
    return {};
  }
  ANIMA_ASSIGN(definition.iri,
               expand(context, local, reverse.as_string(), JsonLdContext::kVocabulary));
  if (!definition.iri || !is_iri_or_blank(*definition.iri)) {
    return refuse("invalid IRI mapping", quoted_name(reverse.as_string()) + " is no IRI");
  }
  const Json* container = value.find("@container");
  if (container != nullptr && !container->is_null() && container->as_string() != "@set" &&
      container->as_string() != "@index") {
    return refuse("invalid reverse property", "its container can only be @set or @index");
  }
  definition.is_reverse = true;
  return {};
}

Status JsonLdContexts::set_given_iri(JsonLdContext& context, Local& local, std::string_view term,
                                     const Json& id, bool simple, TermDefinition& definition,
                                     bool* ignored) {
  if (id.is_null()) return {};
  if (!id.is_string()) return refuse("invalid IRI mapping", "@id is no text");
  const std::string& text = id.as_string();
  if (!is_jsonld_keyword(text) && has_keyword_form(text)) {
    *ignored = true;
    return {};
  }
  ANIMA_ASSIGN(definition.iri, expand(context, local, text, JsonLdContext::kVocabulary));
  if (!definition.iri ||
      (!is_jsonld_keyword(*definition.iri) && !is_iri_or_blank(*definition.iri))) {
    return refuse("invalid IRI mapping", quoted_name(text) + " is no IRI");
  }
  if (*definition.iri == "@context") {
    return refuse("invalid keyword alias", "@context cannot have another name");
  }
  const std::size_t colon = term.find(':', 1);
  const bool compact = (colon != std::string_view::npos && colon + 1 < term.size()) ||
                       term.find('/') != std::string_view::npos;
  if (compact) {
    // What looks like an IRI must mean itself.
    local.entries[term].state = Local::State::kDone;
    ANIMA_ASSIGN(const auto meant, expand(context, local, term, JsonLdContext::kVocabulary));
    if (meant != definition.iri) {
      return refuse("invalid IRI mapping", quoted_name(term) + " already means another IRI");
    }
  } else if (simple && term.find(':') == std::string_view::npos) {
    const char last = definition.iri->empty() ? '\0' : definition.iri->back();
    definition.is_prefix =
        definition.iri->starts_with("_:") ||
        (last != '\0' && std::string_view(":/?#[]@").find(last) != std::string_view::npos);
  }
  return {};
}

Status JsonLdContexts::set_own_iri(JsonLdContext& context, Local& local, std::string_view term,
                                   TermDefinition& definition) {
  const std::size_t colon = term.find(':', 1);
  if (colon != std::string_view::npos) {
    const std::string_view prefix = term.substr(0, colon);
    ANIMA_TRY(define(context, local, prefix));
    const TermDefinition* const meant = context.find(prefix);
    definition.iri = meant != nullptr && meant->iri
                         ? *meant->iri + std::string(term.substr(colon + 1))
                         : std::string(term);
  } else if (term.find('/') != std::string_view::npos) {
    definition.iri = context.expand(term, JsonLdContext::kVocabulary | JsonLdContext::kRelative);
    if (!definition.iri || !has_iri_scheme(*definition.iri)) {
      return refuse("invalid IRI mapping", quoted_name(term) + " is no IRI");
    }
  } else if (term == "@type") {
    definition.iri = "@type";
  } else if (context.vocabulary) {
    definition.iri = *context.vocabulary + std::string(term);
  } else {
    return refuse("invalid IRI mapping", quoted_name(term) + " has no @id, and there is no @vocab");
  }
  return {};
}

Status JsonLdContexts::set_container(const Json& container, TermDefinition& definition) {
  unsigned bits = 0;
  const auto add = [&bits](const Json& name) {
    for (const auto& [text, bit] : kContainers) {
      if (name.is_string() && name.as_string() == text) {
        bits |= bit;
        return true;
      }
    }
    return false;
  };
  bool known = true;
  for (const Json& each : container.as_array()) known = add(each) && known;
  if (!container.is_array()) known = add(container);
  if (!known || !is_valid_container(bits, container.is_array())) {
    return refuse("invalid container mapping", "@container is " + container.dump());
  }
  definition.containers = static_cast<std::uint8_t>(bits);
  if ((bits & kTypeContainer) != 0) {
    if (!definition.type) definition.type = "@id";
    if (*definition.type != "@id" && *definition.type != "@vocab") {
      return refuse("invalid type mapping", "a map by type holds @id or @vocab");
    }
  }
  return {};
}

Status JsonLdContexts::set_rest(JsonLdContext& context, Local& local, std::string_view term,
                                const Json& value, TermDefinition& definition) {
  for (const auto& [member, unused] : value.as_object()) {
    if (!contains_name(kTermMembers, member)) {
      return refuse("invalid term definition", quoted_name(member) + " cannot stand in one");
    }
  }
  if (const Json* container = value.find("@container");
      container != nullptr && !(definition.is_reverse && container->is_null())) {
    ANIMA_TRY(set_container(*container, definition));
  }
  if (const Json* index = value.find("@index")) {
    if ((definition.containers & kIndexContainer) == 0 || !index->is_string()) {
      return refuse("invalid term definition", "@index needs the container @index, and a text");
    }
    ANIMA_ASSIGN(const auto meant,
                 expand(context, local, index->as_string(), JsonLdContext::kVocabulary));
    if (!meant || !has_iri_scheme(*meant)) {
      return refuse("invalid term definition", "@index is no property");
    }
    definition.index = index->as_string();
  }
  if (const Json* scoped = value.find("@context")) {
    const JsonPath::Inside inside(path_, "@context");
    auto now = std::make_shared<JsonLdContext>(context);
    copied_ += context.terms.size();
    // What it means is found where the term is used; that it means something, here.
    if (auto made = process(now, *scoped, true); !made) {
      Error error = std::move(made).error();
      if (error.code == ErrorCode::kSyntax)
        error.message = "invalid scoped context: " + error.message;
      return fail(std::move(error));
    }
    definition.context = scoped;
  }
  const Json* const language = value.find("@language");
  if (language != nullptr && !definition.type) {
    if (!language->is_null() && !language->is_string()) {
      return refuse("invalid language mapping", "@language is no text");
    }
    definition.has_language = true;
    if (language->is_string()) definition.language = language->as_string();
  }
  if (const Json* direction = value.find("@direction"); direction != nullptr && !definition.type) {
    const std::string& text = direction->as_string();
    if (!direction->is_null() && text != "ltr" && text != "rtl") {
      return refuse("invalid base direction", "@direction is neither ltr nor rtl");
    }
    definition.direction = text;
  }
  if (const Json* nest = value.find("@nest")) {
    if (!nest->is_string() ||
        (is_jsonld_keyword(nest->as_string()) && nest->as_string() != "@nest")) {
      return refuse("invalid @nest value", "it is no term");
    }
    definition.nest = nest->as_string();
  }
  if (const Json* prefix = value.find("@prefix")) {
    if (term.find_first_of(":/") != std::string_view::npos) {
      return refuse("invalid term definition", "a compact IRI cannot be a prefix");
    }
    if (!prefix->is_bool()) return refuse("invalid @prefix value", "it is no boolean");
    definition.is_prefix = prefix->as_bool();
    if (definition.is_prefix && definition.iri && is_jsonld_keyword(*definition.iri)) {
      return refuse("invalid term definition", "a keyword cannot be a prefix");
    }
  }
  return {};
}

// Defines first what the text needs of the context that is being read.
Result<std::optional<std::string>> JsonLdContexts::expand(JsonLdContext& context, Local& local,
                                                          std::string_view text, unsigned mode) {
  if (!is_jsonld_keyword(text) && !has_keyword_form(text)) {
    ANIMA_TRY(define(context, local, text));
    const TermDefinition* const term = context.find(text);
    const std::size_t colon = text.find(':', 1);
    if (term == nullptr && colon != std::string_view::npos && text.substr(0, colon) != "_" &&
        !text.substr(colon + 1).starts_with("//")) {
      ANIMA_TRY(define(context, local, text.substr(0, colon)));
    }
  }
  return context.expand(text, mode);
}

}  // namespace anima::sparql::rdf
