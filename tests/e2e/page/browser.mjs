// A browser on the page of a server, and what its tests share. Whatever goes wrong in it is kept and fails the test:
// faults of scripts, what the policy of the page refuses, requests to other hosts, dialogs that a script opens.
import { chromium } from "playwright-core";

export const url = process.argv[2];
export const writer = process.argv[3];
export const reader = process.argv[4];
export const space = process.argv[5];

export function must(holds, what) {
  if (!holds) throw new Error("FAILED: " + what);
}

// As another program than the page uses /v1.
export async function api(method, path, body, token = writer) {
  const answer = await fetch(url + path, {
    method,
    headers: { Authorization: "Bearer " + token, ...(body ? { "Content-Type": "application/json" } : {}) },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`FAILED: ${method} ${path}: ${text}`);
  return JSON.parse(text);
}

export async function kip(command, parameters) {
  const answer = await api("POST", "/v1/kip", { command, parameters });
  must(!answer.error, command + ": " + JSON.stringify(answer.error));
  return answer.result;
}

export async function browse(test) {
  const browser = await chromium.launch({
    executablePath: process.env.ANIMA_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"], // for root, as CI is
  });
  try {
    await test(browser);
  } finally {
    await browser.close();
  }
}

export async function enter(browser, { token = writer, options = {} } = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  const wrong = [];
  page.on("pageerror", (error) => wrong.push("script: " + error.message));
  page.on("console", (said) => {
    if (said.type() !== "error" && said.type() !== "warning") return;
    // A browser tells each answer that refuses; the page shows it.
    if (/^Failed to load resource: the server responded with a status of 4/.test(said.text())) return;
    wrong.push("console: " + said.text());
  });
  page.on("dialog", (dialog) => {
    wrong.push("dialog: " + dialog.message());
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url + "/")) wrong.push("request: " + request.url());
  });
  page.good = () => must(wrong.length === 0, wrong.join("\n"));
  await page.goto(url + "/");
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByRole("navigation").waitFor();
  return page;
}

export async function view(page, hash) {
  await page.evaluate((to) => (location.hash = to), hash);
  await page.locator("main h1").first().waitFor();
}

// Until nothing is asked any more.
export async function settled(page) {
  await page.waitForFunction(() => !document.body.innerText.includes("looking …"));
  await page.waitForTimeout(250);
}
