import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask, dispatchAt, serving, surroundings } from "../dist/service.ts";
import { folder, orcsAlone, writeFiles } from "../dist/orcs.ts";
import type { Receiver } from "../unit/fleet/shipping/receiver.ts";
import { logLines, receiver } from "../unit/fleet/shipping/receiver.ts";

/** `orcs serve` as a process, and a receiver of its audit log on loopback. */

const WAIT = { timeout: 60_000, interval: 50 };
const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
const DENY = `
[[hooks]]
id = "guard"
point = "tool.pre_execute"
handler_inline = 'return orcs.deny("no " .. ctx.payload.args.command)'
[lua]
max_run_ms = 5000
max_chain_ms = 20000
`;

function configured(url: string): string {
  const dir = folder();
  const toml = `[ship]\nurl = "${url}"\ninterval = "1s"\nstatus = "1s"\n${DENY}`;
  writeFiles(dir, { "no-user/orcs/orcs.toml": toml });
  return dir;
}

interface LogLine {
  readonly seq: number;
  readonly kind: string;
  readonly reason?: string;
}

const decisions = ({ stored }: Receiver) =>
  logLines(stored)
    .map((line) => JSON.parse(line) as LogLine)
    .filter(({ kind }) => kind === "dispatch");

const reasons = (server: Receiver) => () => [
  ...new Set(decisions(server).map(({ reason }) => reason)),
];

async function verified(server: Receiver, dir: string) {
  const file = join(folder(), "received.ndjson");
  writeFileSync(file, server.stored.map((line) => `${line}\n`).join(""));
  const args = ["audit", "verify", "--received", file, "--json"];
  const { code, stdout } = await orcsAlone(args, { cwd: dir, env: surroundings(dir) });
  return { code, ...(JSON.parse(stdout) as { damage: unknown[]; logs: { status?: object }[] }) };
}

test("decisions reach the receiver masked, through an outage, a kill and a restart; what arrived is intact", async () => {
  const server = await receiver();
  const dir = configured(server.url);
  const first = await serving(dir);
  await ask(first.at.socket, dispatchAt({ command: `curl -H "Authorization: Bearer ${SECRET}"` }));
  await expect.poll(() => decisions(server).length, WAIT).toBe(1);
  expect(server.stored.join("\n")).not.toContain(SECRET);
  expect(decisions(server)[0]?.reason).toContain("no curl");

  // The receiver is down: decisions do not wait, and nothing is lost.
  server.answer = (response) => response.writeHead(503).end();
  for (const command of ["b", "c"]) {
    expect(await ask(first.at.socket, dispatchAt({ command }))).toContain(`no ${command}`);
  }
  await expect.poll(() => first.stderr(), WAIT).toContain("ORCS9330");
  // What it stores of this it does not confirm.
  server.answer = (response, { lines }) => {
    server.stored.push(...lines);
    response.destroy();
  };
  await expect.poll(reasons(server), WAIT).toContain("no c");
  first.child.kill("SIGKILL");
  await first.ended;

  server.answer = undefined;
  const second = await serving(dir);
  await ask(second.at.socket, dispatchAt({ command: "d" }));
  // It sends at its end what is left.
  second.child.kill("SIGTERM");
  await second.ended;
  expect(reasons(server)()).toEqual(expect.arrayContaining(["no b", "no c", "no d"]));
  const seqs = [
    ...new Set(logLines(server.stored).map((line) => (JSON.parse(line) as LogLine).seq)),
  ];
  expect(seqs).toEqual(seqs.map((_, i) => i + 1));
  const ids = server.requests.map(({ request }) => request.headers["idempotency-key"]);
  expect(new Set(ids).size).toBeLessThan(ids.length);

  const report = await verified(server, dir);
  expect(report).toMatchObject({
    code: 0,
    damage: [],
    logs: [{ status: { bundle: null, hooks: expect.any(Number) as number } }],
  });
  const cut = server.stored.findIndex((line) => line.includes('"no c'));
  server.stored.splice(cut, 1);
  server.stored.splice(
    server.stored.findIndex((line) => line.includes('"no c')),
    1,
  );
  expect((await verified(server, dir)).damage).not.toEqual([]);
});
