// Requests to one server. The token goes to its address and nowhere else: no redirect is followed.
import {AnimaError, problemOf} from './errors.js';
import {parseJson, writeJson, type Json, type JsonInput} from './json.js';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Of one call. */
export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds; 0: no limit. What the server began it may have done. */
  timeout?: number | undefined;
}
/** Of one call that writes. */
export interface WriteOptions extends CallOptions {
  /** A text of your own, new for each request: made again with it, the request writes nothing and is answered as before. */
  idempotencyKey?: string | undefined;
}

export interface Wanted {
  method: string;
  /** With its query. */
  target: string;
  body?: string | undefined;
  headers?: Record<string, string> | undefined;
}

const usualTimeout = 60_000;

function checkedUrl(url: string): string {
  let parts: URL;
  try {
    parts = new URL(url);
  } catch {
    throw new AnimaError('invalid_argument', 'this address does not parse', {hint: 'http://127.0.0.1:7411'});
  }
  if (parts.username || parts.password) {
    throw new AnimaError('invalid_argument', 'the address holds a name or a password', {hint: 'the token is an argument of its own'});
  }
  if ((parts.protocol !== 'http:' && parts.protocol !== 'https:') || parts.search || parts.hash) {
    throw new AnimaError('invalid_argument', 'this is no address of a server of Anima', {hint: 'http://127.0.0.1:7411'});
  }
  const loopback = /^(localhost|127\.[0-9.]+|\[::1\])$/.test(parts.hostname);
  if (parts.protocol === 'http:' && !loopback) {
    throw new AnimaError('unsupported', 'a token goes to no other machine in the clear', {hint: 'ssh -L 7411:127.0.0.1:7411 HOST brings its server here'});
  }
  return parts.origin + parts.pathname.replace(/\/+$/, '');
}

function checkedToken(token: string): string {
  if (!/^[!-~]+$/.test(token)) throw new AnimaError('invalid_argument', 'this is no token', {hint: '`anima serve token add NAME` prints one'});
  return token;
}

function checkedHeader(value: string, what: string): string {
  if (!/^[ -~]+$/.test(value)) throw new AnimaError('invalid_argument', `${what} is a text of printable ASCII`);
  return value;
}

export function writeHeaders(options: WriteOptions, etag = ''): Record<string, string> {
  const headers: Record<string, string> = {};
  if (options.idempotencyKey !== undefined) headers['Idempotency-Key'] = checkedHeader(options.idempotencyKey, 'an idempotencyKey');
  if (etag) headers['If-Match'] = checkedHeader(etag, 'an etag');
  return headers;
}

function hintOf(cause: unknown): string {
  const {code, message} = cause as {code?: string; message?: string};
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'is `anima serve` running there? Nothing was sent';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || /wrong version number/.test(message ?? '')) return '`anima serve` speaks http:// and no https://. Nothing was sent';
  return 'is `anima serve` running there? What was sent may have been done';
}

/** Ends by the caller's signal, or by time. `over` lets go of both. */
class Limit {
  readonly controller = new AbortController();
  expired = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #outer: AbortSignal | undefined;
  readonly #abort = () => this.controller.abort(this.#outer?.reason);

  constructor(options: CallOptions, usual: number) {
    this.#outer = options.signal;
    this.#outer?.addEventListener('abort', this.#abort);
    if (this.#outer?.aborted) this.#abort();
    const timeout = options.timeout ?? usual;
    if (timeout < 0 || Number.isNaN(timeout)) throw new AnimaError('invalid_argument', 'a timeout is in milliseconds, 0 or more', {hint: '0 for no limit'});
    if (timeout > 0 && timeout < 2 ** 31) {
      this.#timer = setTimeout(() => {
        this.expired = true;
        this.controller.abort();
      }, timeout);
    }
  }

  over(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  /** What ended a call. */
  reason(error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (this.expired) {
      return new AnimaError('timeout', 'the server did not answer in time', {hint: 'what it began it may have done; a longer timeout waits longer'});
    }
    if (error instanceof AnimaError) return error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const what = cause instanceof Error ? cause.message || cause.name : String(cause);
    return new AnimaError('io', `the server cannot be reached: ${what}`, {hint: hintOf(cause)});
  }
}

export class Transport {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #fetch: Fetch;
  readonly #timeout: number;

  constructor(url: string, token: string | undefined, fetch: Fetch | undefined, timeout: number | undefined) {
    this.#url = checkedUrl(url);
    this.#token = token === undefined ? undefined : checkedToken(token);
    this.#fetch = fetch ?? ((to, init) => globalThis.fetch(to, init));
    this.#timeout = timeout ?? usualTimeout;
  }

  get url(): string {
    return this.#url;
  }

  #init(wanted: Wanted, signal: AbortSignal): RequestInit {
    const headers: Record<string, string> = {...wanted.headers};
    if (this.#token !== undefined) headers['Authorization'] = `Bearer ${this.#token}`;
    return {
      method: wanted.method,
      headers,
      signal,
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      ...(wanted.body === undefined ? {} : {body: wanted.body}),
    };
  }

  async #asked(wanted: Wanted, signal: AbortSignal): Promise<Response> {
    const response = await this.#fetch(this.#url + wanted.target, this.#init(wanted, signal));
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel();
      throw new AnimaError('io', `the server answers with a redirect (${response.status}), which is not followed`, {
        hint: '`anima serve` sends nobody elsewhere',
        status: response.status,
      });
    }
    if (!response.ok) throw problemOf(response.status, await response.text());
    return response;
  }

  /** The answer, whole. Errors: those of docs/errors.md. */
  async send(wanted: Wanted, options: CallOptions = {}): Promise<{text: string; headers: Headers}> {
    const limit = new Limit(options, this.#timeout);
    try {
      const response = await this.#asked(wanted, limit.controller.signal);
      return {text: await response.text(), headers: response.headers};
    } catch (error) {
      throw limit.reason(error);
    } finally {
      limit.over();
    }
  }

  async json(wanted: Wanted, options: CallOptions = {}): Promise<Json> {
    return parseJson((await this.send(wanted, options)).text);
  }

  async post(
    method: string,
    target: string,
    members: {[name: string]: JsonInput | undefined},
    options: CallOptions = {},
    headers: Record<string, string> = {},
  ): Promise<Json> {
    return this.json({method, target, body: writeJson(members), headers: {'Content-Type': 'application/json', ...headers}}, options);
  }

  /** An answer that goes on, until the signal ends it. Errors: likewise. */
  async stream(target: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#asked({method: 'GET', target, headers: {Accept: 'text/event-stream'}}, signal);
    if (response.body === null) throw new AnimaError('io', 'the server answers with nothing');
    return response.body;
  }
}
