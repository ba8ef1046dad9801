#!/usr/bin/env node
// `npx @anima/memory mcp-config CLIENT`: the configuration that gives a client of MCP the memory of this machine.
import {accessSync, constants, statSync} from 'node:fs';
import {delimiter, resolve} from 'node:path';
import process from 'node:process';

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
--program PATH   the program \`anima\`, where it is not on the PATH
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

/** The program `anima`, absolute: a client has a PATH of its own. */
function programOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => resolve(folder, 'anima')).find(runs);
}

class Wrong extends Error {}

function configuration(given: readonly string[]): string {
  const [verb, client, ...options] = given;
  if (verb !== 'mcp-config' || client === undefined) throw new Wrong(usage);
  const write = Object.hasOwn(clients, client) ? clients[client] : undefined;
  if (write === undefined) throw new Wrong(`anima-memory: there is no client ${JSON.stringify(client)}\n\n${usage}`);
  const args = ['mcp'];
  let program: string | undefined;
  for (let place = 0; place < options.length; place += 2) {
    const value = options[place + 1];
    if (value === undefined) throw new Wrong(usage);
    if (options[place] === '--space') args.push('--space', resolve(value));
    else if (options[place] === '--program') program = resolve(value);
    else throw new Wrong(`anima-memory: there is no option ${JSON.stringify(options[place])}\n\n${usage}`);
  }
  if (program !== undefined && !runs(program)) throw new Wrong(`anima-memory: ${program} is no program\n`);
  program ??= programOnPath();
  if (program === undefined) {
    throw new Wrong(
      'anima-memory: the program `anima` is not on the PATH. This package does not carry it: install the Debian package or the\n' +
        'wheel for Python (docs/packages.md), or name it with --program PATH\n',
    );
  }
  return write({command: program, args});
}

try {
  process.stdout.write(process.argv[2] === '--help' ? usage : configuration(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Wrong)) throw error;
  process.stderr.write(error.message);
  process.exitCode = 2;
}
