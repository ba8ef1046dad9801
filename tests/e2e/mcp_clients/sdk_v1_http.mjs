// The session through @modelcontextprotocol/sdk over streamable HTTP: its own transport, with progress, a call
// that is taken back, the stream of the server, and the end of the session.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { session } from "./session.mjs";
const [url, token] = process.argv.slice(2);
const connect = async (headers) => {
  const client = new Client({ name: "anima-test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return { client, transport };
};
const known = { Authorization: `Bearer ${token}` };
const { client, transport } = await connect(known);
const { must } = await session(client);
must(transport.sessionId?.length === 32, "a session");
await client.ping();
// A call that would run for long tells that it runs, and is taken back then.
const many = Array.from({ length: 250 }, (_, i) => `CONCEPT { {type: "Domain", name: "d${i}"} }`).join(" ");
await client.callTool({ name: "execute_kip", arguments: { command: `UPSERT { ${many} }` } });
const every = ["a", "b", "c", "d"].map((v) => `?${v} {type: "Domain"}`).join(" ");
const told = [];
const abort = new AbortController();
const begun = Date.now();
const taken = client.callTool(
  { name: "execute_kip_readonly", arguments: { command: `FIND(COUNT(?a)) WHERE { ${every} FILTER(?a.name != ?d.name) }` } },
  undefined,
  { signal: abort.signal, onprogress: (progress) => { told.push(progress.progress); abort.abort("enough"); } });
must(await taken.then(() => false, () => true), "taken back");
must(told.length === 1 && told[0] === 1, "progress: " + told);
must(Date.now() - begun < 20_000, "at once");
await client.ping();
// Another session of the same client does not see this one's, and ends by itself.
const other = await connect(known);
must(other.transport.sessionId !== transport.sessionId, "another session");
await other.transport.terminateSession();
must(await other.client.ping().then(() => false, () => true), "an ended session is gone");
must(await connect({}).then(() => false, () => true), "nobody comes in without a token");
await client.ping();
await transport.terminateSession();
await client.close();
await other.client.close();
console.log("v1 over http ok", client.getServerVersion().name);
process.exit(0);
