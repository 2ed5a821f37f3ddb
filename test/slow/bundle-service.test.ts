import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { publicKeyOf } from "../../src/fleet/bundles/keys.ts";
import { ask, dispatchAt, serving, surroundings } from "../dist/service.ts";
import { folder, orcsAlone, PATIENT, writeFiles } from "../dist/orcs.ts";
import { files, signed } from "../unit/fleet/bundles/rig.ts";
import { bundleServer } from "../unit/fleet/bundles/server.ts";

/** `orcs serve` and `orcs hook` as processes, and a server of bundles on loopback. */

const WAIT = { timeout: 60_000, interval: 100 };
const { privateKey } = generateKeyPairSync("ed25519");

function bundle(revision: number, reason: string, test = "abort"): Buffer {
  const toml = `[[hooks]]
id = "guard"
point = "tool.pre_execute"
handler_inline = 'return { action = "abort", reason = "${reason}" }'
[[hooks.tests]]
name = "denies"
event = { tool_name = "exec", args = {} }
expect = { action = "${test}" }
`;
  const stated = { revision, not_before: null, expires: null };
  return signed(stated, files({ "orcs.toml": toml + PATIENT }), privateKey);
}

test("a change on the server is in force in a running service; what fails is not, and the last good one outlives the server", async () => {
  const server = await bundleServer(bundle(1, "first"));
  const dir = folder();
  const key = publicKeyOf(privateKey).text;
  const toml = `[bundle]\nurl = "${server.url}"\nkeys = ["${key}"]\npoll = "1s"\n`;
  writeFiles(dir, { "no-user/orcs/orcs.toml": toml });
  const service = await serving(dir);
  const decided = () => ask(service.at.socket, dispatchAt({ command: "ls" }));
  await expect.poll(decided, WAIT).toContain("first");

  server.bytes = bundle(2, "second");
  await expect.poll(decided, WAIT).toContain("second");

  // A later revision whose own test fails.
  server.bytes = bundle(3, "third", "continue");
  await expect.poll(() => service.stderr(), WAIT).toContain("revision 3, is refused");
  expect(await decided()).toContain("second");

  // An older one, and then no server at all.
  server.bytes = bundle(1, "first");
  await expect.poll(() => service.stderr(), WAIT).toContain("is older than revision 2");
  server.answer = (request) => request.socket.destroy();
  await expect.poll(() => service.stderr(), WAIT).toContain("ORCS9006");
  expect(await decided()).toContain("second");
  service.child.kill("SIGTERM");
  await service.ended;

  // A new service, and a process without one, start from the disk.
  const again = await serving(dir);
  expect(await ask(again.at.socket, dispatchAt({ command: "ls" }))).toContain("second");
  const { stdout } = await orcsAlone(["audit", "show"], { cwd: dir, env: surroundings(dir) });
  expect(stdout).toContain("bundle");
  const shown = await orcsAlone(["doctor"], { cwd: dir, env: surroundings(dir) });
  expect(shown.stdout).toContain("the bundle policy, revision 2, is active");
});
