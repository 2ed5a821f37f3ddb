import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { entryAnswer } from "../../src/daemon/service/entry-request.ts";
import { routeFile } from "../../src/daemon/address.ts";
import { ended, folder, ROOT } from "../dist/orcs.ts";
import type { Ended } from "../dist/orcs.ts";
import { pathOf, pathWith, TOOLS } from "../launcher-clients.ts";
import { isWholeRun, tryOneOf } from "../slow-test.ts";

const LAUNCHER = join(ROOT, "bin/orcs-hook");
const EVENT = '{"hook_event_name":"PreToolUse","tool_input":{"command":"ls"}}';
/** The shells of this machine, each once: on some systems, `sh` is dash. */
const SHELLS = ["sh", "dash", "bash"].filter((shell, at, all) => {
  const real = realPathOf(shell);
  return real !== undefined && all.findIndex((other) => realPathOf(other) === real) === at;
});
/** Of a service. */
const NAME = "0123456789abcdef";
/** Clients of the launcher, each on a PATH that has no other. */
const CLIENTS: Readonly<Record<string, string>> = {
  perl: pathWith("perl"),
  curl: pathWith("curl"),
  nc: pathWith("nc"),
};

function realPathOf(name: string): string | undefined {
  const path = pathOf(name);
  return path === undefined ? undefined : realpathSync(path);
}

/** A folder to ask from, a PROGRAM that tells how it was started, and what stands in the place of a service. */
class Rig {
  readonly dir = folder();
  readonly state = join(this.dir, "state");
  /** Where sockets are, as src/daemon/address.ts says. */
  readonly run = join(this.dir, "run/orcs");
  readonly socket = join(this.run, `${NAME}.hook`);
  readonly program: string;
  readonly requests: string[] = [];

  constructor() {
    mkdirSync(join(this.state, "routes"), { recursive: true });
    this.program = join(this.dir, "a program");
    const reads = 'if [ -n "${READS-}" ]; then head -c "$READS"; else cat; fi';
    const program = `#!/bin/sh\necho "program $*"\n${reads}\nexit 2\n`;
    writeFileSync(this.program, program, { mode: 0o755 });
    mkdirSync(this.run, { recursive: true, mode: 0o700 });
    this.lists([
      "CLAUDE_PROJECT_DIR",
      "CODEX_HOME",
      "HOME",
      "LC_ALL",
      "RELEASE_JOB",
      "XDG_CONFIG_HOME",
    ]);
    this.route();
  }

  /** Write the well-known file of the service. @param env the variables that hooks may read */
  lists(env: readonly string[] | undefined): void {
    const known = { scope: "user", directory: "/env", env, token: "t" };
    writeFileSync(join(this.run, `${NAME}.json`), `${JSON.stringify(known)}\n`);
  }

  route(service = NAME, at = this.dir): void {
    writeFileSync(routeFile(this.state, at), `${service}\n`);
  }

  /** @param answer called once the request has come whole, or as far as the event goes: where it says `until` */
  serve(answer: (socket: Socket, request: string) => void, until = '"}}'): this {
    const server: Server = createServer((socket) => {
      let request = "";
      socket.on("error", () => undefined);
      socket.setEncoding("utf8").on("data", (text: string) => {
        const was = request.includes(until);
        request += text;
        if (!was && request.includes(until)) {
          this.requests.push(request);
          answer(socket, request);
        }
      });
    }).listen(this.socket);
    writeFileSync(this.socket.replace(/hook$/, "pid"), `${process.pid}\n`);
    onTestFinished(() => void server.close());
    return this;
  }

