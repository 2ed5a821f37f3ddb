import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { HostName } from "../../src/core/hosts.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { CALLS, GATES } from "../dist/hook-rig.ts";
import { packed } from "../dist/installed.ts";
import { ended, folder } from "../dist/orcs.ts";
import type { Ended } from "../dist/orcs.ts";
import { notTested } from "./npm-tool.ts";

// An installation of an older version, with its entries, trust, state and service, is replaced by this one in its place.
// ORCS_OLD_ARCHIVE names the archive of the older version, as `npm pack` wrote it; npm installs its dependencies.

const OLD = process.env["ORCS_OLD_ARCHIVE"] ?? "";
if (OLD === "")
  notTested("the replacement of an older version", "ORCS_OLD_ARCHIVE does not name its archive");

const MINUTES = 60_000;
const GUARD = "a force push loses work of others";
const LIMIT = "rate limit exceeded";
/** Two calls of a tool in an hour. */
const RATE = `
[[hooks]]
script = "orcs:rate-limit"
point = "tool.pre_execute"
match = { tool = "exec" }
options = { max = 2, window_ms = 3600000 }
`;

interface Entry {
  readonly command?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hooks?: readonly Entry[];
}

/** Somebody with an empty home, and a project that `orcs init` made there. */
class Person {
  readonly root = folder();
  readonly home = join(this.root, "home");
  readonly project = join(this.root, "project");
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
    for (const dir of [this.home, this.project]) mkdirSync(dir);
    mkdirSync(join(this.root, "run"), { mode: 0o700 });
  }

  get env(): Record<string, string> {
    const { home: HOME, project: CLAUDE_PROJECT_DIR } = this;
    const PATH = `${join(this.#prefix, "bin")}:${process.env["PATH"] ?? ""}`;
    return {
      PATH,
      HOME,
      XDG_RUNTIME_DIR: join(this.root, "run"),
      SHELL: "/bin/sh",
      NO_COLOR: "1",
      CLAUDE_PROJECT_DIR,
    };
  }

  run(file: string, args: readonly string[], stdin = ""): Promise<Ended> {
    const around = { cwd: this.project, env: this.env, timeout: 2 * MINUTES };
    return ended(spawn(file, args, around), stdin);
  }

  async orcs(...args: string[]): Promise<void> {
    expect(await this.run("orcs", args)).toMatchObject({ code: 0 });
  }

  /** A project with the guard of `orcs init` and a limit, trusted. */
  async begins(): Promise<void> {
    await this.orcs("init", "--yes");
    const file = join(this.project, "orcs.toml");
    writeFileSync(file, readFileSync(file, "utf8") + RATE);
    await this.orcs("trust", "--yes");
  }

  /** All files of entries, and whom somebody trusts. */
  kept(): Readonly<Record<string, string>> {
    const files = HOST_NAMES.map((host) => join(this.home, HOSTS[host].folder, HOSTS[host].file));
    const plugin = join(this.home, ".config/opencode/plugin/orcs.js");
    const trust = join(this.home, ".local/state/orcs/trust.json");
    const texts = [...files, plugin, trust].map((file) => [file, textOf(file)] as const);
    return Object.fromEntries(texts);
  }

  entry(host: HostName, event: string): Entry {
    const { hooks } = JSON.parse(
      readFileSync(join(this.home, HOSTS[host].folder, HOSTS[host].file), "utf8"),
    ) as { hooks: Readonly<Record<string, readonly Entry[]>> };
    const [entry] = hooks[event] ?? [];
    return entry?.hooks?.[0] ?? entry ?? {};
  }

  /** What an agent is told about a command, through its entry. */
  async asks(host: HostName, command: string): Promise<string> {
    const [file, ...args] = HOSTS[host].shell("/bin/sh");
    const event = {
      ...CALLS[host](command),
      cwd: this.project,
      ...(host === "cursor" && {
        workspace_roots: [this.project],
        hook_event_name: GATES.cursor,
        tool_name: "Shell",
        tool_input: { command },
      }),
    };
    const line = this.entry(host, GATES[host]).command ?? "exit 1";
    const { code, stdout, stderr } = await this.run(file, [...args, line], JSON.stringify(event));
    expect([host, code === 0 || code === 2]).toEqual([host, true]);
    return stdout + stderr;
  }

  /** The same through the plugin of opencode, in a process of its own as opencode is. */
  async asksPlugin(command: string): Promise<string> {
    const plugin = pathToFileURL(join(this.home, ".config/opencode/plugin/orcs.js")).href;
    const program = `
      const made = Object.values(await import(${JSON.stringify(plugin)})).find((each) => typeof each === "function");
      const hooks = await made({ directory: process.cwd(), worktree: process.cwd() });
      const call = { tool: "bash", sessionID: "s", callID: "c" };
      await hooks["tool.execute.before"](call, { args: { command: ${JSON.stringify(command)} } })
        .then(() => console.log("passed"), (error) => console.log(error.message));
      process.exit(0);`;
    const ended = await this.run(process.execPath, ["--input-type=module", "-e", program]);
    return ended.stdout + ended.stderr;
  }

  /** What is told about a command over HTTP, as Claude Code asks. */
  async asksOverHttp(command: string): Promise<string> {
    const { url = "", headers = {} } = this.entry("claude-code", "PreToolUse");
    const { env = {} } = JSON.parse(
      readFileSync(join(this.home, ".claude/settings.json"), "utf8"),
    ) as { env?: Readonly<Record<string, string>> };
    const token = env["ORCS_HTTP_TOKEN"] ?? "";
    const sent = Object.entries(headers).map(([name, text]): [string, string] => [
      name,
      text.replace("$ORCS_HTTP_TOKEN", token),
    ]);
    const event = { ...CALLS["claude-code"](command), transcript_path: "/t", cwd: this.project };
    const response = await fetch(url, {
      method: "POST",
      headers: { ...Object.fromEntries(sent), "content-type": "application/json" },
      body: JSON.stringify(event),
    });
    return response.text();
  }

  /** Run the command of an event that starts what its entries ask, until it listens. */
  async asksUntilThere(name: string, of: object): Promise<void> {
    const { command = "" } = this.entry("claude-code", name);
    const { origin } = new URL(this.entry("claude-code", "PreToolUse").url ?? "");
    const event = {
      ...CALLS["claude-code"](""),
      hook_event_name: name,
      cwd: this.project,
      ...of,
    };
    const listens = async (): Promise<boolean> => {
      await this.run("/bin/sh", ["-c", command], JSON.stringify(event));
      return fetch(origin).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(listens, { timeout: 2 * MINUTES, interval: 500 }).toBe(true);
  }

  /** The services of this person. */
  services(): number[] {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0)
      .filter(
        (pid) =>
          textOf(`/proc/${pid}/environ`).includes(`HOME=${this.home}\0`) &&
          textOf(`/proc/${pid}/cmdline`).includes("\0serve\0"),
      );
  }

  close(): void {
    for (const pid of this.services()) process.kill(pid, "SIGKILL");
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Install an archive as people do, in the place of what is there. */
function installInto(prefix: string, archive: string): void {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", "--global", "--prefix", prefix, ...quiet, archive], {
    stdio: "pipe",
    env: { ...process.env, HOME: prefix },
  });
}

