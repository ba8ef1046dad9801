// The changes of a memory as they come, over streams that may be lost.
import type {Change, Entry} from './answers.js';
import {AnimaError} from './errors.js';
import {parseJson} from './json.js';
import type {Transport} from './transport.js';

const silence = 45_000; // a server says something each 15 s
const pauses = [100, 500, 1000, 2000, 5000];

/** Events (server-sent events) out of a text that comes in pieces. */
export class EventReader {
  #rest = '';

  *take(piece: string): Generator<{id: string; event: string; data: string}> {
    this.#rest += piece;
    for (let end = this.#rest.indexOf('\n\n'); end >= 0; end = this.#rest.indexOf('\n\n')) {
      const block = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 2);
      const fields: Record<string, string> = {};
      for (const line of block.split('\n')) {
        const colon = line.indexOf(':');
        if (colon <= 0) continue;
        const name = line.slice(0, colon);
        const value = line.slice(colon + 1).replace(/^ /, '');
        fields[name] = name === 'data' && fields[name] !== undefined ? `${fields[name]}\n${value}` : value;
      }
      if (fields['data'] !== undefined) yield {id: fields['id'] ?? '', event: fields['event'] ?? 'message', data: fields['data']};
    }
  }
}

/**
 * The changes behind an entry, each once, in order: `for await (const change of memory.changes())`. A stream that is lost
 * is opened again behind `after`. Errors: busy, where the server has as many streams as it may. It ends when the loop is left, or throws the reason of its signal.
 */
export class Changes implements AsyncIterable<Change> {
  /** The last entry that was handed out: from where a later program goes on. */
  after: number | undefined;
  readonly #transport: Transport;
  readonly #newest: () => Promise<number>;
  readonly #signal: AbortSignal | undefined;

  constructor(transport: Transport, after: number | undefined, newest: () => Promise<number>, signal: AbortSignal | undefined) {
    this.after = after;
    this.#transport = transport;
    this.#newest = newest;
    this.#signal = signal;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    this.after ??= await this.#newest();
    let heard = false; // a stream was open
    for (let losses = 0; ; ++losses) {
      const pause = pauses[Math.min(losses, pauses.length - 1)] ?? 0;
      try {
        for await (const change of this.#stream(this.after, () => (heard = true))) {
          losses = 0;
          this.after = change.sequence;
          yield change;
        }
      } catch (error) {
        this.#signal?.throwIfAborted();
        // After a loss the server may still count the stream that was lost.
        const passes = error instanceof AnimaError && (error.code === 'io' || (error.code === 'busy' && heard));
        if (error instanceof AnimaError && !passes) throw error;
      }
      await this.#wait(pause);
    }
  }

  /** One stream, to its end. */
  async *#stream(after: number, opened: () => void): AsyncGenerator<Change, void, undefined> {
    const ends = new AbortController();
    const abort = () => ends.abort(this.#signal?.reason);
    this.#signal?.throwIfAborted();
    this.#signal?.addEventListener('abort', abort);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => ends.abort(), silence);
    };
    try {
      heard();
      const reader = (await this.#transport.stream(`/v1/events?after=${after}`, ends.signal)).getReader();
      opened();
      const events = new EventReader();
      const decoder = new TextDecoder();
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        heard();
        for (const event of events.take(decoder.decode(read.value, {stream: true}))) {
          if (event.event === 'end') return;
          const change = changeOf(event);
          if (change !== undefined) yield change;
        }
      }
    } finally {
      clearTimeout(timer);
      this.#signal?.removeEventListener('abort', abort);
      ends.abort();
    }
  }

  async #wait(milliseconds: number): Promise<void> {
    const signal = this.#signal;
    signal?.throwIfAborted();
    await new Promise<void>((done) => {
      const over = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', over);
        done();
      };
      const timer = setTimeout(over, milliseconds);
      signal?.addEventListener('abort', over);
    });
    signal?.throwIfAborted();
  }
}

function changeOf(event: {event: string; data: string}): Change | undefined {
  if (event.event !== 'change' && event.event !== 'unread') return undefined;
  const told = parseJson(event.data);
  if (event.event === 'unread') return {type: 'unread', sequence: (told as unknown as {sequence: number}).sequence};
  return {type: 'change', ...(told as unknown as Entry)};
}
