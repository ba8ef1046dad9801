// What axe finds serious, in the light and the dark; nothing wider than a phone; pictures of it all where
// PAGE_PICTURES names a folder.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { api, browse, enter, kip, must, settled, view } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = process.env.PAGE_PICTURES;

await kip('UPSERT { CONCEPT { {type: "$ConceptType", name: "Host"} } CONCEPT { {type: "$PropositionType", name: "linked_with"} } CONCEPT { {type: "$PropositionType", name: "runs_on"} } }');
await kip('UPSERT { CONCEPT { {type: "Host", name: "borea"} SET ATTRIBUTES {location: "cellar", memory_gb: 64} } }');
for (let i = 0; i < 200; ++i) {
  await kip(
    `UPSERT { CONCEPT ?x { {type: "Host", name: :n} SET PROPOSITIONS { ("${i % 3 ? "linked_with" : "runs_on"}", {type: "Host", name: "borea"}) } } }`,
    { n: i % 5 ? `node ${i} of the cellar` : `a host with quite a long name, number ${i}` },
  );
}
for (const text of ["Ada works at Initech", "Ada lives in Oslo", "the sea is salt", "x".repeat(300)]) await api("POST", "/v1/memories", { text });

const views = ["#/ask", "#/memory", "#/thing/borea", "#/thing/Ada", "#/why?about=Ada+works+at+Initech", "#/changes", "#/entry/3", "#/approvals", "#/runs", "#/health"];

await browse(async (browser) => {
  for (const [width, dark] of [[1200, false], [1200, true], [360, false], [360, true]]) {
    const name = `${width}${dark ? "dark" : ""}`;
    const page = await enter(browser, {
      options: { viewport: { width, height: 800 }, colorScheme: dark ? "dark" : "light", bypassCSP: true },
    });
    for (const hash of views) {
      await view(page, hash);
      if (hash === "#/ask") {
        await page.getByLabel("Question").fill("Where does Ada work?");
        await page.keyboard.press("Enter");
        await page.locator("main").getByText(/Initech/).first().waitFor();
        for (const each of await page.locator("main summary").all()) await each.click();
      }
      await settled(page);
      const place = hash.replace(/\W+/g, "_");
      if (pictures) await page.screenshot({ path: `${pictures}/${name}${place}.png`, fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      must(wide <= width, `${name} ${hash} is ${wide} wide`);
      await page.evaluate(axe);
      const found = await page.evaluate(async () => (await window.axe.run()).violations);
      const serious = found.filter((one) => one.impact === "serious" || one.impact === "critical");
      must(
        serious.length === 0,
        `${name} ${hash}: ` + serious.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html)}`).join("\n"),
      );
    }
    if (width === 1200) {
      await view(page, "#/thing/borea");
      await page.locator("svg.picture a").first().waitFor();
      must((await page.locator("svg.picture a").count()) === 200, "two hundred neighbours are drawn");
      // No name lies on another: along the rim each has a place of its own, wide enough for its letters.
      const pitch = await page.evaluate(() => {
        const dots = [...document.querySelectorAll("svg.picture a circle")].map((dot) => dot.getBoundingClientRect());
        const gaps = dots.slice(1).map((dot, i) => Math.hypot(dot.x - dots[i].x, dot.y - dots[i].y));
        return Math.min(...gaps);
      });
      must(pitch >= 9, "names stand " + pitch + " apart");
      if (pictures) await page.locator("svg.picture").screenshot({ path: `${pictures}/${name}_picture.png` });
    }
    page.good();
    await page.context().close();
  }
});
console.log("looks ok");
