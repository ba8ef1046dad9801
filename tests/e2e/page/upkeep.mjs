// Runs with their cycles and scores, cycles of sleep as lines, and two things that become one: what would change is
// shown first, and it can be undone.
import { browse, enter, kip, must, reader, settled, view } from "./browser.mjs";

await kip('UPSERT { CONCEPT { {type: "$ConceptType", name: "Host"} } CONCEPT { {type: "$PropositionType", name: "linked_with"} } }');
await kip('UPSERT { CONCEPT { {type: "Host", name: "borea"} SET ATTRIBUTES {memory_gb: 64, room: "cellar"} } CONCEPT { {type: "Host", name: "atlas"} } }');
await kip('UPSERT { CONCEPT ?x { {type: "Host", name: "borea server"} SET ATTRIBUTES {memory_gb: 32, maker: "Acme"} SET PROPOSITIONS { ("linked_with", {type: "Host", name: "atlas"}) } } }');

await browse(async (browser) => {
  // A run of an agent, and sleep, as the test's shell left them; for who sees what is the owner's.
  const owner = await enter(browser, { token: reader });
  const main = owner.locator("main");
  await view(owner, "#/runs");
  await main.getByRole("link", { name: /^run \d+$/ }).first().click();
  await owner.getByRole("heading", { name: /^Run \d+/ }).waitFor();
  await main.getByText("Cycle 1", { exact: true }).waitFor();
  await main.getByText(/^What was weighed: \d+/).first().click();
  await main.getByRole("columnheader", { name: "Score" }).first().waitFor();
  must((await main.locator("table tbody tr").count()) > 0, "candidates with their scores");
  await main.getByText(/\d+ cycles, \d+ steps; \d+ answers of tools, \d+ of models/).waitFor();
  await view(owner, "#/health");
  const sleep = owner.getByRole("region", { name: "Sleep" });
  await sleep.getByText("Cycle 1", { exact: true }).waitFor();
  must((await sleep.getByRole("img").count()) === 6, "six plots");
  must((await sleep.locator("svg.plot circle").count()) === 12, "two cycles are drawn in each");
  await owner.getByRole("img", { name: /^Unsorted after each of 2 cycles/ }).waitFor();
  owner.good();

  const page = await enter(browser);
  const here = page.locator("main");
  await view(page, "#/runs");
  await here.getByText(/--approvals/).waitFor();
  // The two are one thing.
  await view(page, "#/thing/borea");
  await page.getByRole("button", { name: "Merge …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^borea server/ }).click();
  await dialog.getByText("Would be said of it (2)").waitFor();
  await dialog.getByText(/borea linked_with atlas/).waitFor();
  await dialog.getByText(/Acme/).waitFor();
  await dialog.getByText("The two differ (1)").waitFor();
  await dialog.getByText(/64 stays; 32 is kept as a contradiction/).waitFor();
  await dialog.getByText(/Links that move: 1/).waitFor();
  await dialog.getByRole("button", { name: "Merge them" }).click();
  await here.getByText("The two are one now.").waitFor();
  await here.getByText(/Acme/).first().waitFor();
  await here.getByRole("button", { name: /^Why\? borea linked_with atlas/ }).waitFor();
  await settled(page);
  await page.getByRole("button", { name: "Undo …" }).first().click();
  await page.getByRole("button", { name: "Undo it" }).click();
  await here.getByRole("button", { name: /^Why\? borea linked_with atlas/ }).waitFor({ state: "detached" });
  await view(page, "#/memory?query=borea");
  await page.getByRole("region", { name: "Things" }).getByRole("link", { name: "borea server" }).first().waitFor();
  page.good();
});
console.log("upkeep ok");
