// The types of answers.ts hold each field of real answers: literals of them are compiled strictly, so that a field that is
// not declared, or one that is declared and missing, is an error. And routes.ts is what the program's own table says.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {connect, isAnimaError} from '@anima/memory';

import {routesOf} from '../generate.mjs';
import {root, served} from './serving.mjs';

const modules = process.env.ANIMA_PAGE_MODULES;
let house;
before(async () => {
  house = await served();
});
after(() => house?.stop());

async function ask(method, path, body) {
  const headers = {Authorization: `Bearer ${house.token}`, ...(body ? {'Content-Type': 'application/json'} : {})};
  const answer = await fetch(house.url + path, {method, headers, ...(body ? {body: JSON.stringify(body)} : {})});
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${text}`);
  return JSON.parse(text);
}

test('routes.ts is what the program says', async () => {
  const openapi = await ask('GET', '/openapi.json');
  assert.equal(readFileSync(root + 'bindings/typescript/src/routes.ts', 'utf8'), routesOf(openapi), 'node bindings/typescript/generate.mjs OPENAPI.json writes it');
});

async function answers() {
  const told = [];
  const take = async (name, ...given) => {
    const answer = await ask(...given);
    told.push([name, answer]);
    return answer;
  };
  const first = await take('remember', 'POST', '/v1/memories', {text: 'Ada works at Initech'});
  await take('remember', 'POST', '/v1/memories', {text: 'Ada works at Initech'});
  await take('remember', 'POST', '/v1/memories', {text: 'The tide is high at nine.'});
  await take('remember', 'POST', '/v1/memories', {text: 'x'.repeat(20000)});
  await take('remember', 'POST', '/v1/memories', {text: 'my password is hunter2', speaker: 'Ann'});
  await take('listMemories', 'GET', '/v1/memories?limit=1&speaker=Ann');
  await take('recall', 'POST', '/v1/recall', {question: 'What is the password?', speaker: 'Ann'});
  await take('ask', 'POST', '/v1/ask', {question: "What's my password?", speaker: 'Ann'});
  await take('remember', 'POST', '/v1/memories', {text: 'I work for Free', speaker: 'Ann'});
  await take('listMemories', 'GET', '/v1/memories?limit=1');
  await take('listMemories', 'GET', '/v1/memories?query=Ada');
  await take('showMemory', 'GET', `/v1/memories/${first.id}`);
  const asked = await take('remember', 'POST', '/v1/memories', {text: 'Ada works for Free'});
  await take('listQuestions', 'GET', '/v1/questions');
  await take('answerQuestion', 'POST', `/v1/questions/${asked.question}`, {answer: 'no'});
  await take('listQuestions', 'GET', '/v1/questions');
  await take('recall', 'POST', '/v1/recall', {question: 'Where does Ada work?'});
  await take('recall', 'POST', '/v1/recall', {question: 'Who is nobody?'});
  for (const question of ['Where does Ada work?', 'Which services run on borea?', 'Which hosts have more than 900 ram_gb?', 'Which zorks run on atlas?', 'How many hosts are there?', 'Does db run on borea?'])
    await take('ask', 'POST', '/v1/ask', {question});
  await take('why', 'POST', '/v1/why', {about: 'db runs_on', steps: true});
  await take('why', 'POST', '/v1/why', {about: 'Ada works_at Initech', steps: true});
  await take('kip', 'POST', '/v1/kip', {command: 'UPSERT { CONCEPT { {type: "Person", name: "Bo"} } }'});
  await take('kipReadonly', 'POST', '/v1/kip/readonly', {command: 'FIND(?h) WHERE { ?h {type: "Host"} } LIMIT 1'});
  await take('me', 'GET', '/v1/me');
  await take('things', 'GET', '/v1/things?limit=1');
  await take('things', 'GET', '/v1/things?query=borae');
  for (const name of ['borea', 'Ada']) await take('facts', 'GET', `/v1/facts?about=${name}`);
  await take('history', 'GET', '/v1/history?about=Ada');
  await take('entry', 'GET', '/v1/entries/3');
  await take('changes', 'GET', '/v1/changes?since=1');
  await take('statistics', 'GET', '/v1/statistics');
  await take('sleepCycles', 'GET', '/v1/sleep');
  await take('runs', 'GET', '/v1/runs');
  await take('undo', 'POST', '/v1/undo', {entries: 'last', dry_run: true});
  await take('undo', 'POST', '/v1/undo', {entries: 'last'});
  const next = await take('updateMemory', 'PATCH', `/v1/memories/${first.id}`, {text: 'Ada works at Globex'});
  await take('forgetMemory', 'DELETE', `/v1/memories/${next.id}?dry_run=true`);
  await take('forgetMemory', 'DELETE', `/v1/memories/${next.id}`);
  return told;
}

test('answers have the fields of their types, and no others', async () => {
  const told = await answers();
  // A call of this token that waits.
  mkdirSync(join(house.space, 'policy'), {recursive: true});
  writeFileSync(join(house.space, 'policy', 'own.mg'), 'ask(Call, "the owner looks first") :- call(Call, "http:remember", _, _).\n');
  const memory = await connect(house.url, house.token);
  const waits = await memory.remember('Bo works at Initech').catch((error) => error);
  assert.ok(isAnimaError(waits, 'waiting') && waits.status === 403);
  assert.equal((await memory.approval(waits.approvalId)).tool, 'http:remember');
  writeFileSync(join(house.space, 'policy', 'own.mg'), 'deny(Call, "no questions") :- call(Call, "http:ask", _, _).\n');
  const refused = await memory.ask('Who is Bo?').catch((error) => error);
  assert.ok(isAnimaError(refused, 'denied') && refused.refusalId);
  assert.equal((await memory.whyRefused(refused.refusalId)).id, refused.refusalId);
  const waiting = await ask('GET', '/v1/approvals');
  told.push(['listApprovals', waiting], ['showApproval', await ask('GET', `/v1/approvals/${waiting.approvals[0].id}`)]);
  const file = join(house.folder, 'answers.ts');
  const lines = told.map(([name, answer], place) => `export const a${place}: Answers['${name}'] = ${JSON.stringify(answer)};`);
  writeFileSync(file, `import type {Answers} from '${root}bindings/typescript/src/answers';\n${lines.join('\n')}\n`);
  const compile = () =>
    spawnSync(process.execPath, [modules + '/typescript/bin/tsc', '--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom', '--types', '', '--exactOptionalPropertyTypes', file], {encoding: 'utf8'});
  const ran = compile();
  assert.equal(ran.status, 0, ran.stdout);
  writeFileSync(file, `import type {Answers} from '${root}bindings/typescript/src/answers';\nexport const a: Answers['me'] = ${JSON.stringify({...told.find(([name]) => name === 'me')[1], more: 1})};\n`);
  assert.notEqual(compile().status, 0, 'a field that is not declared must be an error');
});
