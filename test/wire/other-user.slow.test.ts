import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { OrcsClient } from "../../src/daemon/client/client.ts";
import { serviceRig } from "../unit/daemon/service-rig.ts";

/** Another user of the machine: uid 65534, which is nobody. */

const CAN_SWITCH = process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0;
if (!CAN_SWITCH) console.warn("SKIPPED: not root, or without setpriv: no other user can be tried");

const PROGRAM = `
const { connect } = require("node:net");
const { readFileSync } = require("node:fs");
const [socket, file] = process.argv.slice(1);
let read = "";
try { readFileSync(file); read = "read"; } catch (error) { read = error.code; }
connect(socket)
  .on("connect", () => { console.log("connected", read); process.exit(); })
  .on("error", ({ code }) => { console.log(code, read); process.exit(); });
`;

test.runIf(CAN_SWITCH)("cannot connect to the socket, nor read the token", async () => {
  const { address, dir } = await serviceRig({ "orcs.toml": "[serve]\nport = 0\n" });
  // Of the socket and the file themselves: the folder may be entered.
  for (const folder of [dir, address.folder]) chmodSync(folder, 0o755);
  const as = (uid: number): string => {
    const switched = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", process.execPath];
    const args = [...switched, "-e", PROGRAM, address.socket, address.wellKnown];
    const { stdout, stderr } = spawnSync("setpriv", args, { cwd: "/", encoding: "utf8" });
    return (stdout || stderr).trim();
  };
  expect(as(0)).toBe("connected read");
  expect(as(65_534)).toBe("EACCES EACCES");
});

test.runIf(CAN_SWITCH)("cannot answer in place of the service", async () => {
  const { address } = await serviceRig({ "orcs.toml": "" });
  // A file of somebody else, however well it is written.
  spawnSync("chown", ["65534", address.wellKnown]);
  const client = new OrcsClient({ service: address.wellKnown });
  const outcome = await client.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });
  expect(outcome).toMatchObject({
    action: "abort",
    reason: expect.stringMatching(/^ORCS7006/) as string,
  });
  client.close();
});
