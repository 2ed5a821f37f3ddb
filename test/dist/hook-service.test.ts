import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { HostName } from "../../src/core/hosts.ts";
import { addressIn } from "../../src/daemon/address.ts";
import { GUARD, HookRig } from "./hook-rig.ts";
import { folder, PATIENT, ROOT } from "./orcs.ts";
import { kill, served } from "./processes.ts";
import { foundKey } from "./service.ts";

/** Says from which process it comes. */
const WHO = `[[hooks]]
id = "who"
point = "tool.pre_execute"
priority = 1
handler_inline = 'orcs.deny("call " .. orcs.state.incr("n", 1))'
`;

const rigs: HookRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) for (const pid of pids(rig)) kill(pid);
});

function project(toml: string): HookRig {
  const rig = new HookRig({ "orcs.toml": `${toml}${PATIENT}` });
  rigs.push(rig);
  return rig;
}

const folderOf = ({ dir }: HookRig): string => join(dir, "run/orcs");

function filesOf(rig: HookRig, end: string): string[] {
  const folder = folderOf(rig);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));
}

const pids = (rig: HookRig): number[] =>
  filesOf(rig, ".pid").map((file) => Number(readFileSync(file, "utf8")));

/** Resolves with the socket of a project's service, once there is one. */
function started(rig: HookRig): Promise<string> {
  const socket = () => filesOf(rig, ".sock")[0] ?? expect.fail("there is no service");
  return vi.waitFor(socket, { timeout: 20_000, interval: 20 });
}

/** Where the service of a project is looked for. */
async function addressOf(rig: HookRig): Promise<string> {
  await rig.trust();
  mkdirSync(folderOf(rig), { recursive: true, mode: 0o700 });
  return addressIn(folderOf(rig), foundKey(rig.dir, join(rig.state, "orcs"))).socket;
}

/** Something that is no service, where one is looked for. */
async function impostor(rig: HookRig, answer: (socket: Socket) => void): Promise<void> {
  const address = await addressOf(rig);
  rmSync(address, { force: true });
  const server: Server = createServer((socket) => {
    socket.on("error", () => undefined);
    answer(socket);
  });
  server.listen(address);
  await once(server, "listening");
  onTestFinished(() => void server.close());
}

function refuses(stdout: string, code: number | null): boolean {
  return code === 2 || (code === 0 && /"(?:deny|block)"/.test(stdout));
}

