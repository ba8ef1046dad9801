// The session through @modelcontextprotocol/client, in the era that the third argument asks for.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { session } from "./session.mjs";
const [anima, space, mode] = process.argv.slice(2);
const client = new Client({ name: "anima-test", version: "1" }, mode ? { versionNegotiation: { mode } } : {});
await client.connect(new StdioClientTransport({ command: anima, args: ["mcp", "--space", space] }));
const { must, call } = await session(client);
must((await call("list_logs", { limit: 100 })).result.length >= 7, "logs");
console.log("v2 ok", mode ?? "default", client.getNegotiatedProtocolVersion?.() ?? "");
await client.close();
