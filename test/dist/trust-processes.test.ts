import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { TrustStore } from "../../src/config/trust/trust-store.ts";
import { folder, MAIN, orcs, ROOT, start } from "./orcs.ts";
import { heard } from "./processes.ts";

const PROJECT = { "orcs.toml": "[lua]\nmax_run_ms = 50\n" };
/** Says something of one project after the other, in the store that it is given, and counts on stdout. */
const WRITER = `
import { TrustStore } from ${JSON.stringify(pathToFileURL(join(ROOT, "build/config/trust/trust-store.js")).href)};
const [path, from, count] = process.argv.slice(1);
const store = new TrustStore(path);
for (let i = Number(from); i < Number(from) + Number(count); i++) {
  store.change(({ projects }) => {
    projects.set("/project/" + i, { dev: true, at: "2026-11-22T00:00:00Z", folders: {} });
  });
  process.stdout.write(i + "\\n");
}
`;

function writer(path: string, from: number, count: number) {
  const args = ["--input-type=module", "-e", WRITER, path, String(from), String(count)];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

/** A store of its own, in a folder as the user has it. */
const storePath = (): string => join(folder(), "orcs", "trust.json");

test("ten processes trust ten projects concurrently without loss", async () => {
  const home = folder();
  const env = { XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  const dirs = Array.from({ length: 10 }, () => folder(PROJECT));
  const ends = await Promise.all(
    dirs.map((cwd, i) => orcs(["trust", "--yes", ...(i % 2 ? ["--dev"] : [])], { cwd, env })),
  );
  expect(ends.map(({ code, stderr }) => ({ code, said: stderr.includes("ORCS") }))).toEqual(
    dirs.map(() => ({ code: 0, said: false })),
  );
  const { stdout } = await orcs(["trust", "--list", "--json"], { cwd: home, env });
  const all = JSON.parse(stdout) as { directory: string }[];
  expect(all.map(({ directory }) => directory).sort()).toEqual([...dirs].sort());
}, 120_000);

test("concurrent writers of the trust store lose no entry", async () => {
  const path = storePath();
  const children = [0, 1, 2, 3].map((i) => writer(path, i * 100, 25));
  for (const child of children) child.stdout.resume();
  expect(await Promise.all(children.map((child) => once(child, "close")))).toEqual(
    children.map(() => [0, null]),
  );
  expect(new TrustStore(path).all().projects.size).toBe(100);
}, 120_000);

/** `ORCS_KILL_ROUNDS=100` for more of them. */
const ROUNDS = Number(process.env["ORCS_KILL_ROUNDS"] ?? 15);

test("the trust store is complete with all reported entries after a kill at any moment", async () => {
  const path = storePath();
  let from = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const child = writer(path, from, 100_000);
    const text = heard(child.stdout);
    // Once it writes, or before.
    if (round % 5 > 0) await once(child.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
    child.kill("SIGKILL");
    await once(child, "close");
    const said = text().split("\n").slice(0, -1).map(Number);
    from += said.length;
    const all = new TrustStore(path).all().projects;
    expect([from, from + 1]).toContain(all.size);
    for (let i = 0; i < from; i++) expect(all.has(`/project/${i}`)).toBe(true);
    from = all.size;
  }
  // In four of five rounds something was said before it ended.
  expect(from).toBeGreaterThanOrEqual(Math.floor(ROUNDS * 0.8));
  // The next writer removes what the last killed one left.
  new TrustStore(path).change(({ projects }) => {
    projects.delete("/project/0");
  });
  expect(readdirSync(dirname(path)).filter((name) => !/^trust\.json(\.lock)?$/.test(name))).toEqual(
    [],
  );
}, 300_000);

test.each([
  ["is ended by the signal", ""],
  ["goes on without it", "trap '' XFSZ; "],
])(
  "a full disk leaves the trust store unchanged: the process %s",
  async (_name, trap) => {
    const home = folder();
    const env = { XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
    const store = join(home, "state/orcs/trust.json");
    const dirs = Array.from({ length: 12 }, () => folder(PROJECT));
    for (const cwd of dirs) await orcs(["trust", "--yes"], { cwd, env });
    const before = readFileSync(store, "utf8");
    expect(before.length).toBeGreaterThan(1024);
    const cwd = folder(PROJECT);
    // No file may have more than one block.
    const command = `${trap}ulimit -f 1; exec "$0" "$1" trust --yes`;
    const { code, stderr } = await start("sh", ["-c", command, process.execPath, MAIN], {
      cwd,
      env,
    });
    expect(code).not.toBe(0);
    if (trap !== "") expect(stderr).toMatch(/ORCS8002|ORCS5002|ORCS8005/);
    expect(readFileSync(store, "utf8")).toBe(before);
    expect(await orcs(["trust", "--show"], { cwd, env })).toMatchObject({ code: 1 });
    expect(await orcs(["trust", "--show"], { cwd: dirs[0] ?? "", env })).toMatchObject({ code: 0 });
    // And there is room again.
    expect(await orcs(["trust", "--yes"], { cwd, env })).toMatchObject({ code: 0 });
    expect(statSync(store).mode & 0o777).toBe(0o600);
    expect(existsSync(`${store}.new`)).toBe(false);
  },
  120_000,
);
