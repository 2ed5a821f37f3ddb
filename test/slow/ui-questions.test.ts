import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HAS_TERMINAL } from "../dist/at-terminal.ts";
import { folder, PATIENT } from "../dist/orcs.ts";
import { CHROMIUM, launch, openedIn, pictured } from "./browser.ts";
import type { PageProcess } from "./ui-rig.ts";
import { linkIn, startPage } from "./ui-rig.ts";

// Questions that wait for a person: denied in the page, approved with a code that only the terminal of `orcs ui` shows.

let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM !== undefined) browser = await launch();
});
afterAll(() => browser?.close());

const ASKS = {
  "orcs.toml": `${PATIENT}
[hil]
timeout_ms = 120000
[[hooks]]
id = "asker"
point = "tool.pre_execute"
match = { tool = "write" }
handler_inline = 'return orcs.ask("it writes")'
`,
  "agent.lua": `
for _, file in ipairs { "one", "two" } do
  local answer = orcs.write(file, "x")
  orcs.emit_output(file .. ": " .. (answer.error or "written"))
end
`,
};

async function linkOf(ui: PageProcess): Promise<{ url: string; port: number }> {
  const [url = "", port] = await ui.shows(/http:\/\/127\.0\.0\.1:(\d+)\/open\/\S+/);
  return { url, port: Number(port) };
}

describe.skipIf(CHROMIUM === undefined || !HAS_TERMINAL)("questions of a script", () => {
  test("one is approved with the code, the next is denied", async () => {
    const dir = folder(ASKS);
    const args = ["ui", "agent.lua", "--config", "orcs.toml"];
    const ui = startPage(dir, args, { terminal: true });
    const page = await openedIn(browser, await linkOf(ui), { expected: [/422/] });
    await page.getByTitle("Questions that wait").waitFor();
    await page.getByRole("button", { name: /^Questions/ }).click();
    const questions = page.getByRole("region", { name: "Questions" });
    const [question, next] = ["one", "two"].map((name) =>
      questions.getByRole("listitem").filter({ hasText: name }),
    );
    await question?.getByRole("button", { name: "Run it …" }).click();
    const [, code = ""] = await ui.shows(/it writes[\s\S]*enter ([A-Z2-9]{8}) on the page/);
    await question?.getByLabel("Code").fill("AAAAAAAA");
    await question?.getByRole("button", { name: "Run it", exact: true }).click();
    await page.getByRole("alert").getByText("the code is wrong").waitFor();
    expect(existsSync(join(dir, "one"))).toBe(false);
    await pictured(page, "questions");
    await question?.getByLabel("Code").fill(code);
    await question?.getByRole("button", { name: "Run it", exact: true }).click();
    await ui.shows(/one: written/);
    await next?.getByRole("button", { name: "Deny" }).click();
    await ui.shows(/two: denied by hook asker: not approved/);
    expect([existsSync(join(dir, "one")), existsSync(join(dir, "two"))]).toEqual([true, false]);
    await page.getByText("the script has ended").waitFor();
  });

  test("without a terminal, the page has no way to approve", async () => {
    const dir = folder(ASKS);
    const ui = startPage(dir, ["ui", "agent.lua", "--config", "orcs.toml", "--json"]);
    const page = await openedIn(browser, linkIn(await ui.line()));
    await page.getByRole("button", { name: /^Questions/ }).click();
    const questions = page.getByRole("region", { name: "Questions" });
    await questions.getByRole("button", { name: "Deny" }).waitFor();
    await questions.getByText("Approving needs a code").waitFor();
    expect(await questions.getByRole("button").count()).toBe(1);
  });
});
