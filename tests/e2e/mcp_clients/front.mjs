// `anima mcp --front` through @modelcontextprotocol/sdk: the tools of a server of others, each call judged, and a
// question to the person at the client, who says yes once and no once.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { existsSync } from "node:fs";
const [anima, space, notes] = process.argv.slice(2);
const must = (good, what) => {
  if (good) return;
  console.log("failed: " + what);
  process.exit(1);
};
const connect = async (capabilities) => {
  const client = new Client({ name: "anima-test", version: "1" }, { capabilities });
  await client.connect(new StdioClientTransport({ command: anima, args: ["mcp", "--front", "files", "--space", space] }));
  return client;
};
const write = (client, name) =>
  client.callTool({ name: "write_file", arguments: { path: `${notes}/${name}`, content: "hello" } });

const mute = await connect({});
const names = (await mute.listTools()).tools.map((tool) => tool.name);
must(names.includes("read_text_file") && names.includes("write_file"), "the server's own names: " + names);
const read = await mute.callTool({ name: "read_text_file", arguments: { path: `${notes}/a.txt` } });
must(read.content[0].text === "the tide is high at nine", "reading");
must(read.structuredContent.content === "the tide is high at nine", "structured content");
const waits = await write(mute, "unasked.txt");
must(waits.isError && waits.content[0].text.includes("anima approve grant"), "how to approve: " + JSON.stringify(waits));
must(!existsSync(`${notes}/unasked.txt`), "nothing is written unasked");
await mute.close();

const client = await connect({ elicitation: {} });
let says = { action: "accept", content: { allow: true } };
let asked = "";
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  asked = request.params.message;
  return says;
});
const done = await write(client, "allowed.txt");
must(!done.isError && existsSync(`${notes}/allowed.txt`), "written when allowed: " + JSON.stringify(done));
must(asked.includes("files:write_file") && asked.includes("allowed.txt"), "the question shows the call: " + asked);
says = { action: "decline" };
const refused = await write(client, "declined.txt");
must(refused.isError && !existsSync(`${notes}/declined.txt`), "not written when declined");
await client.close();
console.log("front ok");
process.exit(0);
