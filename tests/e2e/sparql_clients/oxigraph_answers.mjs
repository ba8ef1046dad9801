// What Oxigraph answers: node oxigraph_answers.mjs CASES ANSWERS. A line of CASES is {"quads": N-Quads, "queries": [..]};
// the line of ANSWERS is a list of texts: TSV of rows, "true" or "false", N-Triples, or "! " with an error.
import {createReadStream, createWriteStream} from 'node:fs';
import {once} from 'node:events';
import {createInterface} from 'node:readline';

import oxigraph from 'oxigraph';

const [cases, answers] = process.argv.slice(2);
const out = createWriteStream(answers);

function answer(store, query) {
  try {
    if (/\bASK\b/.test(query)) return String(store.query(query));
    return store.query(query, {results_format: /\bCONSTRUCT\b/.test(query) ? 'nt' : 'tsv'});
  } catch (error) {
    return `! ${error}`;
  }
}

for await (const line of createInterface({input: createReadStream(cases)})) {
  const {quads, queries} = JSON.parse(line);
  // Adding keeps the labels of blank nodes; loading would rename them.
  const store = new oxigraph.Store(oxigraph.parse(quads, {format: 'application/n-quads'}));
  if (!out.write(JSON.stringify(queries.map((query) => answer(store, query))) + '\n')) await once(out, 'drain');
}
out.end();
await once(out, 'finish');
