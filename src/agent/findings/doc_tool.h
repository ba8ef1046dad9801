// doc_gen: what the graph says about one symbol, as a page.
//
// A page tells what the symbol is, its attributes, the links from it and to it (also those that a
// later statement supersedes, with the reason), of a type or relation how much it is used, and on
// whose word all this stands: authors, sources, trust and log entries. The statements are said in
// the words of a grammar (grammar.h): the formal one as Markdown, the narrative one as text.
// The same snapshot gives the same page. Source: learning_and_psyche 2.10.
// Complexity: O(statements shown), at most 200 each way. Thread-safety: plain functions.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace anima::agent {

// target!, format: markdown (the default), json or text.
std::unique_ptr<tools::Tool> make_doc_gen();

// The tools that every agent has and that read nothing but the snapshot: those of
// tools::add_graph_tools() and doc_gen.
void add_inside_tools(tools::ToolTable& table);

}  // namespace anima::agent
