// The conformance suite of MCP (npm @modelcontextprotocol/conformance) against `anima serve`: each
// scenario for a server, in each version of the protocol that it is for.
//   node conformance.mjs ANIMA SPACE
//
// A scenario must pass, but where it needs what the server does not announce: a capability or an
// extension, or a tool, prompt or resource that is a fixture of the suite's own test server. That
// is looked up in what the server lists, so a scenario counts as soon as its need is there. Fixtures
// of which the server has the like are asked by that name (kAliases).
import { spawn, execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [anima, space] = process.argv.slice(2);
const kSuite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
// A query that takes longer than three reports of progress, until the time of the server ends it.
const kMany = Array.from({ length: 250 }, (_, i) => `CONCEPT { {type: "Domain", name: "d${i}"} }`);
const kLong = 'FIND(COUNT(?a)) WHERE { ?a {type: "Domain"} ?b {type: "Domain"} ?c {type: "Domain"} ' +
  '?d {type: "Domain"} FILTER(?a.name != ?b.name && ?c.name != ?d.name) }';
const kAliases = {
  test_simple_text: { name: 'list_memories', arguments: {} },
  test_error_handling: { name: 'why', arguments: {} },
  test_tool_with_progress: { name: 'execute_kip_readonly', arguments: { command: kLong } },
  test_simple_prompt: { name: 'kip_bootstrap' },
  'test://static-text': { uri: 'kip://docs/KIP.md' },
};
// By the names of scenarios: what the server must announce.
const kNeeds = {
  'logging-set-level': 'logging',
  'completion-complete': 'completions',
  'resources-subscribe': 'subscribe',
  'resources-unsubscribe': 'subscribe',
  'tools-call-image': 'test_image_content',
  'tools-call-audio': 'test_audio_content',
  'tools-call-embedded-resource': 'test_embedded_resource',
  'tools-call-mixed-content': 'test_multiple_content_types',
  'tools-call-with-logging': 'test_tool_with_logging',
  'tools-call-sampling': 'test_sampling',
  'tools-call-elicitation': 'test_elicitation',
  'elicitation-sep1034-defaults': 'test_elicitation_sep1034_defaults',
  'elicitation-sep1330-enums': 'test_elicitation_sep1330_enums',
  'json-schema-2020-12': 'json_schema_2020_12_tool',
  'server-sse-polling': 'test_reconnection',
  'resources-read-binary': 'test://static-binary',
  'resources-templates-read': 'test://template/{id}/data',
  'prompts-get-with-args': 'test_prompt_with_arguments',
  'prompts-get-embedded-resource': 'test_prompt_with_embedded_resource',
  'prompts-get-with-image': 'test_prompt_with_image',
  'http-custom-header-server-validation': 'test_custom_headers',
  'input-required-result-non-tool-request': 'test_input_required_result_prompt',
};
// And by how they begin.
const kFamilies = {
  'input-required-result-': 'test_input_required_result_elicitation',
};

const run = (file, args, env = {}) =>
  new Promise((resolve) =>
    execFile(file, args, { env: { ...process.env, ...env }, maxBuffer: 1 << 26 },
      (error, out, err) => resolve({ code: error?.code ?? 0, out, err })));

const token = (await run(anima, ['--space', space, 'serve', 'token', 'add', 'conformance'])).out.trim();
const server = spawn(anima,
  ['--space', space, 'serve', '--listen', '127.0.0.1:0', '--timeout', '4', '--log', 'off', '--json'],
  { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((resolve, reject) => {
  let out = '';
  server.stdout.on('data', (piece) => {
    out += piece;
    try { resolve(JSON.parse(out).mcp); } catch { /* not whole yet */ }
  });
  server.on('exit', () => reject(new Error('the server ended')));
});
process.on('exit', () => server.kill('SIGKILL'));

// What the server announces.
async function rpc(method, params, session) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json',
      authorization: `Bearer ${token}`, ...(session && { 'mcp-session-id': session }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return { result: (await answer.json()).result, session: answer.headers.get('mcp-session-id') };
}
const begun = await rpc('initialize',
  { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'look', version: '1' } });
const listed = async (method, member, name) =>
  (await rpc(method, {}, begun.session)).result[member].map((each) => each[name]);
const announced = new Set([
  ...Object.entries(begun.result.capabilities).flatMap(([name, said]) => [name, ...Object.keys(said)]),
  ...await listed('tools/list', 'tools', 'name'),
  ...await listed('prompts/list', 'prompts', 'name'),
  ...await listed('resources/list', 'resources', 'uri'),
  ...await listed('resources/templates/list', 'resourceTemplates', 'uriTemplate'),
]);

await fetch(new URL('/v1/kip', url), {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  body: JSON.stringify({ command: `UPSERT { ${kMany.join(' ')} }` }),
});

// What the scenario, or one check of it, needs and the server has not; or undefined.
function lacks(scenario, check) {
  const named = check.errorMessage?.match(/does not list the diagnostic tool '(test_\w+)'/)?.[1];
  const family = Object.keys(kFamilies).find((each) => scenario.startsWith(each));
  const wanted = kNeeds[scenario] ?? named ?? kFamilies[family];
  return wanted !== undefined && !announced.has(wanted) ? wanted : undefined;
}

async function play(version, scenario) {
  const into = mkdtempSync(join(tmpdir(), 'conformance-'));
  const made = await run(process.execPath,
    ['--import', './conformance_wire.mjs', kSuite, 'server', '--url', url, '--scenario', scenario,
      '--spec-version', version, '-o', into],
    { CONFORMANCE_TOKEN: token, CONFORMANCE_ALIASES: JSON.stringify(kAliases) });
  const folder = readdirSync(into)[0];
  if (folder === undefined) return { faults: [`the suite did not run: ${made.out}${made.err}`] };
  const checks = JSON.parse(readFileSync(join(into, folder, 'checks.json'), 'utf8'));
  rmSync(into, { recursive: true });
  const result = { faults: [], missing: new Set(), good: 0 };
  for (const check of checks) {
    const missing = lacks(scenario, check);
    if (check.status === 'SUCCESS') ++result.good;
    else if (check.status === 'INFO' || check.status === 'SKIPPED') continue;
    else if (missing !== undefined) result.missing.add(missing);
    else result.faults.push(`${check.id}: ${check.status} ${check.errorMessage}`);
  }
  return result;
}

const list = (await run(process.execPath, [kSuite, 'list', '--server'])).out;
const versions = {};
for (const [, scenario, of] of list.matchAll(/^ +- (\S+) \[(.*)\]$/gm)) {
  for (const version of of.split(',')) (versions[version] ??= []).push(scenario);
}
let failed = 0;
for (const [version, scenarios] of Object.entries(versions).sort()) {
  if (version === 'extension') continue;
  const waiting = [...scenarios];
  let passed = 0, in_part = 0;
  const left_out = [];
  await Promise.all([1, 2, 3].map(async () => {
    for (let scenario; (scenario = waiting.shift()) !== undefined;) {
      const { faults, missing, good } = await play(version, scenario);
      for (const fault of faults) console.log(`${version} ${scenario} ${fault}`);
      if (faults.length > 0) ++failed;
      else if (missing.size === 0) ++passed;
      else if (good > 1) ++in_part;
      if (missing?.size > 0) left_out.push(`${scenario} (${[...missing].join(', ')})`);
    }
  }));
  console.log(`${version}: ${passed} of ${scenarios.length} pass, ${in_part} in part`);
  if (process.env.CONFORMANCE_SHOW) console.log(left_out.sort().join('\n'));
}
server.kill('SIGTERM');
await new Promise((resolve) => server.on('exit', resolve));
console.log(failed === 0 ? 'conformance ok' : `conformance failed ${failed}`);
