import {
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ConfigPlace } from "../../../src/config/trust/config-place.ts";
import { noteOwner, sweep } from "../../../src/daemon/service/sweep.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const NAME = "0123456789abcdef";

let root: string;
let state: string;
let runtime: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "orcs-sweep-")));
  state = join(root, "state");
  runtime = join(root, "runtime");
  mkdirSync(state, { mode: 0o700 });
  mkdirSync(runtime, { mode: 0o700 });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

/** A file that was written some days ago. */
function file(path: string, days: number, text = ""): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const seconds = (NOW - days * DAY) / 1000;
  utimesSync(path, seconds, seconds);
  return path;
}

function oldLink(target: string, path: string): void {
  symlinkSync(target, path);
  lutimesSync(path, 0, 0);
}

/** The state of a configuration. */
function stateOf(directory: string, name = NAME): string {
  const folder = join(state, name);
  file(join(folder, "configuration.json"), 90, JSON.stringify({ v: 1, directory }));
  for (const each of ["state.jsonl", "state.jsonl.lock"]) file(join(folder, each), 90, "x");
  return folder;
}

const after = (days: number): Promise<void> => sweep({ state, runtime }, NOW + days * DAY);
const gone = (): string => join(root, "gone");

describe("sweeping a configuration's state", () => {
  test("removes it 30 days after its folder was first found missing", async () => {
    const folder = stateOf(gone());
    for (const days of [0, 2, 29.9]) {
      await after(days);
      expect(readdirSync(folder)).toContain("state.jsonl");
    }
    await after(31);
    expect(existsSync(folder)).toBe(false);
  });

  test("keeps it while the folder exists, and restarts the 30 days after it came back", async () => {
    const folder = stateOf(gone());
    await after(0);
    mkdirSync(gone());
    await after(40);
    rmSync(gone(), { recursive: true });
    await after(42);
    await after(71);
    expect(existsSync(join(folder, "state.jsonl"))).toBe(true);
    await after(73);
    expect(existsSync(folder)).toBe(false);
  });

  test("keeps it while it is written to", async () => {
    const folder = stateOf(gone());
    await after(0);
    file(join(folder, "state.jsonl"), -20, "x");
    await after(31);
    expect(existsSync(join(folder, "state.jsonl"))).toBe(true);
    await after(51);
    expect(existsSync(folder)).toBe(false);
  });

  test("keeps its audit log and unknown files", async () => {
    const folder = stateOf(gone());
    const log = file(join(folder, "audit", "audit.jsonl"), 400);
    const other = file(join(folder, "notes.txt"), 400);
    await after(0);
    await after(40);
    expect([existsSync(log), existsSync(other)]).toEqual([true, true]);
    expect(readdirSync(folder).sort()).toEqual([
      "audit",
      "configuration.json",
      "gone",
      "notes.txt",
    ]);
  });

  test("keeps state without a known configuration, and other folders", async () => {
    const kept = [
      file(join(state, "fedcba9876543210", "state.jsonl"), 400),
      file(join(state, "trust.json"), 400),
      file(join(state, "seals", "x", "orcs.toml"), 400),
      file(join(state, "installs", "x.json"), 400),
      file(join(state, "audit-heads", "x.json"), 400),
      file(join(state, "0123456789abcdeg", "state.jsonl"), 400),
    ];
    for (const said of ["", "{}", '{"directory":"relative"}', '{"directory":7}', "null"]) {
      const folder = join(state, `${said.length}`.padStart(16, "a"));
      file(join(folder, "configuration.json"), 400, said);
      kept.push(file(join(folder, "state.jsonl"), 400));
    }
    await after(0);
    await after(40);
    expect(kept.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("does not follow symlinks", async () => {
    const elsewhere = join(root, "elsewhere");
    file(join(elsewhere, "configuration.json"), 90, JSON.stringify({ v: 1, directory: gone() }));
    const far = file(join(elsewhere, "state.jsonl"), 90);
    symlinkSync(elsewhere, join(state, NAME));
    const folder = stateOf(gone(), "fedcba9876543210");
    const target = file(join(root, "target"), 90);
    rmSync(join(folder, "state.jsonl"));
    oldLink(target, join(folder, "state.jsonl"));
    await after(0);
    await after(40);
    expect([existsSync(far), existsSync(target)]).toEqual([true, true]);
    expect(readdirSync(folder)).toContain("state.jsonl");
    expect(readdirSync(elsewhere).sort()).toEqual(["configuration.json", "state.jsonl"]);
  });

  test("runs once a day", async () => {
    const folder = stateOf(gone());
    await after(0);
    rmSync(join(folder, "gone"));
    await after(0.9);
    expect(existsSync(join(folder, "gone"))).toBe(false);
    await after(1.1);
    expect(existsSync(join(folder, "gone"))).toBe(true);
  });

  test("uses the configuration folder noted by the service", async () => {
    vi.stubEnv("XDG_STATE_HOME", root);
    onTestFinished(() => void vi.unstubAllEnvs());
    const place: ConfigPlace = {
      config: undefined,
      directory: gone(),
      found: join(gone(), "orcs.toml"),
      key: `found\n${gone()}`,
    };
    noteOwner(place);
    const swept = { state: join(root, "orcs"), runtime };
    const [folder = ""] = readdirSync(swept.state);
    noteOwner(place);
    noteOwner({ ...place, config: false, found: undefined, key: "none" });
    noteOwner({ ...place, found: undefined, key: "user" });
    expect(readdirSync(swept.state)).toEqual([folder]);
    file(join(swept.state, folder, "state.jsonl"), 90);
    await sweep(swept, NOW);
    await sweep(swept, NOW + 31 * DAY);
    expect(existsSync(join(swept.state, folder))).toBe(false);
  });
});

describe("sweeping service files beside the sockets", () => {
  test("removes them after 30 days, unless one is newer", async () => {
    const old = ["pid", "lock", "json", "log"].map((end) =>
      file(join(runtime, `${NAME}.${end}`), 31),
    );
    const aside = file(join(runtime, "01234567.new.pid"), 31);
    const kept = [
      file(join(runtime, "fedcba9876543210.lock"), 31),
      file(join(runtime, "fedcba9876543210.log"), 29),
      file(join(runtime, "notices", "x"), 31),
      file(join(runtime, "mine.log"), 31),
      file(join(runtime, `${NAME}.txt`), 31),
    ];
    await after(0);
    expect([...old, aside].filter((path) => existsSync(path))).toEqual([]);
    expect(kept.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("keeps them while the socket responds", async () => {
    const socket = join(runtime, `${NAME}.sock`);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const log = file(join(runtime, `${NAME}.log`), 90);
    utimesSync(socket, 0, 0);
    await after(0);
    expect([existsSync(socket), existsSync(log)]).toEqual([true, true]);
    await new Promise((resolve) => server.close(resolve));
    await after(2);
    expect(existsSync(log)).toBe(false);
  });

  test("keeps symlinks and files in folders open to others", async () => {
    const target = file(join(root, "target"), 90);
    oldLink(target, join(runtime, `${NAME}.log`));
    await after(0);
    expect([existsSync(target), readdirSync(runtime)]).toEqual([true, [`${NAME}.log`]]);
    const log = file(join(root, "open", `${NAME}.log`), 90);
    await sweep({ state, runtime: dirname(log) }, NOW + 2 * DAY);
    expect(existsSync(log)).toBe(true);
  });
});

test.each(["routes", "sessions"])(
  "%s not written for 30 days are removed; symlinks and folders stay",
  async (name) => {
    const routes = join(state, name);
    const old = file(join(routes, "%gone%"), 31, "0123456789abcdef\n");
    const young = file(join(routes, "%there%"), 29, "0123456789abcdef\n");
    oldLink(young, join(routes, "%link%"));
    mkdirSync(join(routes, "%folder%"));
    utimesSync(join(routes, "%folder%"), 0, 0);
    await after(0);
    expect(existsSync(old)).toBe(false);
    expect(readdirSync(routes).sort()).toEqual(["%folder%", "%link%", "%there%"]);
  },
);
