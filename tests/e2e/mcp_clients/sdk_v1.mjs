// An agent's session through @modelcontextprotocol/sdk: look, fail with a hint, recover, read the card.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const [anima, space] = process.argv.slice(2);
const client = new Client({ name: "anima-test", version: "1" });
await client.connect(new StdioClientTransport({ command: anima, args: ["mcp", "--space", space, "--trust", "standard"] }));
const must = (ok, what) => { if (!ok) { console.error("FAILED: " + what); process.exit(1); } };
const kip = async (args) => (await client.callTool({ name: "execute_kip", arguments: args })).structuredContent;
const tools = (await client.listTools()).tools.map((t) => t.name);
must(tools.join() === "execute_kip,execute_kip_readonly,list_logs", "tools " + tools);
must((await kip({ command: "DESCRIBE PRIMER" })).result.domain_map.length > 0, "primer");
const wrong = await kip({ command: 'UPSERT { CONCEPT { {type: "Volcano", name: "Etna"} } }' });
must(wrong.error.code === "KIP_2001" && wrong.error.hint.length > 0, "hint");
const repaired = await kip({ commands: [
  'UPSERT { CONCEPT { {type: "$ConceptType", name: "Volcano"} SET ATTRIBUTES { description: "A mountain of fire" } } }',
  { command: 'UPSERT { CONCEPT { {type: "Volcano", name: :n} } }', parameters: { n: "Etna" } },
  'FIND(?v.name) WHERE { ?v {type: "Volcano"} }'], atomic: true });
must(JSON.stringify(repaired.result[2].result) === '["Etna"]', "recovered " + JSON.stringify(repaired));
must((await client.listResources()).resources.length === 2, "resources");
must((await client.readResource({ uri: "kip://docs/KIP.md" })).contents[0].text.includes("FIND("), "card");
must((await client.getPrompt({ name: "kip_bootstrap" })).messages.length === 2, "prompt");
const logs = (await client.callTool({ name: "list_logs", arguments: { limit: 5 } })).structuredContent;
must(logs.result.length === 3, "logs");
await client.ping();
await client.close();
console.log("v1 ok", client.getServerVersion().name);
