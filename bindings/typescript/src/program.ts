#!/usr/bin/env node
// `npx anima-memory ..`: the program `anima`, and with `mcp-config CLIENT` what gives a client of MCP the memory of this machine.
import {spawn} from 'node:child_process';
import {accessSync, constants, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {delimiter, dirname, resolve} from 'node:path';
import process from 'node:process';

import {didYouMean} from './options.js';

interface Launch {
  command: string;
  args: string[];
}

const usage = `Usage: anima-memory mcp-config CLIENT [--space DIR] [--program PATH]

Prints what makes the memory a server of an MCP client. CLIENT:
  claude-code      a command to run
  claude-desktop   claude_desktop_config.json
  cursor           .cursor/mcp.json
  goose            ~/.config/goose/config.yaml

--space DIR      the space (the program's default space without it)
--program PATH   another program \`anima\` than that of the package for this platform, or of the PATH
`;

const quoted = (text: string): string => (/^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const servers = (launch: Launch): string => `${JSON.stringify({mcpServers: {memory: launch}}, null, 2)}\n`;

// A text of JSON is one of YAML.
const clients: Readonly<Record<string, (launch: Launch) => string>> = {
  'claude-code': ({command, args}) => `claude mcp add memory -- ${[command, ...args].map(quoted).join(' ')}\n`,
  'claude-desktop': servers,
  cursor: servers,
  goose: ({command, args}) =>
    `extensions:\n  memory: {type: stdio, enabled: true, cmd: ${JSON.stringify(command)}, args: ${JSON.stringify(args)}, timeout: 300}\n`,
};

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The package for this platform, which this one names as optional: npm leaves out those of other platforms. */
const platform = `@anima/memory-${process.platform}-${process.arch}`;

function programOfPlatform(): string | undefined {
  try {
    const program = resolve(dirname(createRequire(import.meta.url).resolve(`${platform}/package.json`)), 'bin/anima');
    return runs(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

function programOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => resolve(folder, 'anima')).find(runs);
}

class Wrong extends Error {}

function meant(given: string, known: readonly string[]): string {
  const near = didYouMean(given, known);
  return near && `; ${near}`;
}

/** The folder, with a word to who has no space in it yet: the client would be told so where nobody reads it. */
function spaceThere(folder: string): string {
  try {
    statSync(folder);
  } catch {
    process.stderr.write(`anima-memory: there is no space in ${folder} yet; \`anima-memory --space ${quoted(folder)} init\` makes it\n`);
  }
  return folder;
}

/** The program `anima`, absolute: a client of MCP has a PATH of its own. */
function found(): string {
  const program = programOfPlatform() ?? programOnPath();
  if (program !== undefined) return program;
  throw new Wrong(
    `anima-memory: neither the package ${platform} is installed nor the program \`anima\` on the PATH. There is a package for\n` +
      'Linux on x64 alone (install its file beside this one). Else install the Debian package or the wheel for Python\n' +
      '(docs/packages.md); mcp-config takes --program PATH\n',
  );
}

function configuration(given: readonly string[]): string {
  const [client, ...options] = given;
  if (client === undefined) throw new Wrong(usage);
  const write = Object.hasOwn(clients, client) ? clients[client] : undefined;
  if (write === undefined) throw new Wrong(`anima-memory: there is no client ${JSON.stringify(client)}${meant(client, Object.keys(clients))}\n\n${usage}`);
  const args = ['mcp'];
  let program: string | undefined;
  for (let place = 0; place < options.length; place += 2) {
    const value = options[place + 1];
    if (value === undefined) throw new Wrong(usage);
    if (options[place] === '--space') args.push('--space', spaceThere(resolve(value)));
    else if (options[place] === '--program') program = resolve(value);
    else {
      const option = options[place] ?? '';
      throw new Wrong(`anima-memory: there is no option ${JSON.stringify(option)}${meant(option, ['--space', '--program'])}\n\n${usage}`);
    }
  }
  if (program !== undefined && !runs(program)) throw new Wrong(`anima-memory: ${program} is no program\n`);
  return write({command: program ?? found(), args});
}

/** Runs `anima` in the place of this process: its end is the end of this one, by the same code or signal. */
function run(program: string, given: readonly string[]): void {
  const child = spawn(program, given, {stdio: 'inherit'});
  const forward = (signal: string): void => {
    // A terminal gives Ctrl-C to both.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  child.once('error', (error) => {
    process.stderr.write(`anima-memory: cannot run ${program}: ${error.message}\n`);
    process.exitCode = 126;
  });
  child.once('exit', (code, signal) => {
    for (const each of signals) process.off(each, forward);
    if (signal !== null) process.kill(process.pid, signal);
    else process.exitCode = code ?? 1;
  });
}

try {
  const [verb, ...rest] = process.argv.slice(2);
  if (verb !== 'mcp-config') run(found(), process.argv.slice(2));
  else process.stdout.write(rest[0] === '--help' ? usage : configuration(rest));
} catch (error) {
  if (!(error instanceof Wrong)) throw error;
  process.stderr.write(error.message);
  process.exitCode = 2;
}
