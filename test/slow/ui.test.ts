import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orcs } from "../dist/orcs.ts";
import { CHROMIUM, clicksIn, launch, openedIn, pictured } from "./browser.ts";
import { callAt, GUARDED, startUi } from "./ui-rig.ts";

// The page of `orcs ui` in a real browser, in front of a service.

let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM !== undefined) browser = await launch();
});
afterAll(() => browser?.close());

describe.skipIf(CHROMIUM === undefined)("the page", () => {
  test("shows calls as they happen, and the chain that denied or changed one", async () => {
    // Before anybody looks.
    const ui = await startUi(GUARDED, ({ at }) =>
      callAt(at.socket, { command: "git push --force-with-lease" }),
    );
    const page = await openedIn(browser, ui);
    const rows = page.locator(".row:not(.past)");
    const detail = page.getByRole("region", { name: "Event", exact: true });
    const past = page.locator(".row.past.is-denied");
    await past.click();
    await detail.getByText("From the audit log").waitFor();
    expect(await detail.locator(".step.ran.deny").textContent()).toContain("no-force");
    await page.keyboard.press("Escape");
    expect(await ui.call({ command: "git push --force" })).toMatchObject({ action: "abort" });
    await ui.call({ command: "git log" });
    await ui.call({ command: "ls" });
    await expect.poll(() => rows.count()).toBe(3);

    const denied = page.locator(".row.is-denied:not(.past)");
    expect(await denied.textContent()).toContain("git push --force");
    // The hook in shadow has run after the decision.
    await denied.getByText("no-remote would: denied").waitFor();
    await denied.click();
    const unenforced = detail.locator(".step.unenforced", { hasText: "no-remote" });
    expect(await unenforced.textContent()).toContain("would denynot enforced");
    await detail.getByText("a force push loses work").first().waitFor();
    expect(await detail.locator(".step.ran.deny").textContent()).toContain("no-force");
    // The line of the hook's source, as it is.
    const source = await detail.locator(".step.ran.deny .source-line").textContent();
    expect(source).toContain("hooks/no-force.lua:");
    // A hook that never had its turn is among those that did not run.
    expect(await detail.locator(".step.not_reached").count()).toBe(0);
    await detail.getByRole("button", { name: /did not run/ }).click();
    expect(await detail.locator(".step.not_reached").count()).toBeGreaterThan(0);

    await pictured(page, "denied");
    await rows.filter({ hasText: "changed" }).click();
    const change = detail.locator(".change");
    await change.waitFor();
    expect(await change.locator("del").textContent()).toBe("git log");
    expect(await change.locator("ins").textContent()).toBe("git log -n 20");
    await detail.getByRole("button", { name: /did not run/ }).click();
    const unmatched = detail.locator(".step.not_matched", { hasText: "only-writes" });
    expect(await unmatched.textContent()).toMatch(/tool wants write, and it is exec/);

    // By keys alone.
    await page.keyboard.press("Escape");
    await expect.poll(() => detail.count()).toBe(0);
    await page.keyboard.press("/");
    await page.keyboard.type("push --force");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel("Search").fill("");
    await page.getByRole("listbox", { name: /^Events/ }).focus();
    await page.keyboard.press("p");
    await ui.call({ command: "pwd" });
    await page.getByRole("button", { name: "Resume (1 new)" }).waitFor();
    expect(await rows.count()).toBe(3);
    await page.keyboard.press("p");
    await expect.poll(() => rows.count()).toBe(4);
    await page.keyboard.press("ArrowDown");
    await detail.waitFor();
    await page.getByLabel("Decision").selectOption("denied");
    // That of the log as well.
    await expect.poll(() => page.locator(".row").count()).toBe(2);

    // A link opens once, and a browser without the cookie gets nothing.
    const other = await browser.newContext();
    expect((await other.request.get(ui.url)).status()).toBe(401);
    const stranger = await other.request.get(`http://127.0.0.1:${ui.port}/`);
    expect([stranger.status(), await stranger.text()]).toEqual([401, ""]);
    await other.close();
  });

  test("a denied call is a green test after three clicks; a replay shows what an edit changes", async () => {
    const ui = await startUi();
    const page = await openedIn(browser, ui);
    // What happens before is in the audit log alone.
    await page.getByRole("status").getByText("live", { exact: true }).waitFor();
    await ui.call({ command: "git push --force" });
    const began = performance.now();
    expect(await clicksIn(page)).toBe(0);
    await page.locator(".row.is-denied").click();
    await page.getByRole("button", { name: "Save as test" }).click();
    const saved = page.getByText(/The test written to hooks\/no-force_test.lua: 1 passed/);
    await saved.waitFor();
    // The goal is three clicks and ten seconds; a busy machine is no reason to fail.
    expect(await clicksIn(page)).toBe(2);
    const took = performance.now() - began;
    process.stderr.write(`from a denied call to a green test: ${Math.round(took)} ms, 2 clicks\n`);
    expect(took).toBeLessThan(30_000);
    const tests = readFileSync(join(ui.dir, "hooks/no-force_test.lua"), "utf8");
    expect(tests).toContain("a force push loses work");
    const ran = await orcs(["test", "--config", "orcs.toml"], { cwd: ui.dir });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 passed/) as string });

    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("The same outcome as before.").waitFor();
    await page.getByRole("button", { name: "Edit hooks/no-force.lua" }).click();
    const editor = page.getByLabel("Script of the hook");
    await editor.waitFor();
    const text = readFileSync(join(ui.dir, "hooks/no-force.lua"), "utf8");
    const typed = async (line: string): Promise<void> => {
      await editor.click();
      await page.keyboard.press("Control+Home");
      await page.keyboard.type(`${line} `);
      await page.getByRole("button", { name: "Replay with this text" }).click();
    };
    await typed('do return { point = "tool.pre_execute", handler = function() end } end');
    await page.getByText(/^Differs in: .*action/).waitFor();
    await pictured(page, "replay");
    await typed("return {");
    await page.locator(".cm-lint-marker-error").first().waitFor();
    await page.getByText("The hooks do not load:").waitFor();
    // Nothing was saved but the test.
    expect(readFileSync(join(ui.dir, "hooks/no-force.lua"), "utf8")).toBe(text);

    await page.getByRole("button", { name: "Sets" }).click();
    await page.getByRole("cell", { name: "no-force", exact: true }).waitFor();
    await page.getByRole("cell", { name: "orcs:self-guard", exact: true }).first().waitFor();
    const shadow = page.getByRole("row").filter({ hasText: "no-remote" });
    expect(await shadow.textContent()).toContain("not enforced");
    await pictured(page, "sets");
    await page.getByRole("button", { name: "Numbers" }).click();
    const row = page.getByRole("row").filter({ hasText: "no-force" });
    await row.waitFor();
    await page.getByText("1 run: would deny 1").waitFor();
    await page.getByText("orcs rules promote no-remote").waitFor();
    await pictured(page, "numbers");
    expect(await row.getByRole("cell").nth(3).textContent()).toBe("1");
  });
});
