// Builds the page: web/src becomes the four files of web/dist (or of the folder that is named), the same bytes
// each time. `./dev page` installs what this needs into build/page and runs it.
import {cp, mkdir, readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';

const web = fileURLToPath(new URL('.', import.meta.url));
const modules = process.env.ANIMA_PAGE_MODULES ?? web + '../build/page/node_modules';
const to = process.argv[2] ?? web + 'dist';
const {build} = createRequire(modules + '/')('esbuild');

const licence = await readFile(web + 'src/licence.txt', 'utf8');
await mkdir(to, {recursive: true});
await build({
  absWorkingDir: web,
  entryPoints: ['src/page.tsx', 'src/page.css'],
  outdir: to,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  banner: {js: `/* Anima, Apache-2.0. It holds Preact:\n${licence}*/`},
  nodePaths: [modules],
  logLevel: 'warning',
});
for (const file of ['index.html', 'icon.svg']) await cp(web + 'src/' + file, to + '/' + file);
