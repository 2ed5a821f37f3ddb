import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { routeFile } from "../../src/daemon/address.ts";
import { CALLS } from "../dist/hook-rig.ts";
import { ended, folder, MAIN, orcs, ROOT } from "../dist/orcs.ts";
import type { Ended } from "../dist/orcs.ts";
import { httpOf, serving, surroundings, trustedByServices } from "../dist/service.ts";
import { pathWith } from "../launcher-clients.ts";
import { partOf } from "../slow-test.ts";
import { withTypeScript } from "../wire/cases.ts";

// A service that is killed while somebody waits for it: whatever is asked through, and whenever it is killed, its hooks
// run once at most, and what may have been received whole is denied.

/** Counts its runs in a file outside of the project, with the command of each call. */
const config = (ran: string): string => `
[serve]
auto = false
[lua]
max_run_ms = 5000
max_chain_ms = 20000
[[hooks]]
id = "counts"
point = "tool.pre_execute"
match = { tool = "exec" }
shell = { command = "cat >/dev/null; echo ran >>${ran}" }
`;

/** When the service is killed. */
const MOMENTS = ["before connect", "half sent", "sent", "half answered", "answered"] as const;
type Moment = (typeof MOMENTS)[number];

/** What came of a call: it was allowed, denied because the service was lost, or nobody could decide. */
type Result = "allowed" | "lost" | "unavailable";

interface Served {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Larger than what the system keeps of a connection that nobody reads. */
  readonly isLarge: boolean;
  /** The port between the client and the service. */
  readonly port: number;
  readonly token: string;
  readonly wellKnown: string;
}

/** Who asks, and through which file of the service. */
interface Transport {
  readonly through: "hook" | "sock" | "http";
  readonly ask: (served: Served) => Promise<Result>;
}

const command = ({ isLarge }: Served): string => (isLarge ? `: ${"x".repeat(1.5e6)}` : "ls");
const eventOf = (served: Served): string =>
  JSON.stringify({ ...CALLS["claude-code"](command(served)), cwd: served.dir });

/** As Claude Code reads it. */
function resultOf({ code, stdout, stderr }: Ended): Result {
  if (code === 0 && stdout === "") return "allowed";
  if (stdout.includes('"permissionDecision":"deny"') && stdout.includes("ORCS7002")) return "lost";
  throw new Error(`exit code ${code}: ${stdout}${stderr}`);
}