  ask({
    client = "perl",
    shell = "sh",
    args = ["--host", "claude-code", "--timeout", "60"],
    stdin = EVENT,
    env = {},
    open = false,
    before = [],
    rest,
  }: {
    client?: string;
    shell?: string;
    args?: readonly string[];
    stdin?: string | Buffer;
    env?: Readonly<Record<string, string>>;
    open?: boolean;
    /** What starts the launcher, with its words. */
    before?: readonly string[];
    /** What comes on stdin after half a second. */
    rest?: string;
  } = {}): Promise<Ended> {
    const [file = "", ...words] = [
      ...before,
      pathOf(shell) ?? shell,
      LAUNCHER,
      this.program,
      "hook",
      ...args,
    ];
    const child = spawn(file, words, {
      cwd: this.dir,
      env: {
        PATH: CLIENTS[client],
        HOME: this.dir,
        ORCS_STATE_HOME: this.state,
        XDG_RUNTIME_DIR: join(this.dir, "run"),
        LANG: "none",
        ...env,
      },
      timeout: 30_000,
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.write(stdin);
    if (rest !== undefined) setTimeout(() => child.stdin.end(rest), 500);
    else if (!open) child.stdin.end();
    return ended(child);
  }
}

/** What the program tells when it was given the same words and the same event, and maybe that the service was lost. */
const fallen = (args = "--host claude-code --timeout 60", event = EVENT, lost = "") => ({
  code: 2,
  stdout: expect.stringMatching(
    new RegExp(
      `^program hook ${args}( --spent \\d+)?${lost}\n${event.replaceAll(/[{}[\]]/g, "\\$&")}$`,
    ),
  ) as string,
  stderr: "",
});
const lost = (event?: string) => fallen(undefined, event, " --lost gone");

const response = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;

const answers: Readonly<Record<string, Parameters<typeof entryAnswer>[0]>> = {
  nothing: { output: undefined, code: 0, downgrades: [] },
  output: { output: { a: "ü\n\\n%s $(date) * 'x' ", b: "  . " }, code: 0, downgrades: [] },
  refusal: { output: undefined, message: "no:\n.\n  two  *\n=x", code: 2, downgrades: [] },
  all: { output: { a: 1 }, message: "m", notice: "n %d \\ `x`", code: 2, downgrades: [] },
  large: { output: { text: "x".repeat(400_000) }, code: 0, downgrades: [] },
};

describe.each(Object.keys(CLIENTS))("the orcs-hook launcher with %s", (client) => {
  const i = Object.keys(CLIENTS).indexOf(client);
  tryOneOf(2, i);
  // In CI, each client with another shell.
  describe.each(SHELLS.filter((_, n) => isWholeRun || n === i % SHELLS.length))(
    "in %s",
    (shell) => {
      test.each(Object.keys(answers))("passes a response on: %s", async (name) => {
        const { output, message, notice, code } = answers[name] ?? { code: 1 };
        const body = entryAnswer(answers[name] ?? { output: undefined, code: 1, downgrades: [] });
        const rig = new Rig().serve((socket) => socket.end(response(body)));
        const told = [message, notice].flatMap((text) => (text === undefined ? [] : `${text}\n`));
        expect(await rig.ask({ client, shell })).toEqual({
          code,
          stdout: output === undefined ? "" : `${JSON.stringify(output)}\n`,
          stderr: told.join(""),
        });
      });
    },
  );

  test("sends the caller and the event unchanged", async () => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs 0\n.\n")));
    const event = '{ "ü": [\n "a  b", "%s\\\\n" ],\n\n "x":{"y":"z"}}\n';
    const env = {
      CODEX_HOME: "/c d",
      CLAUDE_PROJECT_DIR: rig.dir,
      XDG_CONFIG_HOME: "",
      RELEASE_JOB: "a=b %s\\n $(x) `y` 'z' \"é\"",
      LC_ALL: "C.UTF-8",
      SECRET: "s3cret",
      ORCS_ENGINE_ON_ERROR: "open",
    };
    const args = ["--host", "claude-code", "--config", "a b;$(x)", "--strict", "--timeout", "100"];
    expect(await rig.ask({ client, stdin: event, env, args })).toMatchObject({
      code: 0,
      stderr: "",
    });
    // Of a request in pieces, what is between them.
    const said = (rig.requests[0] ?? "").replaceAll(/\r\n[0-9a-f]*\r\n/g, "");
    const [, within] = /\nwithin (\d+)\n/.exec(said) ?? [];
    // Without Perl, reading the event counts, in whole seconds.
    expect(client === "perl" ? ["90"] : ["89", "88"]).toContain(within);
    const about = [
      "orcs-hook 2",
      `at ${LAUNCHER}`,
      `cwd ${rig.dir}`,
      `parent ${process.pid}`,
      ...args.map((word) => `arg ${word}`),
      `env CLAUDE_PROJECT_DIR=${rig.dir}`,
      "env CODEX_HOME=/c d",
      `env HOME=${rig.dir}`,
      "env LC_ALL=C.UTF-8",
      `env RELEASE_JOB=${env.RELEASE_JOB}`,
      "env XDG_CONFIG_HOME=",
    ];
    const mask = process.umask().toString(8);
    const [header = ""] = said.slice(said.indexOf("orcs-hook 2")).split("\n\n");
    const lines = header.split("\n").map((line) => line.replace(/^umask 0*/, "umask "));
    expect(lines.slice(0, about.length)).toEqual(about);
    // Those of orcs are settings, in any order.
    expect(lines.slice(about.length).sort()).toEqual([
      "env ORCS_ENGINE_ON_ERROR=open",
      `env ORCS_STATE_HOME=${rig.state}`,
      `umask ${mask}`,
      `within ${within}`,
    ]);
    expect(said).toContain(`\nwithin ${within}\n\n${event.trimEnd()}`);
  });

  test("names the variables that are not set, and leaves other ones alone", async () => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs 0\n.\n")));
    rig.lists(["A_1", "B"]);
    expect(await rig.ask({ client, env: { B: "", C: "c" } })).toMatchObject({ code: 0 });
    const said = (rig.requests[0] ?? "").split("\n").filter((line) => line.startsWith("env "));
    expect(said.filter((line) => !line.startsWith("env ORCS_"))).toEqual(["env A_1", "env B="]);
  });

  test.each<[string, readonly string[] | undefined, string]>([
    ["a value with a line break", ["B"], "1\nenv A=2"],
    ["no list of variables", undefined, "1"],
    ["values that are too long", ["B"], "x".repeat(70_000)],
  ])("starts Node for %s", async (_, listed, B) => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs 0\n.\n")));
    rig.lists(listed);
    expect(await rig.ask({ client, env: { B } })).toEqual(fallen());
    expect(rig.requests).toEqual([]);
  });

