import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { CALLS } from "../dist/hook-rig.ts";
import { folder, MAIN, orcs, PATIENT } from "../dist/orcs.ts";
import { ask, dispatchAt, httpOf, surroundings, trustedByServices } from "../dist/service.ts";
import type { Said } from "../dist/service.ts";
import { partOf } from "../slow-test.ts";

// A service as people have it, whose file descriptors somebody else wants to have.

const CONFIG = `${PATIENT}
[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { runs = ["git push --force"] }
handler_inline = 'return orcs.deny("no force")'
`;
const EVENT = CALLS["claude-code"]("git push --force");

/** A service that may have so many files open. */
async function limited(files: number): Promise<{ readonly dir: string; readonly at: Said }> {
  const dir = folder({ "orcs.toml": CONFIG });
  await trustedByServices(dir);
  const line = `ulimit -n ${files} && exec "${process.execPath}" "${MAIN}" serve --json --port 0`;
  const child = spawn("sh", ["-c", line], {
    cwd: dir,
    env: { ...process.env, ...surroundings(dir) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { dir, at: JSON.parse(said.toString()) as Said };
}

async function crowd(count: number, to: number | string, said: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  for (let i = 0; i < count; i++) {
    const socket = typeof to === "number" ? connect(to, "127.0.0.1") : connect(to);
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.resume();
    if (said !== "") socket.write(said);
    // Not so many at once that the system drops some of them by itself.
    if (i % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return sockets;
}

async function stillAnswers({ dir, at }: Awaited<ReturnType<typeof limited>>): Promise<void> {
  // The system itself turns callers away while it has more of them than it keeps waiting: a hook decides alone then.
  const answer = () => ask(at.socket, dispatchAt({ command: "git push --force" }));
  await expect.poll(answer, { timeout: 30_000, interval: 20 }).toContain("no force");
  const { port, token } = httpOf(at);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ ...EVENT, cwd: dir });
  const reply = await fetch(`http://127.0.0.1:${port}/hooks/claude-code`, {
    method: "POST",
    headers,
    body,
  });
  expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining("no force")]);
  const { stdout, stderr } = await orcs(["hook", "--host", "claude-code"], {
    cwd: dir,
    stdin: body,
    env: surroundings(dir),
  });
  expect(stdout).toContain('"permissionDecision":"deny"');
  expect(stdout).toContain("no force");
  expect(stderr).toBe("");
}

const HALF = "POST /hooks/codex HTTP/1.1\r\nHost: 127.0.0.1\r\n";

const CROWDS: [number, string, number][] = [
  [1000, "", 1024],
  [1000, HALF, 1024],
  [1000, "", 256],
  [5000, "", 1024],
  [5000, HALF, 1024],
];
test.each(partOf(CROWDS, 2))(
  "with %i half-open HTTP connections that sent %j and a limit of %i files, the next event is answered",
  async (count, said, files) => {
    const service = await limited(files);
    const sockets = await crowd(count, service.at.port ?? 0, said);
    await stillAnswers(service);
    await expect
      .poll(() => sockets.filter(({ closed }) => !closed).length, { timeout: 60_000 })
      .toBe(0);
    await stillAnswers(service);
  },
);

test("under a constant flood of HTTP connections, the hook socket answers", async () => {
  const service = await limited(1024);
  const over = new AbortController();
  const flood = (async () => {
    while (!over.signal.aborted) {
      for (const socket of await crowd(500, service.at.port ?? 0, HALF)) {
        setTimeout(() => socket.destroy(), 1000);
      }
    }
  })();
  for (let i = 0; i < 20; i++) {
    const request = dispatchAt({ command: "git push --force" });
    expect(await ask(service.at.socket, request)).toContain("no force");
  }
  over.abort();
  await flood;
  await stillAnswers(service);
});

test.each(partOf([1000, 5000], 2))(
  "with %i silent connections to the socket, the next event is answered",
  async (count) => {
    const service = await limited(1024);
    await crowd(count, service.at.socket, "");
    await stillAnswers(service);
  },
);
