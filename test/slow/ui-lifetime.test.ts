import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { folder } from "../dist/orcs.ts";
import { serving, trustedByServices } from "../dist/service.ts";
import { CHROMIUM, launch, openedIn } from "./browser.ts";
import { callAt, GUARDED, linkIn, startPage, startUi } from "./ui-rig.ts";

// The page while what it watches begins, ends and begins again.

let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM !== undefined) browser = await launch();
});
afterAll(() => browser?.close());

const FORCE = { command: "git push --force" };

describe.skipIf(CHROMIUM === undefined)("the page", () => {
  test("shows a service again after it was ended and started", async () => {
    const ui = await startUi();
    const page = await openedIn(browser, ui);
    await page.getByText("live", { exact: true }).waitFor();
    await ui.call(FORCE);
    const denied = page.locator(".row.is-denied");
    await expect.poll(() => denied.count(), { timeout: 30_000 }).toBe(1);
    ui.service.child.kill("SIGTERM");
    await ui.service.ended;
    // The page has it started again.
    await page.getByText("live", { exact: true }).waitFor();
    const { socket } = ui.service.at;
    const pid = Number(readFileSync(socket.replace(/sock$/, "pid"), "utf8"));
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    await callAt(socket, FORCE);
    await expect.poll(() => denied.count(), { timeout: 30_000 }).toBe(2);
  });

  test("orcs serve --ui serves both, and ends both", async () => {
    const dir = folder(GUARDED);
    await trustedByServices(dir);
    const both = startPage(dir, ["serve", "--ui", "--json"]);
    const { socket } = JSON.parse(await both.line()) as { socket: string };
    const link = linkIn(await both.line());
    const page = await openedIn(browser, link, { expected: [/ERR_CONNECTION|ERR_INCOMPLETE/] });
    await page.getByText("live", { exact: true }).waitFor();
    await callAt(socket, FORCE);
    await page.locator(".row.is-denied").waitFor();
    both.child.kill("SIGTERM");
    await page.getByText("orcs ui has ended").waitFor();
    await expect.poll(() => both.child.exitCode, { timeout: 30_000 }).toBe(0);
    await expect(fetch(`http://127.0.0.1:${link.port}/`)).rejects.toThrow("fetch failed");
  });

  test("orcs ui SCRIPT runs the script when the page is open, and shows its calls", async () => {
    const dir = folder({
      ...GUARDED,
      "agent.lua": `orcs.exec("git push --force") orcs.exec("true")`,
    });
    const ui = startPage(dir, ["ui", "agent.lua", "--config", "orcs.toml", "--json"]);
    const page = await openedIn(browser, linkIn(await ui.line()));
    await page.getByText("the script has ended").waitFor();
    const denied = page.locator(".row.is-denied");
    expect(await denied.count()).toBe(1);
    await denied.click();
    await page.getByText("a force push loses work").first().waitFor();
  });

  test("four pages can watch a service; another one says why it cannot", async () => {
    const dir = folder(GUARDED);
    await trustedByServices(dir);
    const service = await serving(dir);
    const uis = Array.from({ length: 5 }, () => startPage(dir, ["ui", "--json"]));
    const pages = [];
    for (const ui of uis) pages.push(await openedIn(browser, linkIn(await ui.line())));
    const last = pages.pop();
    for (const page of pages) await page.getByText("live", { exact: true }).waitFor();
    await last?.getByText("4 others read the events of this service").waitFor();
    await callAt(service.at.socket, FORCE);
    for (const page of pages) await page.locator(".row.is-denied").waitFor();
  });
});