  test("takes a response truncated anywhere for a lost one, without running the hooks again", async () => {
    const whole = response('orcs 0\n={"a":1}\n>told\n.\n');
    // The last line break tells nothing.
    const cuts = Array.from(whole, (_, at) => at).filter(
      (at) => at % 7 === 0 || at > whole.length - 12,
    );
    for (const at of cuts.filter((each) => each < whole.length - 1)) {
      const rig = new Rig().serve((socket) => socket.end(whole.slice(0, at)));
      expect([at, await rig.ask({ client })]).toEqual([at, lost()]);
    }
  }, 120_000);

  test.each([
    ["another exit code", response("orcs 1\n.\n")],
    ["an error", "HTTP/1.1 500 no\r\ncontent-length: 9\r\n\r\norcs 1\n.\n"],
    ["no HTTP", "hello\n"],
    ["an empty body", response("")],
    ["a line of its own", response("orcs 0 \nx\n.\n")],
  ])("takes %s for a lost response", async (_, text) => {
    const rig = new Rig().serve((socket) => socket.end(text));
    expect(await rig.ask({ client })).toEqual(lost());
  });

  test("starts Node when the service declines", async () => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs declines\n.\n")));
    expect(await rig.ask({ client })).toEqual(fallen());
  });

  test("starts Node when nothing listens at the socket", async () => {
    const rig = new Rig();
    const made = spawnSync(process.execPath, [
      "-e",
      `require("node:net").createServer().listen(${JSON.stringify(rig.socket)}, () => process.kill(process.pid, "SIGKILL"))`,
    ]);
    expect(made.signal).toBe("SIGKILL");
    expect(await rig.ask({ client })).toEqual(fallen());
  });

  test("passes the whole event to the program when the service disconnects", async () => {
    const rig = new Rig().serve((socket) => socket.destroy(), "orcs-hook 2");
    const [stdin, rest] = ['{"a":{"text":"' + "é$`".repeat(300_000), "é$`".repeat(300_000) + '"}}'];
    const { stdout, code } = await rig.ask({ client, stdin, rest });
    expect(code).toBe(2);
    // Without Perl, it is not always known that not all of it was sent.
    if (client === "perl") expect(stdout).toMatch(/^program hook [^\n]* --spent \d+\n/);
    expect(stdout.slice(stdout.indexOf("\n") + 1) === stdin + rest).toBe(true);
  });

  test("keeps bytes that are not text", async () => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs declines\n.\n")));
    const { stdout } = await rig.ask({ client, stdin: '{"a":{"b":"x\0y"}}' });
    const control = client === "perl" ? "\0" : "\u0001";
    expect(rig.requests[0]).toContain(`{"a":{"b":"x${control}y"}}`);
    expect(stdout).toContain(`{"a":{"b":"x${control}y"}}`);
  });

  test.each(["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])(
    "works when started with %s",
    async (closed) => {
      const rig = new Rig().serve((socket) => socket.end(response("orcs 2\n=a\n>b\n.\n")));
      const before = ["sh", "-c", `exec "$@" ${closed}`, "sh"];
      const { code, stdout, stderr } = await rig.ask({ client, before, args: ["--host", "codex"] });
      expect(code).toBe(2);
      // The program may be asked, and then says that it cannot write.
      if (closed === "2>&-") expect([stdout, stderr]).toEqual(["a\n", ""]);
      else expect(stdout.startsWith("a")).toBe(false);
    },
  );

  test("passes an event of three megabytes to the program", async () => {
    const event = `{"a":{"text":"${"é$`".repeat(1_000_000)}"}}`;
    const rig = new Rig().serve((socket) => socket.destroy());
    const { stdout } = await rig.ask({ client, stdin: event });
    expect(stdout.length).toBeGreaterThan(event.length);
    expect(stdout.slice(stdout.indexOf("\n") + 1) === event).toBe(true);
  });

  test("answers an event whose stdin stays open", async () => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs 0\n={}\n.\n")));
    expect(await rig.ask({ client, open: true })).toEqual({ code: 0, stdout: "{}\n", stderr: "" });
  });

  test("denies when the response cannot be written", () => {
    const rig = new Rig();
    const server = `require("node:net").createServer((socket) => {
      socket.on("data", () => socket.end(${JSON.stringify(response("orcs 0\n={}\n.\n"))}));
      socket.on("error", () => {});
    }).listen(${JSON.stringify(rig.socket)}, () => console.log("ready"))`;
    const served = spawn(process.execPath, ["-e", server], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void served.kill());
    spawnSync("sh", ["-c", `until [ -S ${rig.socket} ]; do sleep 0.05; done`]);
    const { status } = spawnSync(
      "sh",
      ["-c", `"${LAUNCHER}" "${rig.program}" hook --host codex >/dev/full`],
      {
        cwd: rig.dir,
        input: EVENT,
        env: {
          PATH: CLIENTS[client],
          ORCS_STATE_HOME: rig.state,
          HOME: rig.dir,
          XDG_RUNTIME_DIR: join(rig.dir, "run"),
        },
      },
    );
    expect(status).toBe(2);
  });
});

/** How the launcher is started in front of a service that hangs, and the second at which the program has begun. */
const HANGING: Readonly<Record<string, readonly [how: Parameters<Rig["ask"]>[0], before: number]>> =
  {
    "with its stdin ended": [{}, 20],
    "with its stdin open": [{ env: { READS: String(EVENT.length) }, open: true }, 10],
    "with alarms blocked": [
      {
        before: [
          pathOf("perl") ?? "",
          "-MPOSIX",
          "-e",
          "sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGALRM)); exec @ARGV",
        ],
      },
      11,
    ],
  };

// All at once: each does nothing but wait, for eight seconds.
test("the orcs-hook launcher leaves time for Node when the service hangs", async () => {
  const cases = Object.keys(CLIENTS).flatMap((client) =>
    Object.entries(HANGING).map(([what, [how, before]]) => ({ client, what, how, before })),
  );
  const spent = await Promise.all(
    cases.map(async ({ client, what, how, before }) => {
      const rig = new Rig().serve(() => undefined);
      const args = ["--host", "codex", "--timeout", "10"];
      const { stdout } = await rig.ask({ client, args, ...how });
      const told = /^program hook --host codex --timeout 10 --spent (\d+) --lost late\n/.exec(
        stdout,
      )?.[1];
      return { client, what, before, spent: Number(told), event: stdout.includes(EVENT) };
    }),
  );
  for (const each of spent) {
    expect(each).toMatchObject({ event: true });
    expect(each.spent, `${each.client} ${each.what}`).toBeGreaterThanOrEqual(7);
    expect(each.spent, `${each.client} ${each.what}`).toBeLessThan(each.before);
  }
}, 60_000);

describe("the orcs-hook launcher with Perl", () => {
  const rigWith = (name: string): Rig =>
    new Rig().serve((socket) =>
      socket.end(
        response(entryAnswer(answers[name] ?? { output: undefined, code: 1, downgrades: [] })),
      ),
    );

  test.each([
    ["PERL5OPT", "-Mnothing"],
    ["PERL5OPT", "-C7"],
    ["PERL5OPT", "-T"],
    ["PERL5DB", "exit 0"],
    ["PERL_UNICODE", ""],
    ["PERL_UNICODE", "SDA"],
    ["PERLIO", ":utf8"],
    ["PERLIO", ":crlf"],
  ])("%s=%s makes it start the program instead", async (variable, value) => {
    const event = '{"a":{"b":"ü"}}';
    const env = { [variable]: value };
    expect(await rigWith("output").ask({ stdin: event, env })).toEqual(fallen(undefined, event));
  });

  test("loads no Perl module", async () => {
    const lib = folder(
      Object.fromEntries(
        ["strict", "warnings", "utf8", "Errno", "POSIX", "Socket", "Carp", "IO/File"].map(
          (name) => [`${name}.pm`, "exit 0;"],
        ),
      ),
    );
    const { code, stdout } = await rigWith("output").ask({ env: { PERL5LIB: lib } });
    expect([code, JSON.parse(stdout)]).toEqual([0, answers["output"]?.output]);
  });

  test("passes the user's variables to the program", async () => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs declines\n.\n")));
    const says = '#!/bin/sh\necho "${LC_ALL-none} ${PERL_BADLANG-none}"\n';
    writeFileSync(rig.program, says, { mode: 0o755 });
    expect((await rig.ask()).stdout).toBe("none none\n");
    expect((await rig.ask({ env: { LC_ALL: "" } })).stdout).toBe(" none\n");
    expect((await rig.ask({ env: { LC_ALL: "xx" } })).stdout).toBe("xx none\n");
  });

  describe.each(["", "cat >/dev/null; "])("with a perl shim: %s", (reads) => {
    test.each([
      "exit 0",
      "exit 1",
      "exit 2",
      "exit 22",
      "exit 126",
      "exit 127",
      "exit 128",
      "exit 255",
    ])("%s", async (ends) => {
      const perl = `#!/bin/sh\necho "orcs 0"; echo perl is not installed\n${reads}${ends}\n`;
      const path = pathWith("perl");
      rmSync(join(path, "perl"));
      writeFileSync(join(path, "perl"), perl, { mode: 0o755 });
      const { code, stdout } = await rigWith("nothing").ask({ env: { PATH: path } });
      expect(code).toBe(2);
      expect(stdout).toBe(
        `program hook --host claude-code --timeout 60\n${reads === "" ? EVENT : ""}`,
      );
    });

    test.each(["KILL", "TERM", "SEGV"])("killed by %s: denied", async (signal) => {
      const path = pathWith("perl");
      rmSync(join(path, "perl"));
      writeFileSync(join(path, "perl"), `#!/bin/sh\n${reads}kill -${signal} $$\n`, { mode: 0o755 });
      const { code, stdout } = await rigWith("nothing").ask({ env: { PATH: path } });
      expect([code, stdout]).toEqual([2, ""]);
    });
  });

  test("passes a response on when stdout is non-blocking", async () => {
    const flags = "fcntl(STDOUT, F_SETFL, O_NONBLOCK | fcntl(STDOUT, F_GETFL, 0)); exec @ARGV";
    const piped = `{ "$@"; echo " $?"; } | { sleep 1; cat; }`;
    const rig = rigWith("large");
    const before = ["sh", "-c", piped, "sh", pathOf("perl") ?? "", "-MFcntl", "-e", flags];
    const { stdout } = await rig.ask({ before });
    expect(stdout === `${JSON.stringify(answers["large"]?.output)}\n 0\n`).toBe(true);
  });

  test.each([0, 2, 1, 127])("passes on the program's exit code %s", async (exit) => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs declines\n.\n")));
    writeFileSync(rig.program, `#!/bin/sh\necho "it ran"; exit ${exit}\n`, { mode: 0o755 });
    expect(await rig.ask()).toEqual({ code: exit, stdout: "it ran\n", stderr: "" });
  });

  test("stops copying when the program has ended", async () => {
    const rig = new Rig().serve((socket) => socket.destroy());
    const env = { READS: String(EVENT.length), MARK: rig.dir };
    expect(await rig.ask({ env, open: true })).toMatchObject({ code: 2 });
    const left = () =>
      spawnSync("sh", ["-c", `grep -l "MARK=${rig.dir}" /proc/[0-9]*/environ 2>/dev/null`], {
        encoding: "utf8",
      }).stdout;
    await expect.poll(left, { timeout: 5000 }).toBe("");
  });
});

