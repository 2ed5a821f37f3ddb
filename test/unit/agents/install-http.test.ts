import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as fc from "fast-check";
import { afterEach, describe, expect, vi } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../slow-test.ts";
import { HOSTS } from "../../../src/formats/hosts.ts";
import { planInstall, planSync, planToken } from "../../../src/agents/install/plan.ts";
import { TOKEN_VARIABLE } from "../../../src/agents/install/settings-places.ts";
import { Machine, used } from "./install-rig.ts";
import { settingsArbitrary } from "./settings-arbitrary.ts";

const HTTP = { port: 23_456, token: "a-token-that-nobody-will-ever-guess" };
const URL_OF_IT = "http://127.0.0.1:23456/hooks/claude-code?timeout=600";
const FILE = "home/.claude/settings.json";
const EVENTS = ["PreToolUse", "SessionStart", "UserPromptSubmit", "SessionEnd"];
const { events } = await HOSTS["claude-code"].load();

afterEach(() => vi.unstubAllEnvs());

/** A machine whose Claude Code is asked over HTTP. */
class HttpMachine extends Machine {
  readonly #path = this.path("claude-code");
  readonly #target = { host: "claude-code", scope: "user", path: this.#path } as const;
  readonly #http = { ...this.around, http: HTTP };
  points = ["tool.pre_execute", "agent.on_idle"];

  async installed(http: boolean | undefined, around = this.#http) {
    const command = { program: "/opt/o/orcs.cjs", launcher: "/opt/o/orcs-hook", config: undefined };
    const plan = await planInstall(this.#target, { ...command, http }, this.#needs(), around);
    return this.carryOut(plan);
  }

  async synced() {
    const plan = await planSync(this.#target, this.#needs(), this.#http);
    return plan && this.carryOut(plan);
  }

  rotated(token: string) {
    const plan = planToken(this.#target, this.#http, token);
    return plan && this.carryOut(plan);
  }

  get text(): string {
    return readFileSync(this.#path, "utf8");
  }

  get settings() {
    return JSON.parse(this.text) as {
      hooks: Record<string, { matcher: string; hooks: Record<string, unknown>[] }[]>;
      env?: Record<string, string>;
    };
  }

  entry(event: string): Record<string, unknown> | undefined {
    return this.settings.hooks[event]?.[0]?.hooks[0];
  }

  #needs() {
    const points = used(...this.points);
    return { events, used: () => Promise.resolve({ config: this.config, points }) };
  }
}

describe("install --http writes the token where nobody else can read it", () => {
  const modeOf = (machine: HttpMachine): number =>
    statSync(machine.path("claude-code")).mode & 0o777;

  test.each([
    ["a new file", undefined, 0o600],
    ["a file that all can read", 0o644, 0o600],
    ["a private file", 0o600, 0o600],
  ])("%s", async (_, before, after) => {
    const mask = process.umask(0o022);
    try {
      const machine = new HttpMachine();
      const path = machine.path("claude-code");
      if (before !== undefined) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, "{}");
        chmodSync(path, before);
      }
      await machine.installed(true);
      expect([modeOf(machine), machine.settings.env?.[TOKEN_VARIABLE]]).toEqual([
        after,
        HTTP.token,
      ]);
      machine.rotated("another-token-that-nobody-guesses");
      expect(modeOf(machine)).toBe(after);
      // As an older version left it.
      machine.rotated(HTTP.token);
      chmodSync(path, 0o644);
      await machine.installed(true);
      expect(modeOf(machine)).toBe(after);
    } finally {
      process.umask(mask);
    }
  });

  test("a file without the token stays as it is", async () => {
    const machine = new HttpMachine();
    const path = machine.path("claude-code");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "{}");
    chmodSync(path, 0o644);
    await machine.installed(undefined);
    expect(modeOf(machine)).toBe(0o644);
    vi.stubEnv(TOKEN_VARIABLE, HTTP.token);
    await machine.installed(true);
    expect(modeOf(machine)).toBe(0o644);
  });
});

