import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { notTested } from "./npm-tool.ts";

/** The browser of this machine: `CHROMIUM_PATH`, or one on the PATH. Nothing is downloaded. */
export const CHROMIUM: string | undefined = [
  process.env["CHROMIUM_PATH"] ?? "",
  ...(process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) =>
      ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)),
    ),
].find((file) => file !== "" && isProgram(file));

if (CHROMIUM === undefined) {
  notTested("the page of orcs ui", "There is no chromium on the PATH or in CHROMIUM_PATH");
}

export function launch(args: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("there is no browser");
  // Tests run as root in containers, where the browser's own sandbox cannot start.
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", ...args] });
}

/** Open the link as a person does. Whatever the page complains about, or asks others for, fails the test. */
export async function openedIn(
  browser: Browser,
  { url, port }: { readonly url: string; readonly port: number },
  { width = 1200, expected = [] }: { width?: number; expected?: readonly RegExp[] } = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  const problems: string[] = [];
  const complain = (text: string): void => {
    if (!expected.some((pattern) => pattern.test(text))) problems.push(text);
  };
  page.on("pageerror", (error) => complain(error.message));
  page.on("console", (line) => {
    if (line.type() === "error") complain(line.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`http://127.0.0.1:${port}/`)) complain(request.url());
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.addInitScript({ content: COUNT_CLICKS });
  await page.goto(url);
  await page.locator(".source").waitFor();
  return page;
}

/** Runs in the page. Text, because the types of a browser are not those of these tests. */
const COUNT_CLICKS = `
globalThis.clicks = 0;
addEventListener("click", ({ isTrusted }) => { if (isTrusted) clicks++; }, true);
`;

/** How often somebody has clicked in a page. */
export function clicksIn(page: Page): Promise<number> {
  return page.evaluate<number>("clicks");
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** With `ORCS_SCREENSHOTS=FOLDER`, pictures of a page to look at: wide and narrow, light and dark. */
export async function pictured(page: Page, name: string): Promise<void> {
  const folder = process.env["ORCS_SCREENSHOTS"];
  if (folder === undefined) return;
  const before = page.viewportSize();
  for (const width of [1200, 400]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  if (before) await page.setViewportSize(before);
}
