// A memory behind `anima serve`.
import type {
  Answer,
  Answers,
  Approval,
  ApprovalStatement,
  Caller,
  Decided,
  Difference,
  Entry,
  Facts,
  History,
  Forgotten,
  MemoryItem,
  OpenQuestion,
  Proof,
  Recalled,
  Remembered,
  Run,
  RunTold,
  SeenMemory,
  SparqlAnswer,
  SparqlChange,
  Statistics,
  Term,
  Thing,
  Trust,
  Undone,
  Updated,
} from './answers.js';
import {Changes} from './changes.js';
import {AnimaError, kipError, type KipFault} from './errors.js';
import {parseJson, type Json, type JsonInput, type JsonObject} from './json.js';
import {asks, numberOf, takes, textOf, wordsOf, writes} from './options.js';
import {Pages} from './pages.js';
import {paths, type Parameters} from './routes.js';
import {rowsOf, type Row} from './rows.js';
import {Transport, writeHeaders, type CallOptions, type Fetch, type WriteOptions} from './transport.js';

/** An earlier state: the number of a log entry, a time, or "yesterday", "2 hours ago". */
export type Point = number | string | Date;
export interface PastOptions extends CallOptions {
  asOf?: Point | undefined;
}
export interface ConnectOptions {
  /** Milliseconds that each call may take unless it says otherwise; 60,000 unless said here. 0: no limit. */
  timeout?: number | undefined;
  /** In place of the fetch that there is (`socketFetch` of `@anima/memory/node`). */
  fetch?: Fetch | undefined;
}
export type KipParameters = Readonly<Record<string, JsonInput>>;

function pointOf(point: Point): string {
  if (point instanceof Date) {
    if (Number.isNaN(point.getTime())) throw new AnimaError('invalid_argument', 'this Date is none', {hint: 'new Date() could not read its text'});
    return point.toISOString();
  }
  return typeof point === 'number' ? String(numberOf(point, 'the entry of an earlier state')) : wordsOf(point, 'an earlier state');
}

type Route = keyof Parameters & keyof Answers;

function targetOf<Name extends Route>(name: Name, query: Parameters[Name]['query'], id: string | number): string {
  const said = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined && !(key === 'cursor' && value === '')) said.append(key, textOf(String(value), key));
  return paths[name].replace('{id}', () => encodeURIComponent(typeof id === 'number' ? id : wordsOf(id, 'an id'))) + (`?${said}`.replace(/^\?$/, ''));
}

const pastOf = (options: PastOptions): string | undefined => (options.asOf === undefined ? undefined : pointOf(options.asOf));

/**
 * Connects to `anima serve` at a loopback address, with what `anima serve token add` printed. It asks the server who the
 * caller is, so that a wrong address or token is an error here.
 *
 * Errors: io (it cannot be reached), denied (the token), unsupported (another machine: a token goes nowhere in the clear).
 */
export async function connect(url: string, token?: string, options: ConnectOptions = {}): Promise<Memory> {
  const memory = new Memory(url, token, options);
  const {name, trust} = ((await memory.me()) as Partial<Caller> | null) ?? {};
  if (typeof name !== 'string' || typeof trust !== 'string') {
    throw new AnimaError('io', 'the server does not answer as `anima serve` does', {hint: 'is it another server?'});
  }
  return memory;
}

/** A memory behind `anima serve`; `connect` makes one. Each method is a route of docs/serve.md. */
export class Memory {
  readonly #transport: Transport;

  /** Without asking the server. */
  constructor(url: string, token?: string, options: ConnectOptions = {}) {
    takes(options, 'timeout', 'fetch');
    this.#transport = new Transport(url, token, options.fetch, options.timeout);
  }

  get url(): string {
    return this.#transport.url;
  }

  // Answers have the types that the tests hold to real ones.
  async #get<Name extends Route>(name: Name, query: Parameters[Name]['query'], options: CallOptions, id: string | number = ''): Promise<Answers[Name]> {
    return (await this.#transport.json({method: 'GET', target: targetOf(name, query, id)}, options)) as unknown as Answers[Name];
  }

