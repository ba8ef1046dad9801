// The package in Chromium, as the server's own page would load it.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {served} from './serving.mjs';

const executablePath = process.env.ANIMA_CHROMIUM ?? '/usr/bin/chromium';
const dist = fileURLToPath(new URL('../node_modules/@anima/memory/dist/', import.meta.url));

test('it asks, and hears changes, in a browser', async () => {
  const {chromium} = createRequire(process.env.ANIMA_PAGE_MODULES + '/')('playwright-core');
  const house = await served();
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox']}); // for root, as CI is
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.route('**/client/*', (route) =>
      route.fulfill({contentType: 'text/javascript', body: readFileSync(dist + new URL(route.request().url()).pathname.split('/').pop(), 'utf8')}),
    );
    await page.goto(house.url + '/');
    const told = await page.evaluate(async (token) => {
      const {connect, isAnimaError} = await import(location.origin + '/client/index.js');
      const memory = await connect(location.origin, token);
      const after = (await memory.statistics()).entries;
      await memory.kip('UPSERT { CONCEPT { {type: "Person", name: "Ada"} } }');
      const answer = await memory.ask('Which services run on borea?');
      let change;
      for await (change of memory.changes({after})) break;
      const wrong = await connect(location.origin, 'wrong').catch((error) => isAnimaError(error, 'denied'));
      return [answer.rows, change.added, wrong];
    }, house.token);
    assert.deepEqual(told, [[['db']], ['Ada is a Person'], true]);
  } finally {
    await browser.close();
    await house.stop();
  }
});
