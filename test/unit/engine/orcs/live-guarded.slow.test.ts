import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { found, hashesOf, home, hook, trustIt } from "../../config/trust/rig.ts";
import { Servers } from "../handlers/webhook-rig.ts";
import { call, folder, isRunning, open } from "./engine.ts";

/** Handlers that live on: what is trusted of them, what they are sent, and what they do in shadow and at a reload. */

const PRE = "tool.pre_execute";
const GUARD = readFileSync(join(import.meta.dirname, "../handlers/live/guard.mjs"), "utf8");
const PROCESS = `handler = { process = ["${process.execPath}", "guard.mjs"], protocol = "jsonrpc" }`;
const PATIENCE = { timeout: 30_000 };

/** Answers with what it was sent, as the reason of a denial. */
const TELLS = GUARD.replace(
  /: params\.payload[\s\S]*: null;/,
  `: { action: "abort", reason: JSON.stringify({ pid: process.pid, params }) };`,
);

async function run(orcs: Orcs, command: string): Promise<string> {
  const outcome = await orcs.dispatch(PRE, call("exec", { command }));
  return outcome.action === "abort" ? outcome.reason : outcome.action;
}

describe("a discovered project", () => {
  test("starts no handler before it is trusted", async () => {
    home();
    const touches = `import { writeFileSync } from "node:fs"; writeFileSync("started", "");\n${GUARD}`;
    const dir = folder({ "orcs.toml": hook("g", PROCESS), "guard.mjs": touches });
    const { orcs } = await found(dir);
    expect(await run(orcs, "rm")).toBe("continue");
    expect(() => readFileSync(join(dir, "started"))).toThrow("ENOENT");
    await trustIt(dir);
    expect(await run((await found(dir)).orcs, "rm")).toBe("not rm");
  });

  test("runs the sealed program, whatever becomes of the file", async () => {
    home();
    const dir = folder({ "orcs.toml": hook("g", PROCESS), "guard.mjs": GUARD });
    expect(Object.keys(hashesOf(await trustIt(dir)))).toEqual(["guard.mjs", "orcs.toml"]);
    const { orcs } = await found(dir);
    expect(await run(orcs, "rm a")).toBe("not rm a");
    writeFileSync(join(dir, "guard.mjs"), GUARD.replace('"abort"', '"continue"'));
    expect(await run(orcs, "rm b")).toBe("not rm b");
    expect(await run((await found(dir)).orcs, "rm c")).toBe("not rm c");
  });

  test("denies when the sealed copy itself was changed, although the handler runs already", async () => {
    home();
    const tells = GUARD.replace("`not ", "`${import.meta.filename} not ");
    const dir = folder({
      "orcs.toml": hook("g", `${PROCESS}\non_error = "open"`),
      "guard.mjs": tells,
    });
    await trustIt(dir);
    const { orcs } = await found(dir);
    const [copy = ""] = (await run(orcs, "rm")).split(" not ");
    expect(copy).toContain("seals");
    writeFileSync(copy, GUARD.replace('"abort"', '"continue"'));
    expect(await run(orcs, "ls")).toMatch(/guard\.mjs/);
  });
});

