// Names, texts and values that would like to be markup, addresses or another text: in every view they are text.
import { api, browse, enter, kip, must, settled, view } from "./browser.mjs";

const bad = [
  '<img src=x onerror="window.hit=1">',
  "<script>window.hit=1</script>",
  '"><svg onload=window.hit=1>',
  "javascript:window.hit=1",
  "{{constructor.constructor('window.hit=1')()}}",
  "</script><script>window.hit=1//",
  "http://evil.example/?leak",
  "evil\u202Etxt.exe",
  "#/entry/1",
];

await kip('UPSERT { CONCEPT { {type: "$ConceptType", name: "<b onmouseover=window.hit=1>T"} } }');
await kip('UPSERT { CONCEPT { {type: "$PropositionType", name: "<i onclick=window.hit=1>of"} } }');
await kip('UPSERT { CONCEPT { {type: "<b onmouseover=window.hit=1>T", name: "hub"} } }');
for (const name of bad) {
  await kip(
    'UPSERT { CONCEPT ?x { {type: "<b onmouseover=window.hit=1>T", name: :n} SET ATTRIBUTES {note: :n} ' +
      'SET PROPOSITIONS { ("<i onclick=window.hit=1>of", {type: "<b onmouseover=window.hit=1>T", name: "hub"}) } } }',
    { n: name },
  );
  await api("POST", "/v1/memories", { text: "note to self: " + name }).catch(() => {});
}

await browse(async (browser) => {
  const page = await enter(browser);
  const main = page.locator("main");
  const look = async (what) => {
    await settled(page);
    const found = await page.evaluate(() => ({
      hit: window.hit,
      elements: document.querySelectorAll("img, iframe, object, embed, b, #page script, base, style").length,
      addresses: [...document.querySelectorAll("[href], [src], [action], [formaction]")]
        .filter((one) => !one.closest("head"))
        .map((one) => one.getAttribute("href") ?? one.getAttribute("src") ?? "?")
        .filter((one) => !one.startsWith("#/") && one !== "#main"),
      handlers: [...document.querySelectorAll("*")].filter((one) =>
        [...one.attributes].some((attribute) => attribute.name.startsWith("on") || attribute.name === "style"),
      ).length,
      turned: /[\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText + document.title),
    }));
    must(found.hit === undefined, what + ": a script ran");
    must(found.elements === 0, what + ": text became an element");
    must(found.addresses.length === 0, what + ": an address of a text: " + found.addresses);
    must(found.handlers === 0, what + ": an attribute of a text");
    must(!found.turned, what + ": a sign turns the text");
  };
  await view(page, "#/memory");
  await main.getByText('<img src=x onerror="window.hit=1">').first().waitFor();
  await look("memory");
  const things = (await api("GET", "/v1/things?limit=100")).things;
  const hub = things.find((one) => one.name === "hub");
  await view(page, "#/thing/" + hub.id);
  await main.locator("svg.picture a").first().waitFor();
  await main.getByText("evil[U+202E]txt.exe").first().waitFor();
  await look("hub");
  for (const thing of things.filter((one) => bad.includes(one.name))) {
    await view(page, "#/thing/" + thing.id);
    await main.getByRole("region", { name: "Timeline" }).locator("li.card").first().waitFor();
    await main.getByRole("button", { name: /^Why\?/ }).first().click();
    await look("thing " + thing.name);
  }
  for (const hash of ["#/changes", "#/changes?since=1", "#/approvals?all=true", "#/runs", "#/run/<b>1", "#/health"]) {
    await view(page, hash);
    await look(hash);
  }
  for (const text of bad) {
    await view(page, "#/ask");
    await page.getByLabel("Question").fill("What is " + text + "?");
    await page.keyboard.press("Enter");
    await look("ask " + text);
    await view(page, "#/why?" + new URLSearchParams({ about: text }));
    await look("why " + text);
  }
  // An address of the page that somebody else made.
  for (const hash of ["#/thing/<img src=x onerror=window.hit=1>", "#/%E0%A4%A", "#/entry/javascript:1", "#/../../v1/me", "#/why?about=%00"]) {
    await view(page, hash);
    await look(hash);
  }
  page.good();
});
console.log("hostile ok");
