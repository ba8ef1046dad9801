// The session through @modelcontextprotocol/sdk, twice: what it did is still listed by the next process.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { session } from "./session.mjs";
const [anima, space] = process.argv.slice(2);
const connect = async () => {
  const client = new Client({ name: "anima-test", version: "1" });
  await client.connect(new StdioClientTransport({ command: anima, args: ["mcp", "--space", space] }));
  return client;
};
const first = await connect();
const { must, call } = await session(first);
const before = await call("list_logs", { limit: 3 });
must(before.result.length === 3 && before.next_cursor, "a page of logs");
await first.ping();
await first.close();
const second = await connect();
const logs = (await second.callTool({ name: "list_logs", arguments: { limit: 3 } })).structuredContent;
must(JSON.stringify(logs.result) === JSON.stringify(before.result), "the logs outlive the process");
await second.close();
console.log("v1 ok", second.getServerVersion().name);
