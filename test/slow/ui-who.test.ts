import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CHROMIUM, launch, openedIn } from "./browser.ts";
import { startUi } from "./ui-rig.ts";

// Who gets nothing: pages of others in the same browser, names bound to this address, and other users.

let browser: Browser;
beforeAll(async () => {
  // As a name server would answer that an attacker owns.
  if (CHROMIUM !== undefined)
    browser = await launch(["--host-resolver-rules=MAP evil.test 127.0.0.1"]);
});
afterAll(() => browser?.close());

/** What a page elsewhere tries, in the browser that has the session. Text: the types of a browser are not ours. */
const tries = (own: string): string => `(async () => {
  const own = ${JSON.stringify(own)};
  const credentials = "include";
  const deny = { method: "POST", credentials, mode: "no-cors", body: '{"id":"1"}' };
  const got = [];
  for (const [path, options] of [
    ["sets", { credentials }],
    ["sets", { credentials, mode: "no-cors" }],
    ["questions/deny", deny],
  ]) {
    try {
      const response = await fetch(own + "/api/" + path, options);
      got.push(response.type + response.status + (await response.text()));
    } catch {
      got.push("nothing");
    }
  }
  got.push(await new Promise((resolve) => {
    const stream = new EventSource(own + "/api/stream", { withCredentials: true });
    stream.addEventListener("message", () => resolve("an event"));
    stream.addEventListener("error", () => resolve("no stream"));
  }));
  got.push(await new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = own + "/api/sets";
    script.addEventListener("load", () => resolve("a script"));
    script.addEventListener("error", () => resolve("no script"));
    document.head.append(script);
  }));
  const frame = document.createElement("iframe");
  frame.src = own + "/";
  document.body.append(frame);
  return got;
})()`;

/** The status of a page; one without a body is an error of the browser. */
async function answerTo(page: Page, url: string): Promise<number> {
  const answered = page.waitForResponse(url);
  await expect(page.goto(url)).rejects.toThrow("ERR_HTTP_RESPONSE_CODE_FAILURE");
  return (await answered).status();
}

describe.skipIf(CHROMIUM === undefined)("in the browser that has the session", () => {
  test("a page of another port, another name or a frame gets nothing", async () => {
    const ui = await startUi();
    const page = await openedIn(browser, ui, { expected: [/.*/] });
    await page.getByText("live", { exact: true }).waitFor();
    let cookie = "";
    const elsewhere = createServer((request, response) => {
      cookie = request.headers.cookie ?? cookie;
      response.setHeader("content-type", "text/html");
      response.end("<title>elsewhere</title>");
    });
    elsewhere.listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
    onTestFinished(() => void elsewhere.close());
    const { port } = elsewhere.address() as AddressInfo;
    const own = `http://127.0.0.1:${ui.port}`;
    // Of the same site, so that the browser sends the cookie: the origin tells them apart.
    for (const name of ["127.0.0.1", "evil.test"]) {
      const other = await page.context().newPage();
      await other.goto(`http://${name}:${port}/`);
      const got = await other.evaluate<string[]>(tries(own));
      expect(got).toEqual(["nothing", "nothing", "nothing", "no stream", "no script"]);
      const frame = await other.waitForSelector("iframe");
      const inside = await frame.contentFrame();
      await expect.poll(() => inside?.url() ?? "", { timeout: 30_000 }).not.toBe("about:blank");
      expect(await inside?.locator(".source").count()).toBe(0);
    }
    // Cookies do not tell ports apart. The other server can use it, and gets no more than the files of the page.
    expect(cookie).toContain(`orcs_ui_${ui.port}=`);
    const used = async (path: string) =>
      (await fetch(`${own}${path}`, { headers: { cookie } })).status;
    expect([await used("/"), await used("/api/sets"), await used("/api/stream")]).toEqual([
      200, 401, 401,
    ]);
    // A page that is loaded again still has the secret of its tab, and shows it without a frame, as in the background.
    await page.addInitScript("window.requestAnimationFrame = () => 0");
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
    expect(page.url()).not.toContain("tab=");
    // A name that was bound to this address later.
    const rebound = await page.context().newPage();
    expect(await answerTo(rebound, `http://evil.test:${ui.port}/`)).toBe(403);
    // A page without the cookie.
    const bare = await (await browser.newContext()).newPage();
    expect(await answerTo(bare, `${own}/`)).toBe(401);
    await bare.context().close();
  });
});

/** Of nobody. */
const OTHER = 65534;

test.skipIf(process.getuid?.() !== 0)(
  "another user gets neither the page nor the events",
  async () => {
    const ui = await startUi();
    const script = `
const got = [];
const response = await fetch("http://127.0.0.1:${ui.port}/api/sets");
got.push(response.status + (await response.text()));
const { connect } = await import("node:net");
await new Promise((resolve) => {
  const socket = connect(${JSON.stringify(ui.service.at.socket)});
  socket.on("connect", () => resolve(got.push("connected")));
  socket.on("error", ({ code }) => resolve(got.push(code)));
});
console.log(JSON.stringify(got));
process.exit();
`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      uid: OTHER,
      gid: OTHER,
      cwd: "/",
      env: {},
      encoding: "utf8",
    });
    expect({ stderr, got: JSON.parse(stdout) as unknown }).toEqual({
      stderr: "",
      got: ["401", "EACCES"],
    });
  },
);