describe.runIf(OLD !== "")("an older version is replaced by this one", () => {
  const prefix = folder();
  const commands = new Person(prefix);
  const http = new Person(prefix);
  let before: readonly Readonly<Record<string, string>>[] = [];
  let old: readonly number[] = [];

  test("the older version guards", { timeout: 15 * MINUTES }, async () => {
    installInto(prefix, OLD);
    for (const person of [commands, http]) await person.begins();
    for (const host of [...HOST_NAMES, "opencode"])
      await commands.orcs("install", "--host", host, "--user", "--yes");
    await http.orcs("install", "--host", "claude-code", "--transport", "http", "--yes");
    await http.asksUntilThere("SessionStart", { source: "startup" });
    // Two calls that are counted, and one that is denied.
    for (const command of ["ls", "ls -l", "git push --force"]) {
      const denies = command.includes("force");
      for (const host of HOST_NAMES)
        expect([host, (await commands.asks(host, command)).includes(GUARD)]).toEqual([
          host,
          denies,
        ]);
      expect((await commands.asksPlugin(command)).includes(GUARD)).toBe(denies);
      expect((await http.asksOverHttp(command)).includes(GUARD)).toBe(denies);
    }
    await expect
      .poll(() => commands.services().length, { timeout: 2 * MINUTES, interval: 500 })
      .toBeGreaterThan(0);
    old = [commands, http].flatMap((person) => person.services());
    before = [commands, http].map((person) => person.kept());
    installInto(prefix, packed(folder()));
  });

  afterAll(() => {
    for (const person of [commands, http]) person.close();
  });

  test.each(HOST_NAMES)(
    "%s: the next event is guarded, and its state goes on",
    async (host) => {
      expect(await commands.asks(host, "git push --force")).toContain(GUARD);
      expect(await commands.asks(host, "ls -a")).toContain(LIMIT);
    },
    3 * MINUTES,
  );

  test(
    "opencode: the next call is guarded",
    async () => {
      // Its plugin keeps state in the memory of opencode.
      expect(await commands.asksPlugin("git push --force")).toContain(GUARD);
    },
    3 * MINUTES,
  );

  test(
    "Claude Code over HTTP",
    async () => {
      // Where nobody listens because the older service has ended, the agent denies, until a prompt starts another one.
      expect(http.entry("claude-code", "PreToolUse")).toMatchObject({ onFailure: "block" });
      const next = await http.asksOverHttp("git push --force").catch(String);
      expect(next.includes(GUARD) || next.includes("fetch failed")).toBe(true);
      await http.asksUntilThere("UserPromptSubmit", { prompt: "go on" });
      expect(await http.asksOverHttp("git push --force")).toContain(GUARD);
      expect(await http.asksOverHttp("ls -a")).toContain(LIMIT);
    },
    5 * MINUTES,
  );

  test(
    "the entries and the trust are unchanged, and the services of the older version have ended",
    async () => {
      expect([commands, http].map((person) => person.kept())).toEqual(before);
      expect(old.length).toBeGreaterThan(0);
      const left = (): readonly number[] =>
        [commands, http].flatMap((each) => each.services()).filter((pid) => old.includes(pid));
      await expect.poll(left, { timeout: 2 * MINUTES, interval: 1000 }).toEqual([]);
    },
    3 * MINUTES,
  );
});
