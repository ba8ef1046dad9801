// The same server through @modelcontextprotocol/client, in the era that the third argument asks for.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
const [anima, space, mode] = process.argv.slice(2);
const client = new Client({ name: "anima-test", version: "1" }, mode ? { versionNegotiation: { mode } } : {});
await client.connect(new StdioClientTransport({ command: anima, args: ["mcp", "--space", space] }));
const tools = (await client.listTools()).tools.map((t) => t.name);
const answer = await client.callTool({ name: "execute_kip", arguments: { command: "DESCRIBE PRIMER" } });
if (tools.length !== 3 || !answer.structuredContent.result.domain_map) { console.error("FAILED"); process.exit(1); }
const read = await client.readResource({ uri: "kip://docs/KIP.md" });
console.log("v2 ok", mode ?? "default", client.getNegotiatedProtocolVersion?.() ?? "", read.contents[0].text.length);
await client.close();
