// The blocks of docs/typescript.md, compiled strictly and run in order as one program; "//> text" is what a line prints.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {anima, homelab, root, serve} from './serving.mjs';

const modules = process.env.ANIMA_PAGE_MODULES;

test('the page says what is so', async () => {
  const page = readFileSync(root + 'docs/typescript.md', 'utf8');
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block);
  assert.ok(blocks.length >= 6);
  const program = blocks.join('\n');
  const expected = program.split('\n').flatMap((line) => line.split('//>').slice(1).map((text) => text.trim()));
  const work = fileURLToPath(new URL('..', import.meta.url));
  const file = join(work, 'page.ts');
  const head = 'declare const process: {argv: string[]; exit(code: number): never};\nconst [, , url = "", token = "", folder = ""] = process.argv;\n';
  // Imports of the page stand in the middle of it.
  writeFileSync(file, `${head}${program}\nprocess.exit(0);\n`);
  const given = ['--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.asynciterable', '--types', ''];
  const built = spawnSync(process.execPath, [modules + '/typescript/bin/tsc', ...given, '--outDir', join(work, 'out'), file], {encoding: 'utf8'});
  assert.equal(built.status, 0, built.stdout);
  writeFileSync(join(work, 'package.json'), '{"type": "module"}');

  const {space, remove} = homelab();
  const key = anima(space, 'serve', 'token', 'add', 'laptop').split('\n')[0];
  const servers = [await serve(space, '--listen', '127.0.0.1:0'), await serve(space)];
  try {
    const ran = spawnSync(process.execPath, [join(work, 'out', 'page.js'), servers[0].url, key, space], {encoding: 'utf8', timeout: 120_000});
    assert.deepEqual(ran.stdout.trim().split('\n'), expected, ran.stderr);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    remove();
  }
});
