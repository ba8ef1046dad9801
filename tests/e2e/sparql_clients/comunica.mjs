// Comunica against a running endpoint: node comunica.mjs ANIMA SPACE. Prints "comunica ok" or throws.
import assert from 'node:assert';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';

import {QueryEngine} from '@comunica/query-sparql';

const [anima, space] = process.argv.slice(2);
const made = execFileSync(anima, ['--space', space, 'serve', 'token', 'add', 'comunica', '--json']);
const token = JSON.parse(made.toString()).token;
const withToken = (url, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${token}`);
  return fetch(url, {...init, headers});
};
const server = spawn(anima, ['--space', space, 'serve', '--sparql', '--log', 'off', '--listen', '127.0.0.1:0',
                      '--json'],
                     {stdio: ['ignore', 'pipe', 'inherit']});
try {
  const [line] = await once(createInterface({input: server.stdout}), 'line');
  const endpoint = JSON.parse(line).sparql;
  const engine = new QueryEngine();
  const at = {sources: [{type: 'sparql', value: endpoint}], destination: {type: 'sparql', value: endpoint},
              fetch: withToken};

  await engine.queryVoid(`PREFIX e: <http://example.org/> INSERT DATA {
    e:ada e:name "Ada"@en ; e:born "1815-12-10"^^<http://www.w3.org/2001/XMLSchema#date> ; e:knows e:babbage .
    e:babbage e:name "Charles" . GRAPH e:g { e:ada e:seen true } }`, at);
  const bindings = await engine.queryBindings(
      `SELECT ?who ?name WHERE { ?ada <http://example.org/knows> ?who . ?who <http://example.org/name> ?name }`, at);
  const rows = (await bindings.toArray()).map((row) => [row.get('who').value, row.get('name').value]);
  assert.deepStrictEqual(rows, [['http://example.org/babbage', 'Charles']]);

  assert.strictEqual(await engine.queryBoolean('ASK { GRAPH ?g { ?s ?p true } }', at), true);
  const quads = await (await engine.queryQuads('CONSTRUCT WHERE { ?s <http://example.org/name> ?o }', at)).toArray();
  assert.deepStrictEqual(quads.map((quad) => quad.object.value).sort(), ['Ada', 'Charles']);
  assert.strictEqual(quads.find((quad) => quad.object.value === 'Ada').object.language, 'en');

  await engine.queryVoid('DELETE WHERE { <http://example.org/ada> ?p ?o }', at);
  const left = await engine.queryBindings('SELECT (COUNT(*) AS ?n) WHERE { <http://example.org/ada> ?p ?o }', at);
  assert.strictEqual((await left.toArray())[0].get('n').value, '0');
} finally {
  server.kill('SIGTERM');
  const [code] = await once(server, 'exit');
  assert.strictEqual(code, 0);
}
console.log('comunica ok');
