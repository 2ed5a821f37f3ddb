import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isWholeRun } from "../slow-test.ts";
import { folder, orcs, PATIENT } from "./orcs.ts";
import {
  ask,
  dispatchAt,
  httpOf,
  serving,
  startServe,
  surroundings,
  trustedByServices,
} from "./service.ts";

const CONFIG = `${PATIENT}
[[hooks]]
id = "guard"
point = "tool.pre_execute"
handler_inline = '''
local args = ctx.payload.args
if args.begins then orcs.log("warn", args.begins) end
if args.wait then orcs.sleep(args.wait) end
if args.command and args.command:find("--force", 1, true) then return orcs.deny("no force") end
'''
`;

async function trustedFolder(
  files: Readonly<Record<string, string>>,
  how?: Parameters<typeof trustedByServices>[1],
): Promise<string> {
  const dir = folder(files);
  await trustedByServices(dir, how);
  return dir;
}

const project = (): Promise<string> => trustedFolder({ "orcs.toml": CONFIG });
const FORCED = dispatchAt({ command: "git push --force" });

/** `ORCS_KILL_ROUNDS=100` for more of them; four have each way of starting and of ending once. */
const ROUNDS = Number(process.env["ORCS_KILL_ROUNDS"] ?? (isWholeRun ? 8 : 4));