  async #send<Name extends Route>(
    name: Name,
    body: Parameters[Name]['body'],
    options: WriteOptions,
    {id = '', etag = '', query = {}, method = 'POST'}: {id?: string; etag?: string | undefined; query?: Parameters[Name]['query']; method?: string} = {},
  ): Promise<Answers[Name]> {
    return (await this.#transport.post(method, targetOf(name, query, id), body, options, writeHeaders(options, etag))) as unknown as Answers[Name];
  }

  // --- tell and ask

  /** Runs KIP that tells or asks, and gives its result. Errors: those of KIP, whose code is `error.kip`. */
  async kip(command: string, parameters?: KipParameters, options: WriteOptions = {}): Promise<Json> {
    return resultOf(await this.executeKip({command: wordsOf(command, 'a command'), parameters}, options));
  }

  /** A whole execute_kip request; what is wrong stands in its answer, under "error". */
  async executeKip(request: Parameters['kip']['body'], options: WriteOptions = {}): Promise<JsonObject> {
    return this.#send('kip', request, writes(options));
  }

  /** The same for what only reads. */
  async executeKipReadonly(request: Parameters['kipReadonly']['body'], options: PastOptions = {}): Promise<JsonObject> {
    return this.#send('kipReadonly', request, asks(options, 'asOf'), {query: {as_of: pastOf(options)}});
  }

  /** A KIP query as records: `find<{name: string; ram_gb: number}>('FIND(?h.name, ?h.attributes.ram_gb) ...')`. */
  async find<R extends object = Row>(
    query: string,
    parameters?: KipParameters,
    options: PastOptions & {validAt?: string | Date; minTrust?: Trust} = {},
  ): Promise<R[]> {
    const {validAt, minTrust, ...rest} = asks(options, 'asOf', 'validAt', 'minTrust');
    const request = {
      command: wordsOf(query, 'a query'),
      parameters,
      shape: 'rows',
      valid_at: validAt === undefined ? undefined : pointOf(validAt),
      min_trust: minTrust,
    };
    const result = resultOf(await this.executeKipReadonly(request, rest));
    if (isSeveral(result)) {
      throw new AnimaError('invalid_argument', `the text holds ${result.length} commands, and find() gives the rows of one`, {hint: 'kip() gives the results of several'});
    }
    return rowsOf(result) as R[];
  }

  /** What a query would answer if a change were made, which it is not. */
  async whatIf<R extends object = Row>(change: string, query: string, parameters?: KipParameters, options: CallOptions = {}): Promise<R[]> {
    asks(options);
    const told = resultOf(await this.executeKip({commands: [wordsOf(change, 'a change'), wordsOf(query, 'a query')], parameters, dry_run: true, shape: 'rows'}, options));
    const last = (told as readonly JsonObject[]).at(-1);
    return rowsOf(last?.['result'] ?? []) as R[];
  }

  /** A SPARQL 1.1 query. */
  async sparql(query: string, options: CallOptions & {defaultGraphs?: readonly string[]; namedGraphs?: readonly string[]} = {}): Promise<SparqlAnswer> {
    asks(options, 'defaultGraphs', 'namedGraphs');
    const fields = formOf({query: wordsOf(query, 'a query'), 'default-graph-uri': options.defaultGraphs, 'named-graph-uri': options.namedGraphs});
    const accept = {Accept: 'application/sparql-results+json, application/n-triples', ...formHeader};
    const {text, headers} = await this.#transport.send({method: 'POST', target: '/sparql', body: fields, headers: accept}, options);
    if (!(headers.get('content-type') ?? '').includes('json')) return {form: 'triples', ntriples: text};
    const told = parseJson(text) as unknown as {boolean?: boolean; head: {vars: string[]}; results: {bindings: Record<string, Term>[]}};
    if (told.boolean !== undefined) return {form: 'truth', truth: told.boolean};
    return {form: 'rows', variables: told.head.vars, rows: told.results.bindings};
  }

  /** A SPARQL 1.1 update: all of its operations in one log entry, or none. */
  async sparqlUpdate(
    update: string,
    options: CallOptions & {usingGraphs?: readonly string[]; usingNamedGraphs?: readonly string[]} = {},
  ): Promise<SparqlChange> {
    asks(options, 'usingGraphs', 'usingNamedGraphs');
    const fields = formOf({update: wordsOf(update, 'an update'), 'using-graph-uri': options.usingGraphs, 'using-named-graph-uri': options.usingNamedGraphs});
    return (await this.#transport.json({method: 'POST', target: '/sparql', body: fields, headers: formHeader}, options)) as unknown as SparqlChange;
  }

  /**
   * Answers a question in plain words, exactly and without a model. Not to be understood is an answer: see `status`.
   * `speaker`: who asks, "I" and "my"; texts of others about themselves are no answer then, and facts are everybody's.
   */
  async ask(question: string, options: PastOptions & {session?: string; language?: string; speaker?: string} = {}): Promise<Answer> {
    const {session, language, speaker} = asks(options, 'asOf', 'session', 'language', 'speaker');
    return this.#send('ask', {question: wordsOf(question, 'a question'), session, language, speaker}, options, {query: {as_of: pastOf(options)}});
  }

  // --- what is remembered

  /**
   * Keeps a text, and as facts what it states. `speaker`: the person whose words they are, who says "I"; equal texts of two
   * are two memories. Errors: denied (it reads like an order).
   */
  async remember(text: string, options: WriteOptions & {speaker?: string} = {}): Promise<Remembered> {
    return this.#send('remember', {text: wordsOf(text, 'a text'), speaker: options.speaker}, writes(options, 'speaker'));
  }

  /**
   * What memory and graph hold on a question, for a model's prompt; `budget`: tokens of four bytes, at least 150. `speaker`:
   * only what this person said and told, and what nobody in particular did.
   */
  async recall(question: string, options: CallOptions & {budget?: number; speaker?: string} = {}): Promise<Recalled> {
    const {budget, speaker} = asks(options, 'budget', 'speaker');
    return this.#send('recall', {question: wordsOf(question, 'a question'), budget, speaker}, options);
  }

  /**
   * What is remembered, the newest first. `page`: how many come at once, 1 to 100. With `query` the best page alone. `speaker`:
   * only what this person said, and what nobody in particular did.
   */
  memories(options: CallOptions & {query?: string; page?: number; cursor?: string | null; speaker?: string} = {}): Pages<MemoryItem> {
    const {query, page, speaker} = asks(options, 'query', 'page', 'cursor', 'speaker');
    if (query !== undefined) wordsOf(query, 'a query');
    return new Pages(async (cursor) => {
      const told = await this.#get('listMemories', {query, limit: page, cursor, speaker}, options);
      return {items: told.memories, next: told.next_cursor ?? ''};
    }, options.cursor);
  }

  /** One memory, with its `etag`. */
  async memory(id: string, options: CallOptions = {}): Promise<SeenMemory> {
    const {text, headers} = await this.#transport.send({method: 'GET', target: targetOf('showMemory', {}, id)}, asks(options));
    return {...(parseJson(text) as unknown as MemoryItem), etag: headers.get('etag') ?? ''};
  }

  /** Puts a text in its place. Its speaker stays, unless one is named. With the `etag` that was seen: conflict when it is another by now. */
  async updateMemory(id: string, text: string, options: WriteOptions & {etag?: string; speaker?: string} = {}): Promise<Updated> {
    writes(options, 'etag', 'speaker');
    return this.#send('updateMemory', {text: wordsOf(text, 'a text'), speaker: options.speaker}, options, {id, etag: options.etag, method: 'PATCH'});
  }

  /** Withdraws it, and takes back what it stated; with `dryRun` only says what would go. */
  async forgetMemory(id: string, options: WriteOptions & {etag?: string; dryRun?: boolean} = {}): Promise<Forgotten> {
    return this.#send('forgetMemory', {}, writes(options, 'etag', 'dryRun'), {id, etag: options.etag, query: {dry_run: options.dryRun}, method: 'DELETE'});
  }

  // --- explain, look back, take back

  /** Why a fact holds ("db runs_on borea", or Datalog), down to the log. Errors: not_found (it does not). */
  async why(fact: string, options: CallOptions = {}): Promise<Proof> {
    return this.#send('why', {about: wordsOf(fact, 'a fact'), steps: true}, asks(options));
  }

  /** Why a call was refused, by the id that the refusal told. */
  async whyRefused(id: string, options: CallOptions = {}): Promise<JsonObject> {
    return (await this.#send('why', {about: wordsOf(id, 'an id')}, asks(options))) as unknown as JsonObject;
  }

  /** Things by their words, the best first. */
  async search(query: string, options: CallOptions & {type?: string; limit?: number} = {}): Promise<Thing[]> {
    const {type, limit} = asks(options, 'type', 'limit');
    return (await this.#get('things', {query: wordsOf(query, 'the words to look for'), type, limit}, options)).things;
  }

  /** All things, or those of a type, the newest first. `page`: how many come at once, 1 to 1,000. */
  things(options: CallOptions & {type?: string; page?: number; cursor?: string | null} = {}): Pages<Thing> {
    const {type, page} = asks(options, 'type', 'page', 'cursor');
    return new Pages(async (cursor) => {
      const told = await this.#get('things', {type, limit: page, cursor}, options);
      return {items: told.things, next: told.next_cursor ?? ''};
    }, options.cursor);
  }

  /** What is stated of a thing ("Ada", "C:12"), and the links to it. */
  async facts(about: string, options: PastOptions & {limit?: number} = {}): Promise<Facts> {
    const {limit} = asks(options, 'asOf', 'limit');
    return this.#get('facts', {about: textOf(about, 'a name'), limit, as_of: pastOf(options)}, options);
  }

  /** What happened to a thing: the newest `limit` entries, the oldest first. */
  async history(about: string, options: PastOptions & {limit?: number} = {}): Promise<History> {
    const {limit} = asks(options, 'asOf', 'limit');
    return this.#get('history', {about: textOf(about, 'a name'), limit, as_of: pastOf(options)}, options);
  }

  /** What one entry of the log changed, and whose it is. */
  async entry(number: number, options: CallOptions = {}): Promise<Entry> {
    return this.#get('entry', {}, asks(options), numberOf(number, 'an entry'));
  }

  /** What is known now and was not, and what is known no more: `limit` sentences of each, 1 to 1,000. */
  async changedSince(point: Point, options: CallOptions & {limit?: number} = {}): Promise<Difference> {
    return this.#get('changes', {since: pointOf(point), limit: options.limit}, asks(options, 'limit'));
  }

  /** Each change as it comes, behind the entry `after`; without it from the first look on. */
  changes(options: {after?: number; signal?: AbortSignal} = {}): Changes {
    const {signal} = takes(options, 'after', 'signal');
    return new Changes(this.#transport, options.after, async () => (await this.statistics({signal})).entries, signal);
  }

  /** Takes back what this token did: "last", 120 or "120..124". */
  async undo(entries: number | string, options: WriteOptions & {cascade?: boolean; dryRun?: boolean} = {}): Promise<Undone> {
    const {cascade, dryRun: dry_run} = writes(options, 'cascade', 'dryRun');
    return this.#send('undo', {entries: typeof entries === 'number' ? String(numberOf(entries, 'an entry')) : wordsOf(entries, 'what is undone'), cascade, dry_run}, options);
  }

  /** What was asked back about this token's texts and nobody has answered, the newest first. */
  async questions(options: CallOptions = {}): Promise<OpenQuestion[]> {
    return (await this.#get('listQuestions', {}, asks(options))).questions;
  }

  /** Answers one by its id: "yes", "no", or one of its choices. */
  async answer(id: string, answer: string, options: WriteOptions = {}): Promise<Decided> {
    return this.#send('answerQuestion', {answer: wordsOf(answer, 'an answer')}, writes(options), {id});
  }

  // --- the server

  /** Who the caller is for the server, and what it may. */
  async me(options: CallOptions = {}): Promise<Caller> {
    return this.#get('me', {}, asks(options));
  }

  /** What the space holds, and its size. */
  async statistics(options: CallOptions = {}): Promise<Statistics> {
    return this.#get('statistics', {}, asks(options));
  }

  /** The calls that wait for the owner; `all`: the answered and expired ones, too. */
  async approvals(options: CallOptions & {all?: boolean} = {}): Promise<Approval[]> {
    return (await this.#get('listApprovals', {all: options.all}, asks(options, 'all'))).approvals;
  }

  async approval(id: string, options: CallOptions = {}): Promise<Approval> {
    return this.#get('showApproval', {}, asks(options), id);
  }

  /** Errors: denied with the owner's command, unless the rules let this token govern. */
  async grant(id: string, options: CallOptions = {}): Promise<Approval> {
    return this.#send('grantApproval', {}, asks(options), {id});
  }

  /** Errors: likewise. */
  async deny(id: string, options: CallOptions & {reason?: string} = {}): Promise<Approval> {
    return this.#send('denyApproval', {reason: options.reason}, asks(options, 'reason'), {id});
  }

  /** What the approver of that name signs with their key, to grant or deny a call that waits. */
  async approvalStatement(id: string, approver: string, answer: 'grant' | 'deny', options: CallOptions & {reason?: string} = {}): Promise<ApprovalStatement> {
    return this.#send('approvalStatement', {approver, answer, reason: options.reason}, asks(options, 'reason'), {id});
  }

  /** Answers with the signature (128 hexadecimal digits) of the statement's text, and its `at`. */
  async answerApproval(
    id: string,
    signed: {approver: string; answer: 'grant' | 'deny'; at: string; signature: string; reason?: string},
    options: WriteOptions = {},
  ): Promise<Approval> {
    return this.#send('answerApproval', {...takes(signed, 'approver', 'answer', 'at', 'signature', 'reason')}, writes(options), {id});
  }

  /** The cycles of sleep, the newest first. */
  async sleepCycles(options: CallOptions & {limit?: number} = {}): Promise<JsonObject[]> {
    return (await this.#get('sleepCycles', {limit: options.limit}, asks(options, 'limit'))).cycles;
  }

  /** The runs of agents, the newest first. */
  async runs(options: CallOptions & {limit?: number} = {}): Promise<Run[]> {
    return (await this.#get('runs', {limit: options.limit}, asks(options, 'limit'))).runs;
  }

  /** What came of a run behind the entry `after`, with at most `limit` cycles. */
  async run(number: number, options: CallOptions & {after?: number; limit?: number} = {}): Promise<RunTold> {
    return this.#get('showRun', {after: options.after, limit: options.limit}, asks(options, 'after', 'limit'), numberOf(number, 'a run'));
  }
}

const formHeader = {'Content-Type': 'application/x-www-form-urlencoded'};

function formOf(fields: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const each of typeof value === 'string' ? [value] : (value ?? [])) form.append(name, textOf(each, name));
  }
  return form.toString();
}

/** The results of a text of several commands, in the shape "rows": its rows have no member that is only called so. */
function isSeveral(result: Json): result is readonly Json[] {
  const each: readonly Json[] = Array.isArray(result) ? (result as readonly Json[]) : [];
  return each.length > 1 && each.every((one) => typeof one === 'object' && one !== null && Object.hasOwn(one, 'result'));
}

/** The result of a KIP answer. Errors: the first fault of it. */
function resultOf(answer: JsonObject): Json {
  if (answer['error'] !== undefined) throw kipError(answer['error'] as unknown as KipFault);
  const result = answer['result'] ?? null;
  for (const one of Array.isArray(result) ? (result as readonly Json[]) : []) {
    const fault = typeof one === 'object' && one !== null ? (one as JsonObject)['error'] : undefined;
    // What was asked for may look like an answer; a fault has a code of KIP.
    const code = typeof fault === 'object' && fault !== null ? (fault as JsonObject)['code'] : undefined;
    if (typeof code === 'string' && code.startsWith('KIP_')) throw kipError(fault as unknown as KipFault);
  }
  return result;
}
