// A token that only reads has no button that writes, and sends no request that would.
import { mkdirSync, writeFileSync } from "node:fs";
import { api, browse, enter, must, reader, settled, space, view } from "./browser.mjs";

await api("POST", "/v1/memories", { text: "Ada works at Initech" });
mkdirSync(space + "/policy", { recursive: true, mode: 0o700 });
writeFileSync(space + "/policy/own.mg", 'ask(Call, "ask me first") :- call(Call, "http:remember", _, _).\n');
await api("POST", "/v1/memories", { text: "the vault is blue" }).catch(() => {});

await browse(async (browser) => {
  const page = await enter(browser, { token: reader });
  const asked = [];
  page.on("request", (request) => asked.push(request.method() + " " + new URL(request.url()).pathname));
  for (const hash of ["#/ask", "#/memory", "#/thing/Ada", "#/why?about=Ada+works+at+Initech", "#/changes", "#/entry/3", "#/approvals", "#/runs", "#/health"]) {
    await view(page, hash);
    await settled(page);
    for (const name of [/withdraw/i, /correct/i, /undo/i, /^tell$/i, /forget/i, /grant/i])
      must((await page.getByRole("button", { name }).count()) === 0, hash + " has a button " + name);
  }
  await view(page, "#/memory");
  await page.locator("li.card", { hasText: "Ada works at Initech" }).waitFor();
  // The owner made this token to see what waits, of others too.
  await view(page, "#/approvals");
  await page.locator("main").getByRole("link", { name: "http:remember" }).click();
  await page.locator("main").getByText("the vault is blue").waitFor();
  const writes = asked.filter((one) => !one.startsWith("GET ") && one !== "POST /v1/ask" && one !== "POST /v1/why");
  must(writes.length === 0, "it asked to write: " + writes);
  page.good();
});
console.log("reads ok");
