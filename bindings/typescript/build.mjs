// Makes the package: tsc writes dist/, and the version is that of CMakeLists.txt.
//   node bindings/typescript/build.mjs [FOLDER]     build/typescript/package unless said otherwise
// tsc is that of build/page (web/package-lock.json), which `./dev setup test` installs.
import {execFileSync} from 'node:child_process';
import {chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {argv, env, execPath} from 'node:process';
import {fileURLToPath} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = here + '../../';
const modules = env.ANIMA_PAGE_MODULES ?? root + 'build/page/node_modules';
const to = argv[2] ?? root + 'build/typescript/package';

rmSync(to, {recursive: true, force: true});
mkdirSync(to, {recursive: true});
execFileSync(execPath, [modules + '/typescript/bin/tsc', '-p', here, '--outDir', to + '/dist'], {stdio: 'inherit'});
chmodSync(to + '/dist/program.js', 0o755);

const [, version] = /^project\(anima VERSION ([0-9.]+)/m.exec(readFileSync(root + 'CMakeLists.txt', 'utf8'));
const {name, description, ...rest} = JSON.parse(readFileSync(here + 'package.json', 'utf8'));
writeFileSync(to + '/package.json', JSON.stringify({name, version, description, ...rest}, null, 2) + '\n');
copyFileSync(here + 'README.md', to + '/README.md');
for (const file of ['LICENSE', 'NOTICE']) copyFileSync(root + file, to + '/' + file);
