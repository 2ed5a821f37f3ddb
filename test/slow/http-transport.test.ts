import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { ended, folder, orcs, PATIENT } from "../dist/orcs.ts";

// `orcs install --transport http`, in front of a person with two projects: the commands of its entries are run as an
// agent runs them, and its requests are sent as an agent sends them.

// A proxy of whoever runs the tests is nobody's here.
for (const name of Object.keys(process.env)) if (/_proxy$/i.test(name)) delete process.env[name];

const GUARD = (word: string): string => `${PATIENT}
[[hooks]]
id = "no-${word}"
point = "tool.pre_execute"
match = { tool = "exec", command = "${word}" }
handler_inline = 'return orcs.deny("no ${word} here")'
`;

interface Entry {
  readonly type: string;
  readonly command?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly onFailure?: string;
}

interface Answered {
  readonly status: number;
  readonly body: string;
}

const people: Person[] = [];
afterEach(async () => {
  for (const person of people.splice(0)) await person.kill(/ serve /);
});

/** Somebody whose Claude Code asks over HTTP, with projects of their own. */
class Person {
  readonly root = folder();
  readonly home = join(this.root, "home");
  readonly #run = join(this.root, "run");

  /** @param isKept its services are ended with the test otherwise */
  constructor({ isKept = false } = {}) {
    if (!isKept) people.push(this);
    mkdirSync(this.home);
    mkdirSync(this.#run, { mode: 0o700 });
  }

  get env(): Record<string, string> {
    const { PATH = "" } = process.env;
    return { PATH, HOME: this.home, XDG_RUNTIME_DIR: this.#run, NO_COLOR: "1" };
  }

  get state(): string {
    return join(this.home, ".local/state/orcs");
  }

  /** A trusted project that refuses commands with a word in them. */
  async project(word: string): Promise<string> {
    const dir = join(this.root, word);
    mkdirSync(dir);
    writeFileSync(join(dir, "orcs.toml"), GUARD(word));
    expect(await this.orcs(["trust", "--yes"], dir)).toMatchObject({ code: 0 });
    return dir;
  }

  orcs(args: readonly string[], cwd = this.home, env: Readonly<Record<string, string>> = {}) {
    const { HOME = "", XDG_RUNTIME_DIR = "" } = this.env;
    const nobodys = { XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", CLAUDE_CONFIG_DIR: "" };
    return orcs(args, { cwd, env: { HOME, XDG_RUNTIME_DIR, ...nobodys, ...env } });
  }

  async install(cwd: string, more: readonly string[] = []): Promise<string> {
    const words = ["install", "--host", "claude-code", "--transport", "http", "--yes", ...more];
    const done = await this.orcs(words, cwd);
    expect(done).toMatchObject({ code: 0 });
    return done.stderr;
  }

  get settings(): { hooks: Record<string, { hooks: Entry[] }[]>; env?: Record<string, string> } {
    return JSON.parse(readFileSync(join(this.home, ".claude/settings.json"), "utf8")) as never;
  }

  entry(event: string): Entry {
    const [entry] = this.settings.hooks[event]?.[0]?.hooks ?? [];
    if (entry === undefined) throw new Error(`no entry at ${event}`);
    return entry;
  }

  /** Run the command of an event as an agent does. */
  command(
    event: string,
    session: string,
    dir: string,
    cwd = dir,
    more: Readonly<Record<string, string>> = {},
    of: object = event === "SessionStart" ? { source: "startup" } : { prompt: "do it" },
  ) {
    const said = { session_id: session, transcript_path: "/t", cwd, hook_event_name: event };
    const { command = "" } = this.entry(event);
    const env = { ...this.env, CLAUDE_PROJECT_DIR: dir, ...more };
    const child = spawn("sh", ["-c", command], { cwd, env });
    return ended(child, JSON.stringify({ ...said, ...of }));
  }

  /**
   * Begin a session, and again where the service that it starts was not there in the time that an agent gives: on a
   * machine with many other things to do. That one beginning is enough is shown by the first test.
   */
  async begins(session: string, dir: string): Promise<void> {
    const { origin } = new URL(this.entry("PreToolUse").url ?? "");
    const listens = async () => {
      await this.command("SessionStart", session, dir);
      return fetch(origin).then(
        () => true,
        () => false,
      );
    };
    await vi.waitUntil(listens, { timeout: 60_000, interval: 200 });
  }

  /** Send an event as an agent does, with what its settings say. */
  async send(
    event: string,
    said: Readonly<Record<string, unknown>>,
    token = this.settings.env?.["ORCS_HTTP_TOKEN"],
  ): Promise<Answered> {
    const { url = "", headers = {} } = this.entry(event);
    const sent = Object.entries(headers).map(([name, text]): [string, string] => [
      name,
      text.replace("$ORCS_HTTP_TOKEN", token ?? ""),
    ]);
    const response = await fetch(url, {
      method: "POST",
      headers: { ...Object.fromEntries(sent), "content-type": "application/json" },
      body: JSON.stringify({ transcript_path: "/t", hook_event_name: event, ...said }),
    });
    return { status: response.status, body: await response.text() };
  }

  call(session: string, command: string, cwd: string, token?: string): Promise<Answered> {
    const tool = { tool_name: "Bash", tool_input: { command }, tool_use_id: "t" };
    return this.send("PreToolUse", { session_id: session, cwd, ...tool }, token);
  }

  /** The processes of orcs that stay, by what they were started with. */
  processes(words: RegExp): number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          const env = readFileSync(`/proc/${pid}/environ`, "utf8");
          const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
          return env.includes(`HOME=${this.home}\0`) && words.test(line);
        } catch {
          return false;
        }
      });
  }

  /** Resolves when they are gone. */
  async kill(words: RegExp): Promise<void> {
    const pids = this.processes(words);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await vi.waitUntil(() => !pids.some(isAlive), { timeout: 60_000 });
  }
}