describe("secrets", () => {
  const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const sent = async (orcs: Orcs): Promise<string> => run(orcs, `curl -H ${SECRET}`);

  test("reach a process, which is on this machine", async () => {
    const cwd = folder({ "orcs.toml": hook("g", PROCESS), "guard.mjs": TELLS });
    expect(await sent(await open({ cwd, config: "orcs.toml" }))).toContain(SECRET);
  });

  test.each([
    ["masked for a URL, and restored where the answer keeps the mask", "", false],
    ["sent with redact = false", ", redact = false", true],
  ])("are %s", async (_, more, isWhole) => {
    const servers = new Servers();
    onTestFinished(() => servers.close());
    const bodies: string[] = [];
    const server = await servers.http((response, nth) => {
      const body = server.got[nth - 1]?.body ?? "";
      bodies.push(body);
      const { id, method, params } = JSON.parse(body) as {
        id: string;
        method: string;
        params: { payload: { args: { command: string } } };
      };
      const ctx = { ...params };
      if (method !== "handshake") ctx.payload.args.command += " --fail";
      const result =
        method === "handshake"
          ? { protocol_version: "1.0", name: "s" }
          : { action: "continue", ctx };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    const handler = `handler = { url = "${server.url}", protocol = "jsonrpc", allow_hosts = ["127.0.0.1"]${more} }`;
    const orcs = await open({
      cwd: folder({ "orcs.toml": hook("g", handler) }),
      config: "orcs.toml",
    });
    const { ctx } = await orcs.dispatch(PRE, call("exec", { command: `curl -H ${SECRET}` }));
    expect(bodies.join().includes(SECRET)).toBe(isWhole);
    expect(ctx.payload["args"]).toMatchObject({ command: `curl -H ${SECRET} --fail` });
  });
});

describe("in shadow", () => {
  test("a process runs for itself, is told so, and decides nothing", async () => {
    const toml = hook("s", `${PROCESS}\nmode = "audit"`) + hook("g", PROCESS);
    const cwd = folder({ "orcs.toml": toml, "guard.mjs": TELLS });
    const orcs = await open({ cwd, config: "orcs.toml" });
    const shadowed: string[] = [];
    orcs.events.on("shadow", ({ reason = "" }) => void shadowed.push(reason));
    const real = JSON.parse(await run(orcs, "ls")) as { pid: number; params: object };
    await vi.waitFor(() => expect(shadowed).not.toEqual([]), PATIENCE);
    const seen = JSON.parse(shadowed[0] ?? "") as { pid: number; params: object };
    expect(seen.params).toMatchObject({ hook: "s", shadow: true });
    expect(real.params).not.toHaveProperty("shadow");
    expect(seen.pid).not.toBe(real.pid);
  });

  test.each([[false], [true]])("a URL is asked only with shadow_effects = %s", async (effects) => {
    const servers = new Servers();
    onTestFinished(() => servers.close());
    const server = await servers.http((response, nth) => {
      const { id } = JSON.parse(server.got[nth - 1]?.body ?? "") as { id: string };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { protocol_version: "1.0" } }));
    });
    const handler = `handler = { url = "${server.url}", protocol = "jsonrpc", allow_hosts = ["127.0.0.1"] }`;
    const more = `mode = "audit"\nshadow_effects = ${effects}`;
    const cwd = folder({ "orcs.toml": hook("s", `${handler}\n${more}`) });
    const orcs = await open({ cwd, config: "orcs.toml" });
    let steps = 0;
    orcs.events.on("shadow", () => void steps++);
    expect(await run(orcs, "ls")).toBe("continue");
    await vi.waitFor(() => expect(steps).toBe(1), PATIENCE);
    expect(server.got.length > 0).toBe(effects);
  });
});

test("a reload that removes the hook ends its process; one with errors keeps it", async () => {
  const withPid = GUARD.replace("`not ", "`${process.pid} not ");
  const cwd = folder({ "orcs.toml": hook("g", PROCESS), "guard.mjs": withPid });
  const orcs = await open({ cwd, config: "orcs.toml" });
  const first = await run(orcs, "rm");
  writeFileSync(join(cwd, "orcs.toml"), "[[hooks]]\nid = 1\n");
  await expect(orcs.reload()).rejects.toThrow("ORCS");
  expect(await run(orcs, "rm")).toBe(first);
  writeFileSync(join(cwd, "orcs.toml"), "");
  await orcs.reload();
  expect(await run(orcs, "rm")).toBe("continue");
  await vi.waitFor(() => expect(isRunning(Number.parseInt(first, 10))).toBe(false), PATIENCE);
});
