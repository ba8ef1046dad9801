// Each view with data, as a person uses it.
import { writeFileSync, mkdirSync } from "node:fs";
import { api, browse, enter, must, settled, space, view } from "./browser.mjs";

await browse(async (browser) => {
  const page = await enter(browser);
  const main = page.locator("main");
  const has = (text) => main.getByText(text).first().waitFor();

  // Memory: tell, and find it again.
  await page.getByRole("link", { name: "Memory" }).click();
  await page.getByLabel("Tell it something").fill("Ada works at Initech");
  await page.getByRole("button", { name: "Tell", exact: true }).click();
  await has("It is kept.");
  await has("Ada works at Initech");
  // A name that it does not know it asks about.
  await page.getByLabel("Tell it something").fill("Bea works at Globex");
  await page.getByRole("button", { name: "Tell", exact: true }).click();
  await has('Is "Bea" a name?');
  await page.getByRole("button", { name: "yes", exact: true }).click();
  await has(/Stated: Bea works_at Globex/);
  await page.getByLabel("Search memories and things").fill("Globex");
  await page.getByRole("button", { name: "Search" }).click();
  await has("Bea works at Globex");
  await page.getByRole("region", { name: "Things" }).getByRole("link", { name: "Globex" }).first().waitFor();

  // Ask: the answer, its query, the proof, down to the entry; a follow-up.
  await page.getByRole("link", { name: "Ask" }).click();
  await page.getByLabel("Question").fill("Where does Ada work?");
  await page.keyboard.press("Enter");
  await has(/Initech/);
  await has("The query that was run");
  await main.getByText("The query that was run").click();
  await has(/FIND|works_at/);
  await main.getByText(/^Why: the proof/).click();
  await main.getByRole("button", { name: /^Why .*Initech/ }).first().click();
  await has(/stated/);
  await page.getByLabel("Question").fill("and Bea?");
  await page.keyboard.press("Enter");
  await has(/Globex/);
  await page.getByLabel("Question").fill("What is the colour of Ada?");
  await page.keyboard.press("Enter");
  await has("not known:");

  // A thing: facts with sources, why, picture, timeline, an earlier state.
  await view(page, "#/memory?query=Ada");
  await page.getByRole("region", { name: "Things" }).getByRole("link", { name: "Ada", exact: true }).first().click();
  await page.getByRole("heading", { name: "Ada", exact: true }).waitFor();
  await has(/works_at/);
  await page.getByRole("button", { name: /^Why\? Ada works_at Initech/ }).click();
  await has(/stated/);
  await main.getByRole("link", { name: /^entry \d+$/ }).first().click();
  await page.getByRole("heading", { name: /^Entry \d+ of the log/ }).waitFor();
  await has(/by http:writer/);
  await page.goBack();
  await page.locator("svg.picture a").first().waitFor();
  await page.locator("svg.picture a").first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Initech", exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("region", { name: "Timeline" }).getByText(/Initech/).first().waitFor();
  await page.getByRole("link", { name: "as it was then" }).last().click();
  await page.getByRole("link", { name: "as it is now" }).waitFor();
  must((await page.getByRole("button", { name: /Withdraw/ }).count()) === 0, "the past is not changed");
  await page.getByRole("link", { name: "as it is now" }).click();

  // Correct, withdraw with what would go, undo.
  await view(page, "#/memory");
  const card = page.locator("li.card", { hasText: "Bea works at Globex" });
  await card.getByRole("button", { name: "Correct …" }).click();
  await page.getByLabel("The text").fill("Bea works at Hooli");
  await page.getByRole("button", { name: "Put it there" }).click();
  await has("Bea works at Hooli");
  await page.locator("li.card", { hasText: "Bea works at Hooli" }).getByRole("button", { name: "Withdraw …" }).click();
  await page.getByRole("dialog").getByText(/works_at.*Hooli/).waitFor();
  await page.getByRole("button", { name: "Withdraw it" }).click();
  await has("It is withdrawn.");
  await page.locator("li.card", { hasText: "Hooli" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo …" }).first().click();
  await page.getByRole("dialog").getByText("Would come back").waitFor();
  await page.getByRole("button", { name: "Undo it" }).click();
  await has("Bea works at Hooli");

  // A fact is withdrawn, and comes back.
  await view(page, "#/thing/Ada");
  await page.getByRole("button", { name: /^Withdraw … Ada works_at Initech/ }).click();
  await page.getByRole("dialog").getByText(/deleted propositions: 1/).waitFor();
  await page.getByRole("button", { name: "Withdraw it" }).click();
  await has("It is withdrawn.");
  await page.getByRole("button", { name: /^Why\? Ada works_at Initech/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo …" }).first().click();
  await page.getByRole("button", { name: "Undo it" }).click();
  await page.getByRole("button", { name: /^Why\? Ada works_at Initech/ }).waitFor();

  // Why.
  await view(page, "#/why");
  await page.getByLabel(/A fact, in words/).fill("Ada works at Initech");
  await page.keyboard.press("Enter");
  await has(/stated/);

  // Changes: what was, what comes, and the undo of one's own act.
  await view(page, "#/changes");
  await has(/Hooli/);
  await api("POST", "/v1/memories", { text: "Walter lives in Bremen" });
  const change = page.locator("li.card", { hasText: "Bremen" }).first();
  await change.waitFor();
  await change.getByRole("button", { name: "Undo …" }).click();
  await page.getByRole("dialog").getByText(/Bremen/).first().waitFor();
  await page.getByRole("button", { name: "Undo it" }).click();
  await page.locator("li.card li.went", { hasText: "Bremen" }).first().waitFor();
  await page.getByLabel("What changed since").fill("2");
  await page.keyboard.press("Enter");
  await has(/came, .* went, up to entry/);

  // Health.
  await view(page, "#/health");
  await has("It can be read and written.");
  await page.getByRole("rowheader", { name: "Entries of the log" }).waitFor();
  await page.getByRole("cell", { name: "/v1/ask" }).waitFor();

  // Approvals: what would happen, and how to answer; no button does it.
  mkdirSync(space + "/policy", { recursive: true, mode: 0o700 });
  writeFileSync(space + "/policy/own.mg", 'ask(Call, "ask me first") :- call(Call, "http:remember", _, _).\n');
  await api("POST", "/v1/memories", { text: "the vault is blue" }).catch(() => {});
  await view(page, "#/approvals");
  await main.getByRole("link", { name: "http:remember" }).click();
  await has("the vault is blue");
  await has(/anima approve grant/);
  must((await page.getByRole("button", { name: /grant|approve|deny/i }).count()) === 0, "no button approves");
  await settled(page);
  page.good();

  // Leaving forgets the token.
  await page.getByRole("button", { name: "Leave" }).click();
  await page.getByLabel("Token").waitFor();
  must((await page.evaluate(() => sessionStorage.length + localStorage.length)) === 0, "nothing of the token stays");
  await page.getByLabel("Token").fill("wrong");
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByRole("alert").getByText("the token is none of this space").waitFor();
});
console.log("views ok");