describe("orcs hook with a background service", () => {
  test("the first call starts it and runs the hooks itself; the next is answered by the service", async () => {
    const rig = project(WHO);
    const first = await rig.command("gemini", "ls");
    expect(first.stdout).toContain("call 1");
    const socket = await started(rig);
    const [pid] = pids(rig);
    const second = await rig.command("gemini", "ls");
    // Whoever counts, it is the same count.
    expect(second.stdout).toContain("call 2");
    expect(second.stderr).toBe("");
    expect([pids(rig), filesOf(rig, ".sock")]).toEqual([[pid], [socket]]);
    kill(pid as number);
    // A socket that nobody listens on is no service: the process answers by itself again.
    expect((await rig.command("gemini", "ls")).stdout).toContain("call 3");
  });

  test("for each coding agent the service gives the same result as orcs hook alone", async () => {
    const rig = project(`[serve]\nauto = false\n${GUARD}`);
    const calls = HOST_NAMES.flatMap((host) => [
      [host, "rm -rf build"] as const,
      [host, "ls"] as const,
    ]);
    const answers = async (): Promise<unknown[]> => {
      const all: unknown[] = [];
      for (const [host, command] of calls) {
        const { code, stdout } = await rig.command(host as HostName, command);
        all.push([host, command, code, stdout]);
      }
      return all;
    };
    const alone = await answers();
    await served(rig.dir, rig.env);
    expect(await answers()).toEqual(alone);
  });

  test("hands on the trace of the agent, as orcs hook alone does", async () => {
    const rig = project(`[[hooks]]
point = "tool.pre_execute"
shell = 'printf "%s\\n" "$TRACEPARENT" >> ${join(folder(), "told")}'
`);
    const told = /(\S+told)/.exec(readFileSync(join(rig.dir, "orcs.toml"), "utf8"))?.[1] ?? "";
    const trace = (span: number): string =>
      `00-4bf92f3577b34da6a3ce929d0e0e4736-000000000000000${span}-01`;
    await rig.command("gemini", "ls", { env: { TRACEPARENT: trace(1) } });
    await started(rig);
    await rig.command("gemini", "ls", { env: { TRACEPARENT: trace(2) } });
    await rig.command("gemini", "ls");
    expect(readFileSync(told, "utf8")).toBe(`${trace(1)}\n${trace(2)}\n\n`);
  });

  test("is not started with auto = false, an invalid configuration, or none", async () => {
    for (const toml of [`[serve]\nauto = false\n${GUARD}`, "[[hooks]\n"]) {
      const rig = project(toml);
      await rig.trust({ dev: true });
      await rig.command("codex", "ls");
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect([filesOf(rig, ".sock"), filesOf(rig, ".log")]).toEqual([[], []]);
    }
  });

  test("five concurrent calls are all answered, and one service starts", async () => {
    const rig = project(WHO);
    const calls = Array.from({ length: 5 }, () => rig.command("gemini", "ls"));
    const counts = (await Promise.all(calls)).map(({ stdout }) =>
      Number(/call (\d+)/.exec(stdout)?.[1]),
    );
    expect(counts.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    await started(rig);
    expect(pids(rig)).toHaveLength(1);
    expect((await rig.command("gemini", "ls")).stdout).toContain("call 6");
  });

  test("a configuration given by --config has its own service", async () => {
    const rig = project(GUARD);
    writeFileSync(join(rig.dir, "named.toml"), `${WHO}${PATIENT}`);
    const args = ["--config", "named.toml"];
    expect((await rig.command("gemini", "ls", { args })).stdout).toContain("call 1");
    await started(rig);
    expect((await rig.command("gemini", "ls", { args })).stdout).toContain("call 2");
    expect((await rig.command("gemini", "ls")).stdout).toBe("{}\n");
  });

  test("orcs hook loads neither zod nor the Lua VM nor commander when the service answers", async () => {
    const rig = project(GUARD);
    writeFileSync(
      join(rig.dir, "spy.mjs"),
      `import { register } from "node:module";
const hooks = 'import { appendFileSync } from "node:fs";' +
  'export async function load(url, context, next) {' +
  '  appendFileSync(process.env.SPY, url + "\\\\n"); return next(url, context); }';
register("data:text/javascript," + encodeURIComponent(hooks));
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
const Module = createRequire(import.meta.url)("node:module");
process.on("exit", () => {
  for (const file of Object.keys(Module._cache)) appendFileSync(process.env.SPY, file + "\\n");
});
`,
    );
    const loaded = async (): Promise<string[]> => {
      const spy = join(rig.dir, `spied-${Math.random()}`);
      const node = ["--import", join(rig.dir, "spy.mjs")];
      const { stdout } = await rig.command("gemini", "rm -rf build", { node, env: { SPY: spy } });
      expect(stdout).toContain("not that");
      return readFileSync(spy, "utf8")
        .split("\n")
        .filter((line) => line.includes("dist/") || line.includes("node_modules"));
    };
    const heavy = /zod|wasmoon|commander|toml|whole|engine|lua/;
    expect((await loaded()).some((file) => heavy.test(file))).toBe(true);
    await started(rig);
    const light = await loaded();
    const own = ["dist/cli/main.js", "dist/bundle/hook.cjs"].map((name) => join(ROOT, name));
    expect(light.map((file) => file.replace("file://", ""))).toEqual(own);
  });
});

describe("orcs hook with a faulty service", () => {
  test.each<[string, (socket: Socket) => void, string]>([
    [
      "closes when it has the request",
      (socket) => socket.once("data", () => socket.destroy()),
      "was lost",
    ],
    ["says nothing", () => undefined, "it did not respond within"],
  ])("that %s denies with a message", async (_what, answer, why) => {
    const rig = project("");
    await impostor(rig, answer);
    const ended = await rig.command("claude-code", "ls", { args: ["--timeout", "2"] });
    expect(refuses(ended.stdout, ended.code)).toBe(true);
    expect(ended.stdout).toContain("ORCS7002");
    expect(ended.stdout).toContain(why);
  });

  test("that closes at once denies: what it cannot have received is answered by the process", async () => {
    const rig = project(WHO);
    await impostor(rig, (socket) => socket.destroy());
    const { stdout, code } = await rig.command("claude-code", "ls", { args: ["--timeout", "2"] });
    expect(refuses(stdout, code)).toBe(true);
    // Whether it was all sent before the end is seen is a matter of time.
    expect(stdout).toMatch(/ORCS7002.* was lost|call 1/);
  });

  test("does not keep an agent from stopping", async () => {
    const rig = project("");
    await impostor(rig, (socket) => socket.destroy());
    const stop = {
      session_id: "s",
      transcript_path: "/t",
      cwd: "/tmp",
      hook_event_name: "Stop",
      stop_hook_active: false,
    };
    const { code, stdout } = await rig.ask("claude-code", stop);
    expect([code, refuses(stdout, code)]).toEqual([0, false]);
  });

  test("for another configuration answers without it", async () => {
    const rig = project(`[serve]\nauto = false\n${GUARD}`);
    await impostor(rig, (socket) =>
      socket.once("data", () => socket.end('{"error":"another version"}\n')),
    );
    const { stdout } = await rig.command("gemini", "rm -rf build");
    expect(stdout).toContain("not that");
  });

  test("works with a file or folder in place of the socket", async () => {
    for (const put of [(at: string) => writeFileSync(at, ""), (at: string) => mkdirSync(at)]) {
      const rig = project(`[serve]\nauto = false\n${GUARD}`);
      const address = await addressOf(rig);
      rmSync(address, { force: true });
      put(address);
      const { stdout } = await rig.command("gemini", "rm -rf build");
      expect(stdout).toContain("not that");
    }
  });
});