describe("install --http writes", () => {
  test("HTTP entries for tool calls, and commands without the launcher for session start and prompts", async () => {
    const machine = new HttpMachine();
    await machine.installed(true);
    expect(machine.entry("PreToolUse")).toEqual({
      type: "http",
      url: URL_OF_IT,
      headers: { Authorization: `Bearer $${TOKEN_VARIABLE}` },
      allowedEnvVars: [TOKEN_VARIABLE],
      timeout: 600,
      onFailure: "block",
    });
    for (const event of ["SessionStart", "UserPromptSubmit"]) {
      expect(machine.entry(event)?.["command"]).toMatch(
        / orcs \S+.* \/opt\/o\/orcs\.cjs hook .* --http$/s,
      );
      expect(machine.entry(event)?.["command"]).not.toContain("/opt/o/orcs-hook ");
    }
    expect(machine.entry("SessionEnd")).toMatchObject({ type: "http" });
    expect(machine.settings.env).toEqual({ [TOKEN_VARIABLE]: HTTP.token });
  });

  test("command entries for events that cannot be sent over HTTP", async () => {
    const machine = new HttpMachine();
    machine.points = ["tool.pre_execute", "host.pre_event"];
    await machine.installed(true);
    const commands = Object.keys(machine.settings.hooks).filter((event) => {
      const { command = "" } = machine.entry(event) ?? {};
      return String(command).includes("/opt/o/orcs-hook ");
    });
    expect(commands).toContain("UserPromptExpansion");
    expect(commands).not.toContain("SessionStart");
  });

  test("nothing when there are no hooks", async () => {
    const machine = new HttpMachine();
    machine.points = [];
    await machine.installed(true);
    expect(() => machine.text).toThrow(/ENOENT/);
  });

  test("no token if the environment has it", async () => {
    vi.stubEnv(TOKEN_VARIABLE, HTTP.token);
    const machine = new HttpMachine();
    await machine.installed(true);
    expect(machine.text).not.toContain(HTTP.token);
  });

  test("nothing for another coding agent, with an error", async () => {
    const machine = new HttpMachine();
    const target = { host: "codex", scope: "user", path: machine.path("codex") } as const;
    const command = { program: "orcs", config: undefined, http: true };
    const points = used("tool.pre_execute");
    const needs = {
      events: (await HOSTS.codex.load()).events,
      used: () => Promise.resolve({ config: machine.config, points }),
    };
    const around = { ...machine.around, http: HTTP };
    await expect(planInstall(target, command, needs, around)).rejects.toThrow(/ORCS5001.*codex/);
  });

  test("nothing if the service address is unknown, with an error", async () => {
    const machine = new HttpMachine();
    await expect(machine.installed(true, machine.around as never)).rejects.toThrow(/ORCS5002/);
  });
});

describe("installing again with --http", () => {
  test("changes nothing, and without the flag keeps HTTP", async () => {
    const machine = new HttpMachine();
    await machine.installed(true);
    const before = machine.text;
    expect(await machine.installed(true)).toMatchObject({ status: "unchanged" });
    expect(await machine.installed(undefined)).toMatchObject({ status: "unchanged" });
    expect(await machine.synced()).toMatchObject({ status: "unchanged" });
    expect(machine.text).toBe(before);
  });

  test("adds new events over HTTP and keeps user edits", async () => {
    const machine = new HttpMachine();
    await machine.installed(true);
    machine.write(FILE, machine.text.replace('"matcher": "*"', '"matcher": "Bash"'));
    machine.points = [...machine.points, "tool.post_execute"];
    await machine.synced();
    expect(machine.settings.hooks["PreToolUse"]?.[0]?.matcher).toBe("Bash");
    expect(machine.entry("PostToolUse")).toMatchObject({ type: "http", url: URL_OF_IT });
    expect(machine.entry("SessionStart")?.["command"]).toContain("--http");
  });

  test("switching to commands gives the same file as installing commands", async () => {
    const [one, other] = [new HttpMachine(), new HttpMachine()];
    await one.installed(false);
    await other.installed(true);
    await other.installed(false);
    // An entry names the file that it is in.
    const text = other.text.replaceAll(other.path("claude-code"), one.path("claude-code"));
    expect(JSON.parse(text)).toEqual(one.settings);
  });

  test("a new token replaces the one in the settings", async () => {
    const machine = new HttpMachine();
    await machine.installed(true);
    const token = "another-token-that-nobody-will-guess";
    expect(machine.rotated(token)).toMatchObject({ status: "changed" });
    expect(machine.settings.env).toEqual({ [TOKEN_VARIABLE]: token });
    expect(machine.uninstall("claude-code")).toMatchObject({ status: "removed" });
  });

  test("rotating the token leaves settings without a token unchanged", () => {
    const machine = new HttpMachine();
    expect(machine.rotated("t".repeat(30))).toBeUndefined();
    machine.write(FILE, '{"env":{"A":"b"}}');
    expect(machine.rotated("t".repeat(30))).toBeUndefined();
  });
});

describe("uninstall after install --http", () => {
  repeatedTest("restores any settings byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(settingsArbitrary("claude-code", EVENTS), async ({ text }) => {
        const machine = new HttpMachine();
        machine.write(FILE, text);
        // Variables that are no object cannot take one more.
        const done = await machine.installed(true).catch((thrown: unknown) => String(thrown));
        if (typeof done === "string") expect(done).toContain("env is not an object");
        machine.uninstall("claude-code");
        expect(machine.text).toBe(text);
        rmSync(machine.root, { recursive: true });
      }),
      { numRuns: runCount(50) },
    );
  });

  test.each([
    ["no variables", '{\n  "model": "opus"\n}\n'],
    ["others", '{\n  "env": {\n    "A": "b"\n  },\n  "model": "opus"\n}\n'],
    ["an empty list of them", '{\n  "env": {},\n  "model": "opus"\n}\n'],
    ["comments", '{\n  // mine\n  "env": { "A": "b" }, // and this\n  "model": "opus"\n}\n'],
  ])("with %s edited since, removes only the entries and the token", async (_, text) => {
    const machine = new HttpMachine();
    machine.write(FILE, text);
    await machine.installed(true);
    machine.write(FILE, machine.text.replace('"opus"', '"haiku"'));
    machine.uninstall("claude-code");
    expect(machine.text).toBe(text.replace('"opus"', '"haiku"'));
  });
});