function started(file: string, args: readonly string[], served: Served, env = {}): Promise<Ended> {
  const child = spawn(file, args, {
    cwd: served.dir,
    env: { ...process.env, ...served.env, CLAUDE_PROJECT_DIR: served.dir, ...env },
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(eventOf(served));
  return ended(child);
}

const HOOK = ["hook", "--host", "claude-code", "--timeout", "60"];

function launcher(client: string): Transport {
  return {
    through: "hook",
    async ask(served) {
      const words = [process.execPath, MAIN, ...HOOK];
      const env = { PATH: pathWith(client) };
      return resultOf(await started(join(ROOT, "bin/orcs-hook"), words, served, env));
    },
  };
}

const dispatchOf = (served: Served) => ({
  dispatch: "tool.pre_execute",
  payload: { tool_name: "exec", args: { command: command(served) } },
});
const optionsOf = ({ wellKnown }: Served) => ({ service: wellKnown, reconnectMs: 300 });

function outcomeOf({ action, reason = "" }: { action?: string; reason?: string }): Result {
  if (action === "continue") return "allowed";
  if (action !== "abort") throw new Error(`${action}: ${reason}`);
  return reason.includes("not sent again") ? "lost" : "unavailable";
}

const TRANSPORTS: Readonly<Record<string, Transport>> = {
  perl: launcher("perl"),
  curl: launcher("curl"),
  nc: launcher("nc"),
  "orcs hook": {
    through: "sock",
    ask: async (served) => resultOf(await started(process.execPath, [MAIN, ...HOOK], served)),
  },
  "TypeScript client": {
    through: "sock",
    ask: async (served) => outcomeOf(await withTypeScript(dispatchOf(served), optionsOf(served))),
  },
  "TypeScript client over HTTP": {
    through: "http",
    ask: async (served) =>
      outcomeOf(
        await withTypeScript(dispatchOf(served), { ...optionsOf(served), transport: "http" }),
      ),
  },
  "Python client": {
    through: "sock",
    async ask(served) {
      const { service, ...client } = optionsOf(served);
      const words = [join(ROOT, "test/wire/driver.py"), join(ROOT, "clients/python")];
      const child = spawn("python3", words);
      child.stdin.end(`${JSON.stringify({ service, client, do: dispatchOf(served) })}\n`);
      return outcomeOf(JSON.parse((await ended(child)).stdout) as { action: string });
    },
  },
  // The agent then does what its entry says (`onFailure`): it has no response that it could take for a decision.
  "the agent itself": {
    through: "http",
    ask: (served) =>
      new Promise((resolve) => {
        const headers = {
          authorization: `Bearer ${served.token}`,
          "content-type": "application/json",
        };
        const { port } = served;
        const path = "/hooks/claude-code";
        const asked = request({ host: "127.0.0.1", port, path, method: "POST", headers });
        asked.on("error", () => resolve("unavailable"));
        asked.on("response", (response) => {
          let text = "";
          response.on("data", (part: Buffer) => (text += part.toString()));
          response.on("error", () => resolve("unavailable"));
          response.on("end", () => resolve(text === "{}" ? "allowed" : "unavailable"));
        });
        asked.end(eventOf(served));
      }),
  },
};

/** What comes of it: the first is for entries, the second for programs, which have no other way to the hooks. */
const WANTED: Readonly<Record<Moment, readonly [Result, Result]>> = {
  "before connect": ["allowed", "unavailable"],
  "half sent": ["allowed", "unavailable"],
  sent: ["lost", "lost"],
  "half answered": ["lost", "lost"],
  answered: ["allowed", "allowed"],
};

const CASES = Object.keys(TRANSPORTS).flatMap((transport) =>
  MOMENTS.map((moment) => ({ transport, moment })),
);

test.each(partOf(CASES, 3))("$transport, killed when $moment", async ({ transport, moment }) => {
  const { through, ask } = TRANSPORTS[transport] as Transport;
  const out = join(folder(), "ran");
  writeFileSync(out, "");
  const ran = (): number => readFileSync(out, "utf8").length / 4;
  const dir = folder({ "orcs.toml": config(out) });
  await trustedByServices(dir);
  const service = await serving(dir, ["--port", "0"]);
  const env = surroundings(dir);
  const { socket } = service.at;
  const { port, token } = httpOf(service.at);
  const state = join(env["XDG_STATE_HOME"] ?? "", "orcs");
  mkdirSync(join(state, "routes"), { recursive: true });
  const name = /(\w+)\.sock$/.exec(socket)?.[1] ?? "";
  writeFileSync(routeFile(state, dir), `${name}\n`);
  const file = socket.replace("sock", through);
  const kill = async (): Promise<void> => {
    service.child.kill("SIGKILL");
    await service.ended;
  };
  const wellKnown = socket.replace(/sock$/, "json");
  let between = port;
  if (moment === "before connect") await kill();
  else if (through === "http") {
    between = await relay(port, moment, { kill, ran });
    const known = JSON.parse(readFileSync(wellKnown, "utf8")) as object;
    writeFileSync(wellKnown, JSON.stringify({ ...known, port: between }));
  } else {
    renameSync(file, `${file}.real`);
    await relay(`${file}.real`, moment, { kill, ran }, file);
  }
  const isLarge = moment === "half sent";
  const result = await ask({ dir, env, isLarge, port: between, token, wellKnown });
  const isEntry = through === "hook" || transport === "orcs hook";
  let wanted: readonly Result[] = [WANTED[moment][isEntry ? 0 : 1]];
  // curl may see the end of the connection before it has sent all of it, nc never tells, and TCP may have kept all.
  if (moment === "half sent" && /curl|nc|HTTP/.test(transport)) wanted = [...wanted, "lost"];
  // Nobody tells it why.
  if (transport === "the agent itself" && moment !== "answered") wanted = ["unavailable"];
  expect(wanted).toContain(result);
  const isRun = result === "allowed" || moment === "sent" || moment === "half answered";
  expect(ran()).toBe(isRun ? 1 : 0);
});

/** What stands between a client and a service until the service is killed. */
interface Killing {
  readonly kill: () => Promise<void>;
  /** How often the hook has run. */
  readonly ran: () => number;
}

/** Pass requests on, and kill the service at a moment of the one that is not a greeting. Returns the port, if any. */
async function relay(
  to: string | number,
  moment: Moment,
  { kill, ran }: Killing,
  at: string | number = 0,
): Promise<number> {
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    const real = typeof to === "number" ? connect(to, "127.0.0.1") : connect(to);
    for (const end of [client, real]) end.on("error", () => undefined);
    const over = async (): Promise<void> => {
      await kill();
      client.destroy();
    };
    let isAsked = false;
    client.on("data", (part: Buffer) => {
      isAsked ||= part.includes("tool.pre_execute") || part.includes("PreToolUse");
      // The service wants its own port in the header.
      const text = part
        .toString("latin1")
        .replace(`127.0.0.1:${portOf(server)}`, `127.0.0.1:${to}`);
      real.write(Buffer.from(text, "latin1"));
      if (isAsked && moment === "half sent") {
        client.pause();
        setTimeout(() => void over(), 100);
      }
    });
    client.on("end", () => real.end());
    // Who asks after the end whether somebody listens learns that nobody does.
    answersOf(real, client, () => isAsked && moment, { ran, over }).catch(() => client.destroy());
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(at, resolve));
  if (typeof at === "string") {
    chmodSync(at, 0o600);
    onTestFinished(() => rmSync(at, { force: true }));
  }
  return portOf(server);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function answersOf(
  real: Socket,
  client: Socket,
  killedAt: () => Moment | false,
  { ran, over }: { readonly ran: () => number; readonly over: () => Promise<void> },
): Promise<void> {
  // Left over from the greeting, nothing is answered yet when the question is sent.
  for await (const part of real as AsyncIterable<Buffer>) {
    const moment = killedAt();
    if (moment === false) client.write(part);
    else if (ran() > 0) {
      if (moment === "half answered") client.write(part.subarray(0, part.length / 2));
      // Read only when the service is gone.
      if (moment === "answered") client.write(part);
      await over();
      return;
    }
  }
  client.end();
}

test.each(HOST_NAMES)("%s: a lost service is a denial in its own form", async (host) => {
  const dir = folder({ "orcs.toml": config("/dev/null") });
  const protocol = await HOSTS[host].load();
  const event = CALLS[host]("ls");
  for (const [lost, why] of [
    ["gone", "it ended without a response"],
    ["late", "it did not respond in time"],
  ] as const) {
    const { code, stdout, stderr } = await orcs(["hook", "--host", host, "--lost", lost], {
      cwd: dir,
      env: surroundings(dir),
      stdin: JSON.stringify(event),
    });
    const said = `ORCS7002: the connection to the service of ${dir} was lost: ${why}`;
    const text = `${said}. Its hooks may have run, so they are not run again; try again`;
    const wanted = protocol.refuse(String(event["hook_event_name"]), text);
    expect([code, stdout.trim()]).toEqual([
      wanted.code,
      wanted.output === undefined ? "" : JSON.stringify(wanted.output),
    ]);
    expect(stderr.trim()).toBe([wanted.message, wanted.notice].filter(Boolean).join("\n"));
  }
});

test("launchers that wait when the service is killed at any time run no hook twice", async () => {
  const out = join(folder(), "ran");
  writeFileSync(out, "");
  const dir = folder({
    "orcs.toml": config(out).replace(
      "cat >/dev/null; echo ran",
      // The event has no line break at its end.
      `echo $(sed -n 's/.*mark-\\\\([0-9]*\\\\).*/\\\\1/p')`,
    ),
  });
  await trustedByServices(dir);
  const env = surroundings(dir);
  const state = join(env["XDG_STATE_HOME"] ?? "", "orcs");
  const path = pathWith("perl");
  const verdicts: Result[] = [];
  for (let round = 0; round < 3; round++) {
    const service = await serving(dir);
    const name = /(\w+)\.sock$/.exec(service.at.socket)?.[1] ?? "";
    mkdirSync(join(state, "routes"), { recursive: true });
    writeFileSync(routeFile(state, dir), `${name}\n`);
    const calls = Array.from({ length: 6 }, async (_, i) => {
      const event = { ...CALLS["claude-code"](`echo mark-${round * 6 + i}`), cwd: dir };
      const child = spawn(join(ROOT, "bin/orcs-hook"), [process.execPath, MAIN, ...HOOK], {
        cwd: dir,
        env: { ...process.env, ...env, CLAUDE_PROJECT_DIR: dir, PATH: path },
      });
      child.stdin.end(JSON.stringify(event));
      verdicts.push(resultOf(await ended(child)));
    });
    setTimeout(() => service.child.kill("SIGKILL"), Math.random() * 200);
    await Promise.all(calls);
  }
  const marks = readFileSync(out, "utf8").match(/\d+/g) ?? [];
  expect(new Set(marks).size).toBe(marks.length);
  expect(verdicts.filter((verdict) => verdict === "allowed").length).toBeLessThanOrEqual(
    marks.length,
  );
});