/** While one thread of it is left, its sockets are open. */
function isAlive(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some(
      (task) => !/\) [ZX] /.test(readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8")),
    );
  } catch {
    return existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(statOf(pid));
  }
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return ") X ";
  }
}

/** Somebody who has installed, with a trusted project. */
async function installed(me = new Person()) {
  const one = await me.project("alpha");
  await me.install(one);
  return { me, one };
}

/** The same, with a session `s1` there, and the services that it has started. */
async function begun(me?: Person) {
  const all = await installed(me);
  await all.me.begins("s1", all.one);
  return all;
}

const denied = (answer: Answered): string => {
  expect(answer.status).toBe(200);
  const { hookSpecificOutput: said } = JSON.parse(answer.body) as {
    hookSpecificOutput?: { permissionDecision: string; permissionDecisionReason: string };
  };
  return said?.permissionDecision === "deny" ? said.permissionDecisionReason : "passed";
};

describe("two projects of one user over HTTP", () => {
  test("each session uses its own project, wherever the agent's cwd is", async () => {
    const me = new Person();
    const [one, two] = [await me.project("alpha"), await me.project("beta")];
    await me.install(one);
    expect(me.entry("PreToolUse")).toMatchObject({ type: "http", onFailure: "block" });
    expect(me.entry("SessionStart").type).toBe("command");
    expect(me.entry("UserPromptSubmit").type).toBe("command");
    await me.command("SessionStart", "s1", one);
    await me.command("SessionStart", "s2", two);
    expect(denied(await me.call("s1", "alpha", one))).toContain("no alpha here");
    expect(denied(await me.call("s1", "beta", one))).toBe("passed");
    expect(denied(await me.call("s2", "beta", two))).toContain("no beta here");
    // An agent that changes its directory changes nobody's hooks.
    expect(denied(await me.call("s1", "alpha", two))).toContain("no alpha here");
    expect(me.processes(/ serve --user /)).toHaveLength(1);
  });
});

