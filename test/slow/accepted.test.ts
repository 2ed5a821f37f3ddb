import { spawn, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { HostName } from "../../src/core/hosts.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { settingsPath } from "../../src/agents/install/settings-places.ts";
import { CALLS } from "../dist/hook-rig.ts";
import { ended, folder, orcs, PATIENT } from "../dist/orcs.ts";
import type { Ended } from "../dist/orcs.ts";
import { kill } from "../dist/processes.ts";
import { WAYS } from "../live/disarming.ts";
import { isWholeRun, partOf, tryOneOf } from "../slow-test.ts";

const CONFIG = `[[hooks]]
id = "no-pwned"
point = "tool.pre_execute"
match = { tool = "exec", command = "pwned" }
handler_inline = 'return orcs.deny("no pwned")'
[[hooks]]
script = "own.lua"
`;
const OWN = `orcs.hook{ id = "own", point = "tool.pre_execute", handler = function() end }\n`;

/** Somebody with hooks of their own, who has installed orcs in an agent. */
class Person {
  readonly home = folder({ ".config/orcs/orcs.toml": "", ".config/orcs/hooks/own.lua": OWN });
  readonly project = folder();
  readonly host: HostName;
  readonly state = join(this.home, ".local/state/orcs");
  readonly config = join(this.home, ".config/orcs/orcs.toml");
  readonly env: Record<string, string>;
  readonly settings: string;
  #command = "";
  #session = 0;

  constructor(host: HostName, toml = "") {
    this.host = host;
    writeFileSync(this.config, CONFIG + toml + PATIENT);
    this.env = {
      HOME: this.home,
      XDG_CONFIG_HOME: "",
      XDG_STATE_HOME: "",
      XDG_RUNTIME_DIR: join(this.home, "run"),
      CLAUDE_CONFIG_DIR: "",
      CODEX_HOME: "",
      ...Object.fromEntries(HOSTS[host].agentVariables.map((name) => [name, ""])),
    };
    mkdirSync(join(this.home, "run"), { mode: 0o700 });
    this.settings = settingsPath(host, "user", { env: {}, home: this.home, project: this.project });
  }

  async installed(): Promise<this> {
    const args = ["install", "--host", this.host, "--yes"];
    expect(await orcs(args, { cwd: this.project, env: this.env })).toMatchObject({ code: 0 });
    const { hooks } = JSON.parse(readFileSync(this.settings, "utf8")) as {
      hooks: Record<string, [{ hooks: [{ command: string }] }]>;
    };
    const event = this.host === "gemini" ? "BeforeTool" : "PreToolUse";
    this.#command = hooks[event]?.[0].hooks[0].command ?? "";
    return this;
  }

  begin(): void {
    this.#session++;
  }

  /** The agent asks about a call: as its entry, whose command it has read before. */
  call(command: string): Promise<Ended> {
    return this.event({ ...CALLS[this.host](command) });
  }

  event(event: Record<string, unknown>): Promise<Ended> {
    const child = spawn("sh", ["-c", this.#command], {
      cwd: this.project,
      env: { ...(process.env as Record<string, string>), ...this.env },
    });
    const said = { ...event, session_id: `s${this.#session}`, cwd: this.project };
    return ended(child, JSON.stringify(said));
  }

  /** What a call does, or somebody else. */
  shell(script: string, env: Record<string, string> = {}): void {
    const around = {
      ...process.env,
      ...this.env,
      FILE: this.settings,
      CONFIG: this.config,
      STATE: this.state,
    };
    const { status, stderr } = spawnSync("sh", ["-c", script], {
      cwd: this.project,
      env: { ...around, ...env },
      encoding: "utf8",
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  }

  /** Until the service answers that the first event has started. */
  async served(): Promise<void> {
    const run = join(this.home, "run/orcs");
    for (let i = 0; i < 100 && !readdirSync(run).some((name) => name.endsWith(".hook")); i++) {
      await pause(100);
    }
  }

  /** The person accepts all changes. */
  async accepted(): Promise<string> {
    const around = { cwd: this.project, env: this.env };
    const { code, stdout, stderr } = await orcs(["trust", "--accept", "--yes"], around);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  }

  get watched(): string[] {
    const read = (path: string): string => {
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found?.isFile() === true ? readFileSync(path, "utf8") : `no file: ${path}`;
    };
    return [this.settings, this.config, join(this.home, ".config/orcs/hooks/own.lua")].map(read);
  }

  end(): void {
    const run = join(this.home, "run/orcs");
    for (const name of readdirSync(run).filter((each) => each.endsWith(".pid"))) {
      kill(Number(readFileSync(join(run, name), "utf8").split(/\s/)[0]), "SIGTERM");
    }
  }
}

describe.each<[HostName, number]>([
  ["claude-code", 0],
  ["codex", 1],
  ["gemini", 2],
])("%s, with a service", (host, place) => {
  tryOneOf(3, place);
  let person: Person;
  beforeAll(async () => {
    person = await new Person(host).installed();
    // The first event starts the service.
    await person.call("true");
    await person.served();
    expect(await person.call("touch pwned")).toSatisfy(isDenied);
  });
  afterAll(() => person.end());

  test.each(Object.entries(WAYS))("%s", async (_, script) => {
    person.begin();
    const before = person.watched;
    expect(await person.call("npm test")).toMatchObject({ code: 0 });
    person.shell(script);
    const next = await person.call("touch pwned");
    expect(next).toSatisfy(isDenied);
    expect(next.stdout + next.stderr).toContain("ORCS7025");
    expectAsBefore(_, before, person.watched);
    expect(await person.call("ls")).toMatchObject({ code: 0 });
  });
});

describe("without a service", () => {
  const ways = Object.entries(WAYS).filter(([name]) => name !== "what was accepted removed");
  test.each(partOf(ways, 9))("%s", async (_, script) => {
    const person = await new Person("codex", "[serve]\nauto = false\n").installed();
    const before = person.watched;
    await person.call("npm test");
    person.shell(script);
    const next = await person.call("touch pwned");
    expect(next).toSatisfy(isDenied);
    expect(next.stdout + next.stderr).toContain("ORCS7025");
    expectAsBefore(_, before, person.watched);
  });
});

describe("changes by people, with a service", () => {
  const outside = isWholeRun ? 200 : 20;
  const inside = isWholeRun ? 40 : 4;
  let person: Person;
  beforeEach(async () => {
    person = await new Person("claude-code").installed();
    await person.event({ hook_event_name: "SessionStart", source: "startup" });
    await person.served();
  });
  afterEach(() => person.end());

  /** Settings and an own configuration as somebody may save them, and whether they guard less. */
  const change = (number: number): { file: string; text: string; isLess: boolean } => {
    const settings = JSON.parse(readFileSync(person.settings, "utf8")) as Record<string, unknown>;
    const config = `# ${number}\n${readFileSync(person.config, "utf8")}`;
    const edits: (() => object | string)[] = [
      () => ({ ...settings, model: `m${number}` }),
      () =>
        `${config}[[hooks]]\nid = "more-${number}"\npoint = "tool.on_list"\nhandler_inline = "return nil"\n`,
      () => ({ ...settings, permissions: { allow: [`Bash(x${number})`] } }),
      () => config,
      () => ({ ...settings, disableAllHooks: true, n: number }),
      () => ({ ...settings, env: { LANG: `l${number}` } }),
      () => config.replace(/^priority.*\n/m, ""),
      () => ({ ...settings, hooks: {}, n: number }),
      () => ({ ...settings, theme: `t${number}` }),
      () => `mode = "audit"\n${config}`,
    ];
    const place = number % edits.length;
    const made = edits[place]?.() ?? "";
    return typeof made === "string"
      ? { file: person.config, text: made, isLess: place === 9 }
      : { file: person.settings, text: JSON.stringify(made), isLess: place === 4 || place === 7 };
  };

  test(`${outside} outside of calls stay`, async () => {
    for (let number = 0; number < outside; number++) {
      const before = person.watched;
      const { file, text, isLess } = change(number);
      save(file, text);
      await pause(isLess ? 300 : 60);
      await person.event({ hook_event_name: "UserPromptSubmit", prompt: "go on" });
      expect(readFileSync(file, "utf8"), `${number}`).toBe(text);
      if (!isLess) continue;
      expect(await person.accepted()).toContain(file);
      save(file, before[file === person.settings ? 0 : 1] ?? "");
      await person.accepted();
    }
  }, 300_000);

  test(`${inside} during a call are put back, and recovered by one command`, async () => {
    const lessening = Array.from({ length: 1000 }, (_, number) => number).filter((number) =>
      [4, 7, 9].includes(number % 10),
    );
    for (const number of lessening.slice(0, inside)) {
      person.begin();
      const [settings = "", config = ""] = person.watched;
      expect(await person.call("npm test")).toMatchObject({ code: 0 });
      const { file, text } = change(number);
      const before = file === person.settings ? settings : config;
      save(file, text);
      for (let i = 0; i < 100 && readFileSync(file, "utf8") === text; i++) await pause(50);
      expect(readFileSync(file, "utf8"), `${number}`).not.toBe(text);
      expect(await person.accepted(), `${number} ${text}`).toContain(file);
      expect(readFileSync(file, "utf8"), `${number}`).toBe(text);
      expect((await person.call("ls")).stdout).not.toContain("ORCS7026");
      expect(readFileSync(file, "utf8"), `${number}`).toBe(text);
      save(file, before);
      await pause(300);
      await person.accepted();
    }
  }, 300_000);
});

describe("a process that outlives its call", () => {
  test.each([
    ["and runs on", "; sleep 20"],
    ["and ends with it", ""],
  ])("changes the settings 8 s later, %s", async (_, after) => {
    const person = await new Person("claude-code").installed();
    try {
      await person.call("true");
      await person.served();
      const before = person.watched;
      await person.call("npm test &");
      const script = `sleep 8; echo '{}' > "$FILE"${after}`;
      const child = spawn("sh", ["-c", script], {
        env: { PATH: process.env["PATH"] ?? "", FILE: person.settings, CLAUDECODE: "1" },
        stdio: "ignore",
      });
      for (const command of ["true", "npm test &"]) {
        await person.event({
          ...CALLS["claude-code"](command),
          hook_event_name: "PostToolUse",
          tool_response: {},
        });
      }
      await pause(9500);
      expect(person.watched).toEqual(before);
      const next = await person.call("touch pwned");
      expect(next).toSatisfy(isDenied);
      expect(next.stdout).toContain("ORCS7025");
      child.kill();
    } finally {
      person.end();
    }
  });
});

/** Where a change left something else in the settings, that stays. */
function expectAsBefore(name: string, before: readonly string[], after: readonly string[]): void {
  if (!/something else|patch/.test(name)) return expect(after).toEqual(before);
  const [was, is] = [before, after].map(([text = ""]) => JSON.parse(text) as { hooks: object });
  expect(is?.hooks).toEqual(was?.hooks);
  expect(after[0]).toMatch(/theme|hokos/);
}

/** As most editors do: whole. */
function save(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

function isDenied({ code, stdout, stderr }: Ended): boolean {
  return (code === 2 || /"(?:deny|block)"/.test(stdout)) && /no pwned/.test(stdout + stderr);
}
