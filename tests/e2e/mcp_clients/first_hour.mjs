// What somebody tries in the first hour: a server without a schema, a fact stored in one call, and back by both of its names in
// one call each, with the tools that are there by default.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const [anima, space, schema] = process.argv.slice(2);
const must = (holds, what) => {
  if (!holds) throw new Error("FAILED: " + what);
};
const client = new Client({ name: "anima-test", version: "1" });
const args = ["mcp", "--space", space, ...(schema ? ["--schema", schema] : [])];
await client.connect(new StdioClientTransport({ command: anima, args }));
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;

const { tools } = await client.listTools();
for (const name of ["ask", "remember", "recall", "execute_kip", "why"])
  must(tools.some((tool) => tool.name === name), "the tool " + name);
must(!tools.some((tool) => tool.name === "call_tool"), "what acts stays behind --act");
must(JSON.stringify(tools).length < 8800, "2,200 tokens at most: " + JSON.stringify(tools).length);

const boss = 'UPSERT { CONCEPT ?a { {type: "Employee", name: "Alice"} } ' +
  'CONCEPT ?b { {type: "Employee", name: "Bob"} SET PROPOSITIONS { ("manages", ?a) } } }';
const stored = await call("execute_kip", { command: boss });
if (schema === "open") {
  must(stored.defined.map((each) => each.name).join() === "Employee,manages", "it says what it defined: " + JSON.stringify(stored));
  for (const name of ["Bob", "Alice"]) {
    const { text } = (await call("recall", { question: name })).result;
    must(text.includes("| Bob manages Alice\n") && !text.includes("$"), name + ": " + text);
  }
  must((await call("ask", { question: "Who manages Alice?" })).rows[0][0] === "Bob", "asked by the one");
  must((await call("ask", { question: "Whom does Bob manage?" })).rows[0][0] === "Alice", "and by the other");
  const why = (await call("why", { about: "Bob manages Alice" })).result;
  must(why.trust === "untrusted" && why.proof[1].includes("source given: mcp"), "why: " + JSON.stringify(why));
  const hits = (await call("execute_kip", { command: 'SEARCH CONCEPT "Bob"' })).result;
  must(hits[0].name === "Bob" && hits[0].type === "Employee" && !hits[0].metadata, "short hits");
} else {
  must(stored.error.code === "KIP_2001" && stored.error.hint.includes("$ConceptType"), "a schema comes first");
}
await call("remember", { text: "Dora runs the harbour office" });
for (const name of ["Dora", "harbour office"])
  must((await call("recall", { question: name })).result.text.includes("| Dora runs the harbour office"), "remembered: " + name);
await client.close();
console.log("first hour ok");
