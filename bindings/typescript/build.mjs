// Makes the package: tsc writes dist/, and the version is that of CMakeLists.txt. Or makes that of the programs of a platform, which
// the first names as optional.
//   node bindings/typescript/build.mjs [FOLDER]                        build/typescript/package unless said otherwise
//   node bindings/typescript/build.mjs FOLDER PLATFORM PROGRAMS        linux-x64, of what packaging/portable.py wrote into PROGRAMS
// tsc is that of build/page (web/package-lock.json), which `./dev setup test` installs.
import {execFileSync} from 'node:child_process';
import {chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {argv, env, execPath} from 'node:process';
import {fileURLToPath} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = here + '../../';
const modules = env.ANIMA_PAGE_MODULES ?? root + 'build/page/node_modules';
const to = argv[2] ?? root + 'build/typescript/package';

const [, version] = /^project\(anima VERSION ([0-9.]+)/m.exec(readFileSync(root + 'CMakeLists.txt', 'utf8'));
const {name, description, ...rest} = JSON.parse(readFileSync(here + 'package.json', 'utf8'));
const platforms = ['linux-x64'];

function client() {
  execFileSync(execPath, [modules + '/typescript/bin/tsc', '-p', here, '--outDir', to + '/dist'], {stdio: 'inherit'});
  chmodSync(to + '/dist/program.js', 0o755);
  copyFileSync(here + 'README.md', to + '/README.md');
  for (const file of ['LICENSE', 'NOTICE']) copyFileSync(root + file, to + '/' + file);
  // A peer, which npm never fetches by itself: as long as the packages are in no registry, their names could be somebody else's there.
  const peers = platforms.map((platform) => `${name}-${platform}`);
  const peerDependencies = Object.fromEntries(peers.map((peer) => [peer, version]));
  const peerDependenciesMeta = Object.fromEntries(peers.map((peer) => [peer, {optional: true}]));
  return {name, version, description, ...rest, peerDependencies, peerDependenciesMeta};
}

function programs(platform, from) {
  const [os, cpu] = platform.split('-');
  if (!platforms.includes(platform)) throw new Error(`there is no package for ${platform}: ${platforms.join(' ')}`);
  cpSync(from, to, {recursive: true, verbatimSymlinks: true});
  writeFileSync(
    to + '/README.md',
    `# ${name}-${platform}\n\nThe program \`anima\` for ${name} on ${os} and ${cpu}, with the libraries that it needs beside it. It needs glibc 2.35 or newer\n` +
      'and libstdc++. `npx anima-memory` runs it. `NOTICES.txt` has the notices of what it holds.\n',
  );
  return {name: `${name}-${platform}`, version, description: `The program anima for ${os} on ${cpu}`, license: rest.license, os: [os], cpu: [cpu], libc: ['glibc'], preferUnplugged: true};
}

rmSync(to, {recursive: true, force: true});
mkdirSync(to, {recursive: true});
const told = argv[3] === undefined ? client() : programs(argv[3], argv[4]);
writeFileSync(to + '/package.json', JSON.stringify(told, null, 2) + '\n');