describe("a session that has begun, over HTTP", () => {
  let me: Person;
  let one: string;
  beforeAll(async () => {
    ({ me, one } = await begun(new Person({ isKept: true })));
  });
  afterAll(() => me.kill(/ serve /));

  test("a session without a SessionStart is denied with instructions", async () => {
    expect(denied(await me.call("other", "ls", one))).toContain("ORCS7009");
    expect(denied(await me.call("", "ls", one))).toContain("ORCS7009");
    expect(denied(await me.send("PreToolUse", { cwd: one }))).toContain("ORCS7009");
  });

  test("an event that must not be sent over HTTP runs no hook", async () => {
    for (const hook_event_name of ["UserPromptSubmit", "SessionStart", "Nothing", undefined]) {
      const said = { session_id: "s1", cwd: one, prompt: "x", source: "startup", hook_event_name };
      expect((await me.send("PreToolUse", said)).body).toContain("ORCS7009");
    }
  });

  test("a settings change that adds a proxy is denied", async () => {
    const file_path = join(one, "settings.local.json");
    const change = (text: string) => {
      writeFileSync(file_path, text);
      return me.command(
        "ConfigChange",
        "s1",
        one,
        one,
        {},
        { file_path, source: "local_settings" },
      );
    };
    const stopped = await change('{"env":{"http_proxy":"http://127.0.0.1:1"}}');
    expect(`${stopped.stdout}${stopped.stderr}`).toContain("ORCS7011");
    const odd = await change('{"env":{"http_proxy":"http://127.0.0.1:1","NO_PROXY":127}}');
    expect(`${odd.stdout}${odd.stderr}`).toContain("ORCS7011");
    for (const text of ["{", '{"env":[]}', '{"env":{"A":"b"}}']) {
      const passed = await change(text);
      expect(`${passed.stdout}${passed.stderr}`).not.toContain("ORCS7011");
      expect(passed.code).toBe(0);
    }
  });

  test("a short wait for the HTTP service kills nothing", async () => {
    const servesOne = async () => {
      await me.call("s1", "ls", one);
      return me.processes(/ serve --background/).length;
    };
    await expect.poll(servesOne, { timeout: 60_000, interval: 200 }).toBe(1);
    const before = me.processes(/ serve --background/);
    const { url = "" } = me.entry("PreToolUse");
    const event = {
      session_id: "s1",
      cwd: one,
      hook_event_name: "PreToolUse",
      transcript_path: "/t",
    };
    const tool = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" };
    await fetch(url.replace("timeout=600", "timeout=0.001"), {
      method: "POST",
      headers: {
        authorization: `Bearer ${me.settings.env?.["ORCS_HTTP_TOKEN"]}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ ...event, ...tool }),
    });
    expect(me.processes(/ serve --background/)).toEqual(before);
  });
});

describe("HTTP transport after a crash", () => {
  test("of the hook service: a process answers and starts another", async () => {
    const { me, one } = await begun();
    expect(denied(await me.call("s1", "ls", one))).toBe("passed");
    await me.kill(/ serve --background/);
    expect(denied(await me.call("s1", "alpha", one))).toContain("no alpha here");
    // One that was started a moment ago is given time before another is.
    const servesAgain = async () => {
      await me.call("s1", "ls", one);
      return me.processes(/ serve --background/).length;
    };
    await expect.poll(servesAgain, { timeout: 60_000, interval: 200 }).toBe(1);
    expect(denied(await me.call("s1", "alpha", one))).toContain("no alpha here");
  });

  test("of the HTTP service: nothing listens until the next prompt", async () => {
    const { me, one } = await begun();
    await me.kill(/ serve --user /);
    await expect(me.call("s1", "ls", one)).rejects.toThrow(/fetch failed/);
    const log = join(me.state, "http.log");
    utimesSync(log, new Date(0), new Date(0));
    expect(await me.command("UserPromptSubmit", "s1", one)).toMatchObject({ code: 0 });
    expect(denied(await me.call("s1", "alpha", one))).toContain("no alpha here");
  });

  test("with its port taken by another program: prompts are blocked", async () => {
    const { me, one } = await installed();
    const { port } = new URL(me.entry("PreToolUse").url ?? "");
    const thief = createServer((_request, response) => response.end('{"ok":true,"proof":"mine"}'));
    await new Promise<void>((resolve) => thief.listen(Number(port), "127.0.0.1", resolve));
    try {
      const { code, stdout, stderr } = await me.command("UserPromptSubmit", "s1", one);
      expect(`${stdout}${stderr}`).toContain("ORCS7010");
      expect(code === 2 || stdout.includes('"block"')).toBe(true);
    } finally {
      thief.closeAllConnections();
      thief.close();
    }
  });

  test("calls after a session's end are denied", async () => {
    const { me, one } = await begun();
    // Claude Code gives this event little time: on a busy machine, its answer says that there was none in time.
    const end = { session_id: "s1", cwd: one, reason: "other" };
    expect(await me.send("SessionEnd", end)).toMatchObject({ status: 200 });
    expect(denied(await me.call("s1", "ls", one))).toContain("ORCS7009");
    await me.begins("s1", one);
    expect(denied(await me.call("s1", "alpha", one))).toContain("no alpha here");
  });
});

describe("HTTP transport and impostors", () => {
  test("a second session with the same id is rejected", async () => {
    const me = new Person();
    const [one, two] = [await me.project("alpha"), await me.project("beta")];
    await me.install(one);
    await me.begins("s1", one);
    const taken = await me.command("UserPromptSubmit", "s1", two);
    expect(`${taken.stdout}${taken.stderr}`).toContain("ORCS7009");
    expect(taken.code === 2 || taken.stdout.includes('"block"')).toBe(true);
    expect(denied(await me.call("s1", "alpha", one))).toContain("no alpha here");
    // Nor when it has ended: whose it was stays known.
    await me.send("SessionEnd", { session_id: "s1", cwd: one, reason: "other" });
    await me.command("SessionStart", "s1", two);
    expect(denied(await me.call("s1", "ls", one))).toContain("ORCS7009");
  });

  test("a configured proxy blocks prompts and the install", async () => {
    const me = new Person();
    const one = await me.project("alpha");
    const words = ["install", "--host", "claude-code", "--transport", "http", "--yes"];
    const proxy = { HTTP_PROXY: "http://proxy.example:3128" };
    expect((await me.orcs(words, one, proxy)).stderr).toContain("ORCS7011");
    await me.install(one);
    const { code, stdout, stderr } = await me.command("UserPromptSubmit", "s1", one, one, proxy);
    expect(`${stdout}${stderr}`).toContain("ORCS7011");
    expect(code === 2 || stdout.includes('"block"')).toBe(true);
    const excepted = { ...proxy, NO_PROXY: "localhost,127.0.0.1" };
    const fine = await me.command("UserPromptSubmit", "s1", one, one, excepted);
    expect(`${fine.stdout}${fine.stderr}`).not.toContain("ORCS7011");
  });
});

test("uninstall removes the HTTP token and stops the service", async () => {
  const { me } = await begun();
  expect(await me.orcs(["uninstall", "--host", "claude-code", "--yes"])).toMatchObject({ code: 0 });
  for (const name of ["http.json", "http.log", "sessions"]) {
    expect(existsSync(join(me.state, name)), name).toBe(false);
  }
  await expect.poll(() => me.processes(/ serve --user /), { timeout: 60_000 }).toEqual([]);
});

test("a deleted socket folder is created again", async () => {
  const { me, one } = await begun();
  await me.kill(/ serve --background/);
  rmSync(me.env["XDG_RUNTIME_DIR"] + "/orcs", { recursive: true });
  expect(denied(await me.call("s1", "alpha", one))).toContain("no alpha here");
});

describe("the HTTP token", () => {
  test("stays the same until it is rotated", async () => {
    const { me, one } = await begun();
    const before = me.settings.env?.["ORCS_HTTP_TOKEN"] ?? "";
    await me.install(one);
    expect(me.settings.env?.["ORCS_HTTP_TOKEN"]).toBe(before);
    expect(await me.orcs(["serve", "--rotate-token", "--yes"])).toMatchObject({ code: 0 });
    const after = me.settings.env?.["ORCS_HTTP_TOKEN"];
    expect(after).not.toBe(before);
    expect(await me.call("s1", "ls", one, before)).toMatchObject({ status: 401 });
    expect(denied(await me.call("s1", "alpha", one, after))).toContain("no alpha here");
  });

  test("is not written to settings if the environment has it", async () => {
    const { me, one } = await installed();
    const token = me.settings.env?.["ORCS_HTTP_TOKEN"] ?? "";
    const words = ["install", "--host", "claude-code", "--transport", "http", "--yes"];
    await me.orcs(words, one, { ORCS_HTTP_TOKEN: token });
    expect(me.settings.env).toBeUndefined();
    await me.orcs(["install", "--sync"], one);
    expect(me.settings.env).toBeUndefined();
    await me.install(one);
    expect(me.settings.env).toEqual({ ORCS_HTTP_TOKEN: token });
  });

  test("changes with the port, since another program may listen on the old one", async () => {
    const { me, one } = await installed();
    const before = me.settings.env?.["ORCS_HTTP_TOKEN"];
    await me.install(one, ["--port", "31999"]);
    expect(me.entry("PreToolUse").url).toContain(":31999/");
    expect(me.settings.env?.["ORCS_HTTP_TOKEN"]).not.toBe(before);
  });

  test("in settings under version control causes a warning", async () => {
    const me = new Person();
    const one = await me.project("alpha");
    mkdirSync(join(me.home, ".claude/.git"), { recursive: true });
    expect(await me.install(one)).toContain("is under version control");
    rmSync(join(me.home, ".claude/.git"), { recursive: true });
    expect(await me.install(one)).not.toContain("is under version control");
  });
});

test("doctor reports whether the HTTP service is reachable", async () => {
  const { me, one } = await installed();
  const look = async () => {
    const { stdout } = await me.orcs(["doctor", "--host", "claude-code"], one);
    return stdout;
  };
  expect(await look()).toContain("the HTTP server does not run now");
  await me.begins("s1", one);
  expect(await look()).toMatch(/✓ PreToolUse.* fail-closed, denied by a hook \(\d+ ms\)/);
  const file = join(me.state, "http.json");
  const kept = JSON.parse(readFileSync(file, "utf8")) as { port: number };
  writeFileSync(file, JSON.stringify({ ...kept, token: "another-one-that-is-long-enough" }));
  expect(await look()).toContain("is not the token of the HTTP server");
});

test("serve without an installed HTTP entry ends", async () => {
  const { me } = await installed();
  rmSync(join(me.state, "http.json"));
  const { code, stderr } = await me.orcs(["serve", "--user"]);
  expect({ code, stderr }).toMatchObject({ code: 2 });
  expect(stderr).toContain("nothing was installed with --transport http");
});
