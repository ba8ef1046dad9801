// The page without a mouse: every control is reached and seen, dialogs take and give back the focus.
import { api, browse, must, url, view, writer } from "./browser.mjs";

await api("POST", "/v1/memories", { text: "Ada works at Initech" });
await browse(async (browser) => {
  const page = await browser.newPage();
  page.setDefaultTimeout(15000);
  const key = (name) => page.keyboard.press(name);
  const focused = () =>
    page.evaluate(() => {
      const one = document.activeElement;
      if (one === document.body) return "";
      return (one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? one.innerText ?? "").trim();
    });
  const until = async (name) => {
    for (let i = 0; i < 60; ++i) {
      await key("Tab");
      if ((await focused()).startsWith(name)) {
        must(
          await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== "none"),
          "the focus is seen at " + name,
        );
        return;
      }
    }
    throw new Error("FAILED: Tab does not reach " + name);
  };
  await page.goto(url + "/");
  await until("Token");
  await page.keyboard.type(writer);
  await key("Enter");
  await page.getByRole("navigation").waitFor();
  must((await focused()) === "Question", "a question can be typed at once");
  await page.keyboard.type("Where does Ada work?");
  await key("Enter");
  await page.locator("main").getByText(/Initech/).first().waitFor();
  await until("The query that was run");
  await key("Enter");
  must(await page.locator("details[open] pre").first().isVisible(), "the query opens");

  await page.reload();
  await page.getByRole("navigation").waitFor();
  must(await page.evaluate(() => sessionStorage.length === 1), "the token stays in the tab");
  await page.evaluate(() => document.activeElement.blur());
  await until("Skip to the view");
  await key("Enter");
  must((await page.evaluate(() => document.activeElement.id)) === "main", "skipped to the view");

  // An address that is none of its own shows the first view, also one that is called as what scripts have.
  for (const other of ["#/no-such-view", "#/constructor", "#/toString", "#/__proto__"]) {
    await page.goto(url + "/" + other);
    await page.reload();
    await page.getByLabel("Question").waitFor();
  }

  await view(page, "#/memory");
  await page.getByRole("button", { name: "Withdraw …" }).first().waitFor();
  await page.evaluate(() => document.querySelector("input[type=search]").focus());
  await until("Withdraw …");
  await key("Enter");
  await page.getByRole("dialog").waitFor();
  must(await page.evaluate(() => document.activeElement.closest("dialog") !== null), "the dialog has the focus");
  for (let i = 0; i < 8; ++i) await key("Tab");
  must(
    await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest("dialog") !== null),
    "the focus stays in the dialog",
  );
  await key("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  must((await focused()) === "Withdraw …", "the focus is back, at: " + (await focused()));

  await view(page, "#/thing/Ada");
  await page.locator("svg.picture a").first().waitFor();
  must((await page.evaluate(() => document.activeElement.tagName)) === "H1", "another view begins at its title");
  await until("Picture of the neighbours");
  await key("Tab");
  await key("Enter");
  await page.getByRole("heading", { name: "Initech", exact: true }).waitFor();
});
console.log("keyboard ok");
