// JSON schemas as the providers of models take them: the subset of JSON Schema 2020-12 with type,
// properties, required, additionalProperties, items, prefixItems, minItems, maxItems, uniqueItems,
// enum, const, anyOf, oneOf, allOf, not, minimum, maximum, exclusiveMinimum, exclusiveMaximum,
// multipleOf, minLength, maxLength, pattern, $ref into the same schema, and $defs. Annotations
// (title, description, default, examples, format, $schema, $id, $comment) say nothing about a
// value.
//
// A keyword that is not listed is an error of the schema, not silently true. Depth is bounded.
// Thread-safety: pure functions. Complexity: O(schema x value) but for uniqueItems, O(items^2), and
// the branches of anyOf and oneOf, each of which is tried; a budget of steps bounds all of it.
// Source: JSON Schema 2020-12, Core and Validation.
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::llm {

struct SchemaViolation {
  std::string path;     // "$.items[2].name"
  std::string message;  // "must be an integer, not a string"
};

// Errors: kInvalidArgument with the place in the schema ("#/properties/name").
Status check_schema(const Json& schema);

// What is wrong with the value, at most 20 of it; empty when nothing is. Requires check_schema().
std::vector<SchemaViolation> validate(const Json& schema, const Json& value);
// "$.a: must be an integer, not a string; $.b: is missing".
std::string describe(const std::vector<SchemaViolation>& violations);

// True for a schema as OpenAI's strict mode wants it: every object names all of its properties as
// required and allows no others.
bool is_strict(const Json& schema);

}  // namespace anima::llm
