// The socket in the folder of a space, for Node: fetch reaches addresses alone.
import {request} from 'node:http';
import {Readable} from 'node:stream';

import {connect, type ConnectOptions, type Memory} from './memory.js';
import type {Fetch} from './transport.js';

/** A fetch whose requests go to a socket, whatever their host. The body is a text. */
export function socketFetch(path: string): Fetch {
  return (url, init) =>
    new Promise((done, failed) => {
      const {pathname, search} = new URL(url);
      const {signal} = init;
      if (signal?.aborted) return failed(signal.reason);
      const headers = {...(init.headers as Record<string, string>), Host: 'localhost'};
      const asked = request({socketPath: path, method: init.method ?? 'GET', path: pathname + search, headers});
      const abort = () => asked.destroy(new Error('aborted'));
      signal?.addEventListener('abort', abort);
      asked.once('close', () => signal?.removeEventListener('abort', abort));
      asked.once('error', failed);
      asked.once('response', (answer) => {
        const status = answer.statusCode ?? 0;
        const empty = status === 204 || status === 304;
        const headers = new Headers();
        for (const [name, value] of Object.entries(answer.headers)) if (value !== undefined) headers.set(name, String(value));
        if (empty) answer.resume();
        done(new Response(empty ? null : Readable.toWeb(answer), {status, headers}));
      });
      asked.end(init.body as string | undefined);
    });
}

/** Connects to the server of a space by its folder, without a token: the socket is its owner's alone. */
export async function connectFolder(folder: string, options: Omit<ConnectOptions, 'fetch'> = {}): Promise<Memory> {
  return connect('http://localhost', undefined, {...options, fetch: socketFetch(`${folder}/serve.sock`)});
}
