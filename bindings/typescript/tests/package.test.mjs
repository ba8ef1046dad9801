// The package as npm packs it, its command, and its types as a program sees them.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
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
  const missing = run(['mcp-config', 'cursor'], '/nonexistent');
  assert.deepEqual([missing.status, missing.stdout], [2, '']);
  assert.match(missing.stderr, /not on the PATH.*does not carry it/s);
  assert.equal(JSON.parse(run(['mcp-config', 'cursor', '--program', program], '').stdout).mcpServers.memory.command, program);
  for (const wrong of [[], ['mcp-config'], ['mcp-config', 'emacs'], ['mcp-config', 'constructor'], ['mcp-config', 'cursor', '--x', 'y'], ['mcp-config', 'cursor', '--space'], ['mcp-config', 'cursor', '--program', join(packed, 'LICENSE')]])
    assert.equal(run(wrong, bin).status, 2, wrong.join(' '));
  assert.equal(run(['--help'], bin).status, 0);
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
