import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { ended, folder, MAIN, ROOT } from "../dist/orcs.ts";
import { CALLS } from "../dist/hook-rig.ts";
import { isWholeRun, tryOneOf } from "../slow-test.ts";

// The result of an event is that of its own agent's environment, whoever started the service.

const LAUNCHER = join(ROOT, "bin/orcs-hook");

/** How an agent was started. */
interface Session {
  readonly id: string;
  /** Its working directory, below the home directory. */
  readonly cwd: string;
  readonly umask: number;
  /** Variables besides those of its home directory. */
  readonly env: Readonly<Record<string, string>>;
}

/** A home directory with a configuration in it, and what its handlers write. */
class Home {
  readonly dir = folder();
  readonly runtime = join(this.dir, "run");
  readonly #services: ChildProcess[] = [];

  constructor(toml: string, files: Readonly<Record<string, string>> = {}) {
    const config = join(this.dir, ".config/orcs");
    mkdirSync(config, { recursive: true });
    mkdirSync(this.runtime, { mode: 0o700 });
    const head = "[serve]\nauto = false\n[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n";
    writeFileSync(join(config, "orcs.toml"), `${head}${toml}`);
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(config, name), text);
      chmodSync(join(config, name), 0o755);
    }
  }

  environment({ env }: Pick<Session, "env">): Record<string, string> {
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: this.dir,
      XDG_CONFIG_HOME: join(this.dir, ".config"),
      XDG_STATE_HOME: join(this.dir, ".state"),
      XDG_RUNTIME_DIR: this.runtime,
      EFFECTS: join(this.dir, "effects"),
      ...env,
    };
  }

  /** Started by a session, as its first event would; ends with the test. */
  async serve(by: Session): Promise<ChildProcess> {
    const child = spawn(process.execPath, [MAIN, "serve", "--json"], {
      cwd: this.dir,
      env: this.environment(by),
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    this.#services.push(child);
    await once(child.stdout as NonNullable<typeof child.stdout>, "data");
    return child;
  }

  /** An event of a session; with Node in place of the launcher, also where a service runs. */
  async ask(
    session: Session,
    command: string,
    program: readonly string[] = [LAUNCHER],
    args: readonly string[] = [],
  ) {
    const cwd = join(this.dir, session.cwd);
    mkdirSync(cwd, { recursive: true });
    const [file, ...words] = [
      "sh",
      "-c",
      `umask ${session.umask.toString(8)}; exec "$@"`,
      "sh",
      ...program,
      "hook",
      "--host",
      "claude-code",
      ...args,
    ];
    const env = { ...this.environment(session), CLAUDE_PROJECT_DIR: this.dir };
    const child = spawn(file, words, { cwd, env, timeout: 60_000 });
    const event = { ...CALLS["claude-code"](command), session_id: session.id, cwd };
    const { code, stdout, stderr } = await ended(child, JSON.stringify(event));
    // What is logged is in the log of the service.
    return code === 0 ? { code, stdout } : { code, stdout, stderr };
  }

  /** End its services, once what they have written is on disk. */
  async close(): Promise<void> {
    for (const child of this.#services.splice(0)) {
      child.kill("SIGTERM");
      await once(child, "close");
    }
  }

  effects(): string[] {
    const file = join(this.dir, "effects");
    return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  }

  /** The lines of the audit log, without what differs from run to run. */
  audit(): unknown[] {
    const state = join(this.dir, ".state/orcs");
    const files = readdirSync(state, { recursive: true, encoding: "utf8" }).filter((name) =>
      /audit.*\.jsonl$/.test(name),
    );
    return files
      .flatMap((name) => readFileSync(join(state, name), "utf8").trimEnd().split("\n"))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .sort((a, b) => Number(a["ts_ms"] ?? 0) - Number(b["ts_ms"] ?? 0))
      .map(
        (line) =>
          JSON.parse(
            JSON.stringify(line, (key, value: unknown) => (VARIES.test(key) ? 0 : value)),
          ) as unknown,
      );
  }
}

/** Keys of the audit log that say when, in which process and after which line something was written. */
const VARIES =
  /^(?:ts|ts_ms|time|at|ms|.*_ms|seq|prev|hash|pid|digest|dispatch_id|call_id|parent_id|config|input|script)$/;

const PUSH = "git push";
const session = (id: string, env: Session["env"] = {}, more: Partial<Session> = {}): Session => ({
  id,
  cwd: ".",
  umask: 0o022,
  env,
  ...more,
});

const NODE = [process.execPath, MAIN];

describe.each([
  ["the launcher", [LAUNCHER]],
  ["Node", NODE],
] as const)("an event through %s", (name, program) => {
  tryOneOf(2, name.length);
  /** What A, who starts the service, and B get; B also without a service. */
  async function both(home: Home, a: Session, b: Session, command = PUSH) {
    await home.serve(a);
    // The first event of Node tells the launcher where the service is.
    const first = await home.ask(a, command, NODE);
    const asked = [first, await home.ask(b, command, program), await home.ask(a, command, program)];
    const alone = await home.ask(b, command, NODE, ["--record", "r.jsonl"]);
    return { a: asked[2], b: asked[1], alone, first };
  }

  const guard = (test_: string, env: readonly string[]) => `
[[hooks]]
id = "guard"
point = "PreToolUse"
shell = { command = '''${test_} || { echo "only the release job pushes" >&2; exit 2; }''', protocol = "claude-code", env = ${JSON.stringify(env)} }
`;

  test("is judged by the variables of its own agent, in either direction", async () => {
    const toml = guard('[ "$RELEASE_JOB" = 1 ]', ["RELEASE_JOB"]);
    const job = session("a", { RELEASE_JOB: "1" });
    const other = session("b");
    const { a, b, alone } = await both(new Home(toml), job, other);
    expect(a?.stdout).toBe("");
    expect(b?.stdout).toContain("only the release job pushes");
    expect(b).toEqual(alone);
    const turned = await both(new Home(toml), other, job);
    expect(turned.a?.stdout).toContain("only the release job pushes");
    expect(turned.b).toMatchObject({ code: 0, stdout: "" });
    expect(turned.b).toEqual(turned.alone);
  });

  test.each<[string, string, readonly string[], Partial<Session>, Partial<Session>]>([
    ["PATH", "command -v deploy-tool", [], { env: { PATH: "BIN" } }, {}],
    ["umask", '[ "$(umask)" -eq 022 ]', [], {}, { umask: 0o077 }],
    ["LANG", '[ "$LANG" = C.UTF-8 ]', [], { env: { LANG: "C.UTF-8" } }, { env: { LANG: "de" } }],
    ["LC_ALL", '[ "${LC_ALL-unset}" = C ]', ["LC_ALL"], { env: { LC_ALL: "C" } }, {}],
    ["TZ", '[ "${TZ-unset}" = unset ]', ["TZ"], {}, { env: { TZ: "Asia/Tokyo" } }],
    ["an empty one", '[ -n "${X+set}" ]', ["X"], { env: { X: "" } }, {}],
    [
      "line breaks",
      '[ "$(echo "$X" | wc -l)" = 2 ]',
      ["X"],
      { env: { X: "a\nb" } },
      { env: { X: "a" } },
    ],
    ["ORCS_ENGINE_MAX_DEPTH", "true", ["ORCS_X"], {}, { env: { ORCS_ENGINE_ON_ERROR: "bad" } }],
  ])("has its own %s", async (_name, check, env, good, bad) => {
    const home = new Home(guard(check, env));
    const bin = folder({ "deploy-tool": "#!/bin/sh\n" });
    chmodSync(join(bin, "deploy-tool"), 0o755);
    const real = (each: Partial<Session>, id: string): Session => {
      const made = session(id, {}, each);
      const { PATH } = made.env;
      return PATH === undefined
        ? made
        : { ...made, env: { PATH: `${bin}:${process.env["PATH"]}` } };
    };
    const { a, b, alone, first } = await both(home, real(good, "a"), real(bad, "b"));
    expect([first.stdout, a?.stdout]).toEqual(["", ""]);
    expect(b?.stdout).toContain("deny");
    expect(b).toEqual(alone);
  });

  test("writes into the file of its own session", async () => {
    const home = new Home(`
[[hooks]]
id = "env-file"
point = "PreToolUse"
shell = { command = 'echo export FROM="$(basename "$CLAUDE_ENV_FILE")" >> "$CLAUDE_ENV_FILE"', protocol = "claude-code", env = ["CLAUDE_ENV_FILE"] }
`);
    const file = (id: string) => join(home.dir, `env-${id}`);
    const [a, b] = ["a", "b"].map((id) => session(id, { CLAUDE_ENV_FILE: file(id) }));
    await both(home, a as Session, b as Session);
    for (const id of ["a", "b"]) {
      expect(readFileSync(file(id), "utf8")).toBe(`export FROM=env-${id}\n`.repeat(2));
    }
  });

  test("takes its own token to a webhook, and fails without one", async () => {
    const tokens: unknown[] = [];
    const url = await listen((request) => tokens.push(request.headers.authorization));
    const webhook = (onError: string) => `
[[hooks]]
id = "web"
point = "PreToolUse"
on_error = "${onError}"
webhook = { url = "${url}", headers = { authorization = "Bearer \${TOKEN}" }, allow_env = ["TOKEN"], allow_hosts = ["127.0.0.1"] }
`;
    await both(
      new Home(webhook("closed")),
      session("a", { TOKEN: "of-a" }),
      session("b", { TOKEN: "of-b" }),
    );
    expect(tokens).toEqual(["of-a", "of-b", "of-a", "of-b"].map((token) => `Bearer ${token}`));
    const { b, alone } = await both(
      new Home(webhook("closed")),
      session("a", { TOKEN: "of-a" }),
      session("b"),
    );
    expect(b?.stdout).toContain("TOKEN is not set");
    expect(b).toEqual(alone);
    expect(tokens.slice(4)).toEqual(["Bearer of-a", "Bearer of-a"]);
  });
});

/** A webhook, and a handler that lives on, that let everything pass. */
async function listen(seen: (request: IncomingMessage) => void): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      seen(request);
      const { id } = JSON.parse(body) as { readonly id?: string };
      if (id === undefined) response.writeHead(204).end();
      else response.end(JSON.stringify({ jsonrpc: "2.0", id, result: null }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const LIVE = `
import { createInterface } from "node:readline";
import { appendFileSync } from "node:fs";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const hello = { protocol_version: "1.0", name: "live" };
  const seen = ["FLAG", "TOKEN", "TZ", "LANG", "SECRET"].map((name) => name + "=" + process.env[name]).join(" ");
  const mask = process.umask().toString(8);
  if (method !== "handshake") appendFileSync(process.env.EFFECTS, "live " + params.payload.session_id + " " + seen + " " + mask + "\\n");
  const deny = process.env.FLAG === "no" && { action: "abort", reason: "live: " + seen };
  const result = method === "handshake" ? hello : deny || { action: "continue", inject: "live " + seen + " " + mask };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;
const MODULE = `
import { appendFileSync } from "node:fs";
export default function (ctx, orcs, options, env) {
  const seen = JSON.stringify(env, Object.keys(env).sort());
  appendFileSync(options.effects, "module " + ctx.payload.session_id + " " + seen + "\\n");
  if (env.FLAG === "no") return { action: "abort", reason: "module: " + seen };
  return { action: "continue", inject: "module " + seen };
}
`;
const SHELL = `#!/bin/sh
line="shell FLAG=\${FLAG-} TOKEN=\${TOKEN-} TZ=\${TZ-} LC_ALL=\${LC_ALL-} SECRET=\${SECRET-} $(umask) \${PWD##*/}"
cat > /dev/null
echo "$line" >> "$EFFECTS"
[ "\${FLAG-}" != no ] || { echo "$line" >&2; exit 2; }
printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"%s"}}' "$line"
`;

/** Every kind of handler as a hook that says what it sees; `url` is that of a server of the test. */
const KINDS: Readonly<Record<string, (env: string, url: string, dir: string) => string>> = {
  shell: (env) => `shell = { command = "./shell.sh", protocol = "claude-code", env = ${env} }`,
  module: (env, _, dir) =>
    `options = { effects = "${dir}" }\nmodule = { function = "./module.mjs", env = ${env} }`,
  process: (env) =>
    `handler = { process = ["node", "live.mjs"], protocol = "jsonrpc", env = ${env} }`,
  webhook: (_, url) =>
    `webhook = { url = "${url}w/\${TOKEN}", headers = { x-flag = "f\${FLAG}" }, allow_env = ["TOKEN", "FLAG"], allow_hosts = ["127.0.0.1"] }`,
  url: (_, url) =>
    `handler = { url = "${url}l/\${TOKEN}", protocol = "jsonrpc", handshake = false, allow_env = ["TOKEN"], allow_hosts = ["127.0.0.1"] }`,
  date: () =>
    `handler_inline = '''return { action = "continue", inject = orcs.date("%F %T %z", 0) }'''`,
  exec: () =>
    `handler_inline = '''
local done = orcs.exec("echo FLAG=$FLAG TERM=$TERM SECRET=$SECRET; umask")
return { action = "continue", inject = done.stdout }
'''`,
};

const aSession = (id: string): fc.Arbitrary<Session> =>
  fc.record({
    id: fc.constant(id),
    cwd: fc.constantFrom("one", "two"),
    umask: fc.constantFrom(0o022, 0o027, 0o077, 0o002),
    env: fc
      .record(
        {
          FLAG: fc.constantFrom("yes", "yes", "maybe", "", "no"),
          TOKEN: fc.constantFrom("token-1", "token-2"),
          TZ: fc.constantFrom("America/New_York", "Asia/Tokyo"),
          LANG: fc.constantFrom("C.UTF-8", "de_DE.UTF-8"),
          LC_ALL: fc.constantFrom("C", "C.UTF-8"),
          TERM: fc.constantFrom("dumb", "xterm"),
          SECRET: fc.constantFrom("s1", "s2"),
        },
        { requiredKeys: [] },
      )
      .map((env) => env as Record<string, string>),
  });

const aConfiguration = fc.record({
  kinds: fc.subarray(Object.keys(KINDS), { minLength: 2 }),
  env: fc.subarray(["FLAG", "TOKEN", "TZ", "LC_ALL"]),
});

/** What two sessions get and do, one after the other. */
async function ran(
  { kinds, env }: { readonly kinds: readonly string[]; readonly env: readonly string[] },
  sessions: readonly Session[],
  { isServed, isolation }: { readonly isServed: boolean; readonly isolation: "thread" | "worker" },
) {
  const asked: string[] = [];
  const url = await listen((request) =>
    asked.push(`${request.url} ${String(request.headers["x-flag"])}`),
  );
  const listed = JSON.stringify(["EFFECTS", ...env]);
  const hooks = (dir: string) =>
    kinds.map(
      (kind, i) =>
        `[[hooks]]\nid = "${kind}"\npoint = "PreToolUse"\nmatch = { command = "^ls" }\npriority = ${i}\n${KINDS[kind]?.(listed, url, join(dir, "effects"))}\n`,
    );
  const home = new Home("", { "shell.sh": SHELL, "module.mjs": MODULE, "live.mjs": LIVE });
  writeFileSync(
    join(home.dir, ".config/orcs/orcs.toml"),
    `[serve]\nauto = false\n[permissions]\nenv = ["FLAG"]\n[lua]\nisolation = "${isolation}"\nmax_run_ms = 5000\nmax_chain_ms = 20000\n${hooks(home.dir).join("")}`,
  );
  const [first] = sessions;
  if (isServed && first) await home.serve(first);
  const results = [];
  // Twice: the first event tells the launcher where the service is.
  for (const each of [...sessions, ...sessions]) {
    const { code, stdout } = await home.ask(each, "ls");
    results.push({ id: each.id, code, stdout });
  }
  await home.close();
  const shown = (text: string): string =>
    text.replaceAll(home.dir, "HOME").replaceAll(new URL(url).host, "URL");
  return JSON.parse(
    shown(JSON.stringify({ results, asked, effects: home.effects(), audit: home.audit() })),
  ) as { readonly results: unknown[] };
}

test("two sessions get and do the same without a service, with one, and with hooks in a worker", async () => {
  const property = fc.asyncProperty(
    aConfiguration,
    fc.tuple(aSession("a"), aSession("b")),
    async (configuration, sessions) => {
      const alone = await ran(configuration, sessions, { isServed: false, isolation: "thread" });
      for (const isolation of ["thread", "worker"] as const) {
        const served = await ran(configuration, sessions, { isServed: true, isolation });
        expect(served).toEqual(alone);
      }
    },
  );
  const all = { kinds: Object.keys(KINDS), env: ["FLAG", "TOKEN", "TZ", "LC_ALL"] };
  const a = session("a", { FLAG: "yes", TOKEN: "token-1", SECRET: "s1" }, { cwd: "one" });
  const b = session(
    "b",
    { FLAG: "maybe", TOKEN: "token-2", TZ: "Asia/Tokyo" },
    { cwd: "two", umask: 0o077 },
  );
  await fc.assert(property, {
    numRuns: isWholeRun ? 12 : 2,
    examples: [[all, [a, b]]],
    endOnFailure: true,
  });
}, 900_000);
