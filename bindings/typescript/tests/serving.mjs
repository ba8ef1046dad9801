// A real `anima serve`, and servers that misbehave, for the tests of the client.
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

export const program = process.env.ANIMA_PROGRAM;
export const root = process.env.ANIMA_ROOT;
const environment = {...process.env, XDG_CONFIG_HOME: '/nonexistent', XDG_DATA_HOME: '/nonexistent'};

export function temporary() {
  return mkdtempSync(join(tmpdir(), 'anima-ts-'));
}

export function anima(space, ...given) {
  return execFileSync(program, ['--space', space, ...given], {encoding: 'utf8', env: environment, stdio: ['ignore', 'pipe', 'pipe']});
}

/** A homelab, as examples/library has it. */
export function homelab() {
  const folder = temporary();
  const space = join(folder, 'space');
  const data = root + 'examples/library/data/';
  anima(space, 'init');
  anima(space, 'load', '--yes', '--trust', 'verified', data + 'hosts.csv', data + 'services.csv');
  return {folder, space, remove: () => rmSync(folder, {recursive: true, force: true})};
}

export async function serve(space, ...options) {
  const server = spawn(program, ['--space', space, 'serve', '--json', '--log', 'off', ...options], {env: environment, stdio: ['ignore', 'pipe', 'ignore']});
  const [line] = await new Promise((done, failed) => {
    createInterface(server.stdout).once('line', (line) => done([line]));
    server.once('exit', () => failed(new Error('anima serve ended')));
  });
  const url = (JSON.parse(line).v1 ?? '').replace(/\/v1$/, '');
  const stop = () =>
    new Promise((done) => {
      server.once('exit', done);
      server.kill('SIGTERM');
    });
  return {url, stop};
}

/** At a loopback port, with a token that may write. */
export async function served() {
  const space = homelab();
  const token = anima(space.space, 'serve', 'token', 'add', 'writer').split('\n')[0];
  const server = await serve(space.space, '--listen', '127.0.0.1:0');
  return {...space, token, url: server.url, stop: async () => (await server.stop(), space.remove())};
}

/** A server whose requests are given to `handle`. */
export async function answering(handle) {
  const server = createServer(handle);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => (server.closeAllConnections(), new Promise((done) => server.close(done))),
  };
}