describe("the orcs-hook launcher contacts the service", () => {
  const asked = async (how: Parameters<Rig["ask"]>[0], prepare?: (rig: Rig) => void) => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs 0\n.\n")));
    prepare?.(rig);
    const ended = await rig.ask(how);
    return { ...ended, requests: rig.requests.length };
  };

  test.each([
    ["an option that it does not know", ["--host", "codex", "--record", "f"]],
    ["an option with its value inside", ["--host=codex"]],
    ["another host", ["--host", "other"]],
    ["no host", ["--timeout", "60"]],
    ["too little time", ["--host", "codex", "--timeout", "9"]],
    ["no number", ["--host", "codex", "--timeout", "1e3"]],
    ["more time than there is", ["--host", "codex", "--timeout", "999999"]],
    ["an option without its value", ["--host", "codex", "--config"]],
  ])("not for %s", async (_, args) => {
    const { requests, ...ended } = await asked({ args });
    if (args.at(-1) !== "--config") expect(requests).toBe(0);
    else expect(requests).toBe(1);
    if (requests === 0) expect(ended).toEqual(fallen(args.join(" ")));
  });

  test("not for a line break in an argument, a variable or the folder", async () => {
    const words = await asked({ args: ["--host", "codex", "--config", "a\narg --strict"] });
    expect([words.requests, words.stdout]).toEqual([
      0,
      expect.stringContaining("a\narg --strict\n{"),
    ]);
    expect(await asked({ env: { CODEX_HOME: "a\narg --strict" } })).toEqual({
      ...fallen(),
      requests: 0,
    });
  });

  test("not for a value longer than a process argument may be", async () => {
    const env = { CODEX_HOME: "x".repeat(70_000) };
    expect(await asked({ env })).toEqual({ ...fallen(), requests: 0 });
  });

  test("not in a deleted working directory", async () => {
    const gone = folder();
    const before = ["sh", "-c", `cd "$0" && ${pathOf("rmdir") ?? ""} "$0" && exec "$@"`, gone];
    const env = { CLAUDE_PROJECT_DIR: folder(), PWD: gone };
    const routed = await asked({ before, env }, (rig) => rig.route(NAME, env.CLAUDE_PROJECT_DIR));
    // The shell of the program says it, too.
    expect({ ...routed, stderr: "" }).toEqual({ ...fallen(), requests: 0 });
  });

  test("not for an event of orcs doctor", async () => {
    expect(await asked({ env: { ORCS_TRIAL_DIR: "/t" } })).toEqual({ ...fallen(), requests: 0 });
  });

  test("not without a route, or with one that leads to no socket", async () => {
    const nothing = { ...fallen(), requests: 0 };
    expect(await asked({}, (rig) => rmSync(routeFile(rig.state, rig.dir)))).toEqual(nothing);
    for (const name of [
      "",
      "s",
      `../${NAME}`,
      `${NAME}0`,
      `${NAME.slice(1)}/`,
      "ABCDEF0123456789",
    ]) {
      expect(await asked({}, (rig) => rig.route(name))).toEqual(nothing);
    }
    expect(await asked({}, (rig) => rig.route(rig.socket))).toEqual(nothing);
    expect(await asked({}, (rig) => rig.route("0123456789abcde0"))).toEqual(nothing);
  });

  test("not without a client program", async () => {
    const rig = new Rig().serve((socket) => socket.end(response("orcs 0\n.\n")));
    const bare = folder();
    for (const name of TOOLS) symlinkSync(pathOf(name) ?? "", join(bare, name));
    expect(await rig.ask({ env: { PATH: bare } })).toEqual(fallen());
  });

  test("not with an insecure socket folder", async () => {
    const nothing = { ...fallen(), requests: 0 };
    for (const client of Object.keys(CLIENTS)) {
      const opened = (mode: number) => (rig: Rig) => chmodSync(rig.run, mode);
      for (const mode of [0o755, 0o710, 0o701]) {
        expect([client, mode, await asked({ client }, opened(mode))]).toEqual([
          client,
          mode,
          nothing,
        ]);
      }
      const linked = (rig: Rig): void => {
        renameSync(rig.run, `${rig.run}-moved`);
        symlinkSync(`${rig.run}-moved`, rig.run);
      };
      expect([client, await asked({ client }, linked)]).toEqual([client, nothing]);
      const plain = (rig: Rig): void => {
        rmSync(rig.socket);
        writeFileSync(rig.socket, "");
      };
      expect([client, await asked({ client }, plain)]).toEqual([client, nothing]);
      for (const run of [folder(), "run", "", `/${"x".repeat(100)}`]) {
        const env = { XDG_RUNTIME_DIR: run, TMPDIR: folder() };
        expect([client, run, await asked({ client, env })]).toEqual([client, run, nothing]);
      }
    }
  });

  test.each(["TMPDIR", "TMP", "TEMP"])(
    "in the socket folder that Node would use: %s",
    async (name) => {
      const tmp = folder();
      for (const client of Object.keys(CLIENTS)) {
        for (const end of ["", "/"]) {
          const rig = new Rig().serve((socket) => socket.end(response("orcs 0\n.\n")));
          const env = { XDG_RUNTIME_DIR: "", TMPDIR: "", TMP: "", [name]: `${tmp}${end}` };
          const at = join(tmp, `orcs-${process.getuid?.()}`);
          renameSync(rig.run, at);
          expect([client, await rig.ask({ client, env })]).toMatchObject([client, { code: 0 }]);
          chmodSync(at, 0o755);
          expect([client, await rig.ask({ client, env })]).toEqual([client, fallen()]);
          rmSync(at, { recursive: true });
        }
      }
    },
  );

  test("by the route of the agent's project folder", async () => {
    const other = folder();
    const at = { CLAUDE_PROJECT_DIR: other };
    expect(await asked({ env: at })).toEqual({ ...fallen(), requests: 0 });
    const routed = await asked({ env: at }, (rig) => rig.route(NAME, other));
    expect(routed).toEqual({ code: 0, stdout: "", stderr: "", requests: 1 });
  });
});

test("the orcs-hook launcher without a program starts the orcs beside it, also through a symlink", () => {
  const bin = folder();
  symlinkSync(LAUNCHER, join(bin, "orcs-hook"));
  for (const words of [["--help"], ["hook", "--help"]]) {
    const { status, stdout } = spawnSync(join(bin, "orcs-hook"), words, { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, expect.stringContaining("orcs hook")]);
  }
});
