// The package as npm packs it, its command, and its types as a program sees them.
import assert from 'node:assert/strict';
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {program, root, temporary} from './serving.mjs';

const packed = dirname(fileURLToPath(import.meta.resolve ? import.meta.resolve('@anima/memory/package.json') : new URL('../node_modules/@anima/memory/package.json', import.meta.url)));
const folder = temporary();
after(() => rmSync(folder, {recursive: true, force: true}));

test('npm packs what a program needs, and nothing else', () => {
  const [told] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--offline', '--ignore-scripts'], {cwd: packed, encoding: 'utf8', env: {...process.env, HOME: folder}}));
  const files = told.files.map((file) => file.path).sort();
  assert.ok(['LICENSE', 'NOTICE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts', 'dist/node.js', 'dist/program.js'].every((file) => files.includes(file)), files.join(' '));
  assert.deepEqual(files.filter((file) => !/^(dist\/\w+\.(js|d\.ts)|LICENSE|NOTICE|README\.md|package\.json)$/.test(file)), []);
  const [, version] = /^project\(anima VERSION ([0-9.]+)/m.exec(readFileSync(root + 'CMakeLists.txt', 'utf8'));
  assert.deepEqual([told.name, told.version], ['@anima/memory', version]);
  assert.ok(told.size < 100_000, `${told.size} bytes`);
  assert.equal(JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')).dependencies, undefined);
});

// The package for the platform as npm lays it beside this one, with the program of this build.
const platform = `@anima/memory-${process.platform}-${process.arch}`;
function withPlatform(work) {
  const beside = join(dirname(packed), basename(platform));
  mkdirSync(join(beside, 'bin'), {recursive: true});
  writeFileSync(join(beside, 'package.json'), JSON.stringify({name: platform, version: '0.0.0'}));
  symlinkSync(program, join(beside, 'bin/anima'));
  return work(join(beside, 'bin/anima')).finally(() => rmSync(beside, {recursive: true}));
}

test('the package for a platform is an optional peer of the same version, so that none is fetched unasked', () => {
  const {version, optionalDependencies, peerDependencies, peerDependenciesMeta} = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
  assert.equal(optionalDependencies, undefined);
  assert.deepEqual(peerDependencies, {'@anima/memory-linux-x64': version});
  assert.deepEqual(peerDependenciesMeta, {'@anima/memory-linux-x64': {optional: true}});
});

test('what is no mcp-config is done by the program, with its streams and its end', async () => {
  const none = run(['ask', 'x'], '/nonexistent');
  assert.deepEqual([none.status, none.stdout], [2, '']);
  assert.match(none.stderr, /neither the package @anima\/memory-\S+ is installed nor/);
  await withPlatform(async (own) => {
    assert.match(run(['--version'], '/nonexistent').stdout, /^anima \d/);
    assert.equal(run(['nonsense'], '/nonexistent').status, 2);
    assert.equal(JSON.parse(run(['mcp-config', 'cursor'], '/nonexistent').stdout).mcpServers.memory.command, own);
    const space = join(folder, 'piped');
    const environment = {PATH: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent'};
    assert.equal(spawnSync(process.execPath, [join(packed, 'dist/program.js'), '--space', space, 'init'], {env: environment}).status, 0);
    const piped = spawnSync(process.execPath, [join(packed, 'dist/program.js'), '--space', space, 'kip'], {encoding: 'utf8', env: environment, input: 'FIND(COUNT(?t)) WHERE { ?t {type: "$ConceptType"} }'});
    assert.equal(piped.status, 0, piped.stderr);
    // A client of MCP ends its server by a signal.
    const server = spawn(process.execPath, [join(packed, 'dist/program.js'), '--space', space, 'serve', '--json', '--log', 'off'], {env: environment, stdio: ['ignore', 'pipe', 'inherit']});
    await new Promise((done) => server.stdout.once('data', done));
    const ended = new Promise((done) => server.once('exit', (code, signal) => done([code, signal])));
    server.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });
});

function run(given, path) {
  return spawnSync(process.execPath, [join(packed, 'dist/program.js'), ...given], {encoding: 'utf8', env: {PATH: path}});
}

test('mcp-config names the program on the PATH', () => {
  const bin = join(folder, 'a bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'anima'), '#!/bin/sh\n');
  chmodSync(join(bin, 'anima'), 0o755);
  const own = join(bin, 'anima');
  assert.equal(run(['mcp-config', 'claude-code', '--space', '/home/ada/space'], bin).stdout, `claude mcp add memory -- '${own}' mcp --space /home/ada/space\n`);
  for (const client of ['cursor', 'claude-desktop'])
    assert.deepEqual(JSON.parse(run(['mcp-config', client], `/nonexistent:${bin}`).stdout), {mcpServers: {memory: {command: own, args: ['mcp']}}});
  assert.equal(
    run(['mcp-config', 'goose', '--space', '/s'], bin).stdout,
    `extensions:\n  memory: {type: stdio, enabled: true, cmd: "${own}", args: ["mcp","--space","/s"], timeout: 300}\n`,
  );
  assert.match(run(['mcp-config', 'cursor', '--space', join(folder, 'typo')], bin).stderr, /no space in .*typo yet/);
  assert.equal(run(['mcp-config', 'cursor', '--space', folder], bin).stderr, '');
  const missing = run(['mcp-config', 'cursor'], '/nonexistent');
  assert.deepEqual([missing.status, missing.stdout], [2, '']);
  assert.match(missing.stderr, /nor the program .anima. on the PATH/);
  assert.equal(JSON.parse(run(['mcp-config', 'cursor', '--program', program], '').stdout).mcpServers.memory.command, program);
  for (const wrong of [['mcp-config'], ['mcp-config', 'emacs'], ['mcp-config', 'constructor'], ['mcp-config', 'cursor', '--x', 'y'], ['mcp-config', 'cursor', '--space'], ['mcp-config', 'cursor', '--program', join(packed, 'LICENSE')]])
    assert.equal(run(wrong, bin).status, 2, wrong.join(' '));
  assert.equal(run(['mcp-config', '--help'], bin).status, 0);
});

test('its types as a strict program sees them', () => {
  const modules = process.env.ANIMA_PAGE_MODULES;
  const use = join(dirname(dirname(dirname(packed))), 'use.ts');
  writeFileSync(
    use,
    `import {connect, isAnimaError, type Answer, type Change, type Term} from '@anima/memory';
export async function use(): Promise<void> {
  const memory = await connect('http://127.0.0.1:1', 't', {timeout: 5});
  const rows = await memory.find<{name: string; ram_gb: number}>('FIND(..)');
  const total: number = rows.reduce((sum, row) => sum + row.ram_gb, 0);
  const answer: Answer = await memory.ask('x', {signal: AbortSignal.timeout(total)});
  if (answer.status === 'not_understood') console.log(answer.unknown.join());
  const sparql = await memory.sparql('ASK {}');
  if (sparql.form === 'truth') { const truth: boolean = sparql.truth; console.log(truth); }
  else if (sparql.form === 'rows') { const term: Term | undefined = sparql.rows[0]?.['x']; if (term?.type === 'literal') console.log(term.datatype); }
  for await (const change of memory.changes()) { const one: Change = change; if (one.type === 'change') console.log(one.added); }
  for await (const item of memory.memories()) console.log(item.text.length);
  const [step] = (await memory.why('x')).proof;
  if (step?.given) console.log(step.asserted);
  try { await memory.me(); } catch (error) { if (isAnimaError(error, 'denied')) console.log(error.hint); }
  // @ts-expect-error there is no such option
  await memory.ask('x', {sesion: 'x'});
  // @ts-expect-error a text is a string
  await memory.remember(5);
}
`,
  );
  for (const how of [['esnext', 'bundler'], ['nodenext', 'nodenext']]) {
    const ran = spawnSync(process.execPath, [modules + '/typescript/bin/tsc', '--noEmit', '--strict', '--target', 'es2022', '--module', how[0], '--moduleResolution', how[1], '--lib', 'es2022,dom,dom.asynciterable', '--types', '', use], {encoding: 'utf8'});
    assert.equal(ran.status, 0, how + ran.stdout);
  }
});
