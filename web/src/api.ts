// The server behind the page: its routes, what they answer, and the token that each request shows.
//
// The token is kept for this tab alone (sessionStorage). A refusal is thrown as a Problem with the server's own words.
import type * as answers from '../../bindings/typescript/src/answers.js';

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly hint: string,
  ) {
    super(detail);
  }
}

const kToken = 'anima token';

export const token = {
  get: () => sessionStorage.getItem(kToken) ?? '',
  set: (text: string) => sessionStorage.setItem(kToken, text),
  clear: () => sessionStorage.removeItem(kToken),
};

// Called when the server does not know the token (any more).
let onUnknown = () => {};
export function whenUnknown(then: () => void) {
  onUnknown = then;
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const json = JSON.parse(text) as {detail?: string; hint?: string};
    return new Problem(response.status, json.detail ?? text, json.hint ?? '');
  } catch {
    return new Problem(response.status, text || `the server answered ${response.status}`, '');
  }
}

export async function request(
  method: string,
  path: string,
  body?: unknown,
  more: {headers?: Record<string, string>; signal?: AbortSignal} = {},
): Promise<Response> {
  const headers: Record<string, string> = {Authorization: `Bearer ${token.get()}`, ...more.headers};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: more.signal,
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
    });
  } catch (error) {
    if (more.signal?.aborted) throw error;
    throw new Problem(0, 'the server does not answer', 'is anima serve running?');
  }
  if (response.ok) return response;
  if (response.status === 401) onUnknown();
  throw await problemOf(response);
}

export async function get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
  const text = new URLSearchParams(query).toString();
  return (await (await request('GET', text ? `${path}?${text}` : path)).json()) as T;
}

export async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await (await request(method, path, body)).json()) as T;
}

// --- what the routes answer -----------------------------------------------------------------------

// As the package for TypeScript has them, whose tests hold them to real answers.
export type Change = answers.HistoryEntry;
export type {
  Approval,
  Caller as Me,
  Difference as Changes,
  Fact,
  Facts,
  History,
  MemoryItem as Memory,
  Run,
  RunTold as AnsweredRun,
  Thing,
  Undone,
} from '../../bindings/typescript/src/answers.js';

export type {Json as Cell} from '../../bindings/typescript/src/json.js';

// A step of any proof, as one line of the page.
export interface Step {
  fact: string;
  depth?: number;
  because?: string;
  where?: string;
  given?: boolean;
  repeated?: boolean;
  confidence?: number;
  entry?: number;
  source?: string;
  trust?: string;
  valid_from?: string;
  valid_to?: string;
  asserted?: answers.Assertion[];
  out_of_time?: string[];
  contradictions?: {superseded: boolean; effective: string; other: string; reason: string}[];
}

export type Answer = Omit<answers.Answer, 'proof'> & {proof: Step[]};
export type Proof = Omit<answers.Proof, 'proof'> & {proof: Step[]};

export interface Told {
  id: string | null;
  [more: string]: unknown;
}

// Each change behind the entry `after` as it comes; without one from the next on. Over when `signal` says so. Goes on
// by itself after the connection broke, behind the last change that came.
export async function follow(
  after: string,
  signal: AbortSignal,
  onChange: (change: Change) => void,
  onState: (state: string) => void,
) {
  let last = after;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = last ? {'Last-Event-ID': last} : {};
      const response = await request('GET', '/v1/events', undefined, {headers, signal});
      onState('live');
      await readEvents(response, (id, type, data) => {
        if (id) last = id;
        if (type === 'change') onChange(JSON.parse(data) as Change);
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status === 410) last = '';
      else if (error instanceof Problem && error.status !== 0 && error.status !== 503) {
        onState(error.detail);
        return;
      }
    }
    onState('waiting for the server');
    await new Promise((done) => setTimeout(done, 2000));
  }
}

async function readEvents(
  response: Response,
  onEvent: (id: string, type: string, data: string) => void,
) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    text += value;
    let end = 0;
    while ((end = text.indexOf('\n\n')) >= 0) {
      const fields: Record<string, string> = {};
      for (const line of text.slice(0, end).split('\n')) {
        const colon = line.indexOf(':');
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, '');
      }
      text = text.slice(end + 2);
      if (fields['data'] !== undefined)
        onEvent(fields['id'] ?? '', fields['event'] ?? 'message', fields['data']);
    }
  }
}