describe("starting orcs serve", () => {
  test("prints where it serves and the configuration", async () => {
    const dir = await project();
    const { at, child, stderr, ended } = await serving(dir, ["--port", "0"]);
    expect(at).toEqual({ socket: expect.any(String), port: expect.any(Number), pid: child.pid });
    expect(statSync(at.socket).mode & 0o777).toBe(0o600);
    expect(at.socket.startsWith(join(dir, "run", "orcs"))).toBe(true);
    expect(httpOf(at).port).toBe(at.port);
    expect(stderr()).toBe(
      `orcs info: serving ${at.socket}, http://127.0.0.1:${at.port}: ` +
        `hooks of ${join(dir, "orcs.toml")} (discovered)\n`,
    );
    expect(await ask(at.socket, FORCED)).toContain('"reason":"no force"');
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(readdirSync(join(dir, "run", "orcs")).filter((name) => !name.endsWith(".lock"))).toEqual(
      [],
    );
  });

  test("without --port opens no port", async () => {
    const dir = await project();
    const { at, stderr } = await serving(dir);
    expect(at.port).toBeNull();
    expect(stderr()).not.toContain("http");
    const known = JSON.parse(readFileSync(at.socket.replace(/sock$/, "json"), "utf8")) as object;
    expect(known).not.toHaveProperty("port");
    expect(known).not.toHaveProperty("token");
  });

  test.each([
    [["--port", "65536"], "ORCS5001: --port 65536 is not a number"],
    [["--port", "-1"], "ORCS5001: --port -1 is not a number"],
    [["--port", "http"], "ORCS5001: --port http is not a number"],
    [["--what"], "unknown option"],
  ])("serve %s is a usage error", async (args, why) => {
    const cwd = await project();
    const { code, stdout, stderr } = await orcs(["serve", ...args], {
      cwd,
      env: surroundings(cwd),
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(why);
  });

  test("without a configuration exits with an error", async () => {
    const cwd = folder();
    const { code, stderr } = await orcs(["serve"], { cwd, env: surroundings(cwd) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^orcs: ORCS1001: there is no orcs.toml in .* orcs init/);
  });

  test("serves denials with an invalid configuration", async () => {
    const dir = await trustedFolder({ "orcs.toml": "[[hooks]]\n" }, { dev: true });
    const { at, stderr } = await serving(dir);
    expect(stderr()).toContain("orcs error: all calls are denied: ORCS1015");
    expect(await ask(at.socket, FORCED)).toContain("ORCS1015");
    writeFileSync(join(dir, "orcs.toml"), CONFIG);
    await expect.poll(() => ask(at.socket, FORCED), { timeout: 15_000 }).toContain("no force");
  });
});

describe("orcs serve runs as a single instance", () => {
  test("a second one fails, silently in the background", async () => {
    const dir = await project();
    const { at } = await serving(dir);
    const env = surroundings(dir);
    const second = await orcs(["serve"], { cwd: dir, env });
    expect(second).toMatchObject({ code: 2, stdout: "" });
    expect(second.stderr).toContain(`ORCS7003: process ${at.pid} serves`);
    const below = join(dir, "below");
    mkdirSync(below);
    const background = await orcs(["serve", "--background"], { cwd: below, env });
    expect(background).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await ask(at.socket, FORCED)).toContain("no force");
  });

  test(
    `exactly one of two started at once serves, ${ROUNDS} times`,
    { timeout: 120_000 },
    async () => {
      const dir = await project();
      for (let round = 0; round < ROUNDS; round++) {
        const both = [startServe(dir), startServe(dir, round % 2 === 0 ? [] : ["--background"])];
        const said = await Promise.all(both.map((service) => service.said));
        const winners = said.filter((each) => each !== undefined);
        expect(
          winners,
          `round ${round}: ${both.map(({ stderr }) => stderr()).join("")}`,
        ).toHaveLength(1);
        const [winner] = winners;
        const loser = both.find((_, i) => said[i] === undefined);
        const isQuiet = round % 2 === 1 && loser === both[1];
        expect(await loser?.ended).toEqual([isQuiet ? 0 : 2, null]);
        expect(loser?.stderr()).toMatch(isQuiet ? /^$/ : /ORCS7003/);
        expect(await ask(winner?.socket ?? "", FORCED)).toContain("no force");
        // Half of them leave everything behind.
        both.find((_, i) => said[i])?.child.kill(round % 4 < 2 ? "SIGKILL" : "SIGTERM");
        await Promise.all(both.map(({ ended }) => ended));
      }
    },
  );

  test("a killed one is replaced at once", async () => {
    const dir = await project();
    const first = await serving(dir, ["--port", "0"]);
    const before = httpOf(first.at);
    first.child.kill("SIGKILL");
    await first.ended;
    expect(existsSync(first.at.socket)).toBe(true);
    expect(await ask(first.at.socket, FORCED)).toBe("ECONNREFUSED");
    // Its number is somebody else's by now.
    writeFileSync(first.at.socket.replace(/sock$/, "pid"), `${process.pid}\n`);
    const second = await serving(dir, ["--port", "0"]);
    expect(await ask(second.at.socket, FORCED)).toContain("no force");
    expect(readFileSync(second.at.socket.replace(/sock$/, "pid"), "utf8")).toBe(
      `${second.at.pid}\n`,
    );
    expect(httpOf(second.at).token).not.toBe(before.token);
  });
});

describe("ending orcs serve", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s under load: each request is answered or declined",
    async (signal) => {
      const dir = await project();
      const { at, child, ended } = await serving(dir);
      const answers: Promise<string>[] = [];
      const asking = setInterval(() => {
        for (let i = 0; i < 5; i++) {
          answers.push(ask(at.socket, dispatchAt({ command: "--force", wait: 40 })));
        }
      }, 5);
      await expect.poll(() => answers.length).toBeGreaterThan(100);
      child.kill(signal);
      expect(await ended).toEqual([0, null]);
      clearInterval(asking);
      const counts: Record<string, number> = {};
      for (const answer of await Promise.all(answers)) {
        // The first line is the answer. On a busy machine, one about too many connections can follow it.
        const [first = ""] = answer.split("\n");
        const kind = first.includes("no force") ? "refused" : first;
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      // Nobody there is an answer, too: no hook has run, and the client asks them itself.
      const {
        refused = 0,
        ENOENT: _,
        '{"error":{"code":"ORCS7018","message":"ORCS7018: stopping"}}': __,
        ...lost
      } = counts;
      expect(refused).toBeGreaterThan(0);
      expect(lost).toEqual({});
    },
  );

  // What is left of a hook that never returns after its time is tested in unit/daemon/service-socket.
  test("a second signal does not wait for a hook that never returns", async () => {
    const dir = await project();
    const service = await serving(dir);
    void ask(service.at.socket, dispatchAt({ begins: "it begins", wait: 60_000 }));
    await expect.poll(service.stderr, { timeout: 20_000 }).toContain("it begins");
    service.child.kill("SIGINT");
    // Two that come at once are one: the first must have been seen.
    await expect
      .poll(() => ask(service.at.socket, FORCED), { timeout: 10_000 })
      .not.toContain("no force");
    service.child.kill("SIGINT");
    expect(await service.ended).toEqual([130, null]);
  });

  test("in the background it ends when idle", async () => {
    const dir = await trustedFolder({ "orcs.toml": `${CONFIG}\n[serve]\nidle_minutes = 0.01\n` });
    const { at, ended, stderr } = await serving(dir, ["--background"]);
    expect(await ended).toEqual([0, null]);
    expect(stderr()).toContain("there was no request for 0.01 minutes");
    expect(existsSync(at.socket)).toBe(false);
  });

  test("an unhandled rejection is logged; an uncaught exception ends it with denials", async () => {
    const dir = await trustedFolder({
      "orcs.toml": `[[hooks]]
point = "tool.pre_execute"
module = "./hook.mjs#run"
`,
      "hook.mjs": `export function run(ctx) {
  const { how } = ctx.payload.args;
  if (how === "rejects") void Promise.reject(new Error("unlooked at"));
  if (how === "throws") setTimeout(() => { throw new Error("uncaught") }, 10);
  if (how !== undefined) return new Promise((resolve) => setTimeout(resolve, how === "throws" ? 5000 : 50));
}
`,
    });
    const { at, ended, stderr } = await serving(dir);
    expect(await ask(at.socket, dispatchAt({ how: "rejects" }))).toContain("continue");
    expect(stderr()).toContain("orcs error: unhandled promise rejection: Error: unlooked at");
    expect(await ask(at.socket, dispatchAt({ how: "throws" }))).toContain("ORCS7002");
    expect(await ended).toEqual([1, null]);
    expect(stderr()).toContain("Error: uncaught");
    expect(existsSync(at.socket)).toBe(false);
  });
});

test("orcs serve uses a saved hook for the next requests", async () => {
  const files = {
    "orcs.toml": `${PATIENT}\n[[hooks]]\nscript = "guard.lua"\npoint = "tool.pre_execute"\n`,
    "hooks/guard.lua": 'return function() return orcs.deny("one") end\n',
  };
  const dir = await trustedFolder(files, { dev: true });
  const { at, stderr } = await serving(dir);
  expect(await ask(at.socket, FORCED)).toContain('"reason":"one"');
  writeFileSync(join(dir, "hooks/guard.lua"), 'return function() return orcs.deny("two") end\n');
  await expect.poll(() => ask(at.socket, FORCED), { timeout: 10_000 }).toContain('"two"');
  writeFileSync(join(dir, "hooks/guard.lua"), "return function( end\n");
  await expect.poll(stderr, { timeout: 10_000 }).toContain("the previous hooks stay active");
  expect(await ask(at.socket, FORCED)).toContain('"reason":"two"');
  // One is the policy that keeps orcs switched on.
  expect(stderr()).toContain("orcs info: reloaded: 2 hooks");
});
