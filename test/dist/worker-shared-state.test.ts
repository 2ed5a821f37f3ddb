import { join } from "node:path";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Isolation } from "./both.ts";
import { built } from "./both.ts";
import { folder } from "./orcs.ts";

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** An engine whose shared state cannot be used; that counts in the user's own configuration only. */
async function without(isolation: Isolation, hook: string) {
  const toml = `[state]
url = "redis://127.0.0.1:${await closedPort()}"
[lua]
isolation = "${isolation}"
max_run_ms = 5000
max_chain_ms = 20000
[[hooks]]
id = "counted"
point = "tool.pre_execute"
${hook}
`;
  const home = folder({ "orcs/orcs.toml": toml });
  vi.stubEnv("XDG_CONFIG_HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { createOrcs } = await built();
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const orcs = await createOrcs({ config: join(home, "orcs/orcs.toml"), logger: quiet });
  onTestFinished(() => orcs.close());
  return async () => {
    const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
    return outcome.action === "abort" ? `abort: ${outcome.reason}` : outcome.action;
  };
}

const COUNT = `handler_inline = 'if not orcs.state.incr("n", 1, 60000, 2) then return orcs.deny("over") end'`;
const READ = `handler_inline = 'orcs.state.set("k", { a = 1 }) local v = orcs.state.get("k") if not orcs.state.compare_and_set("k", v, { a = 1, b = 2 }) or orcs.state.compare_and_set("k", v, 1) then return orcs.deny("not compared") end orcs.state.delete("k") if v.a ~= 1 or orcs.state.get("k") then return orcs.deny("wrong") end'`;
const CAUGHT = `handler_inline = 'pcall(orcs.state.incr, "n") return orcs.deny("went on")'`;
const GONE = /^abort: hook counted failed: .*ORCS9201/;

const ROWS = [
  ['on_store_error = "closed"\non_error = "open"', COUNT, [GONE, GONE]],
  ['on_store_error = "open"', COUNT, [/^continue$/, /^continue$/]],
  ['on_store_error = "local"', COUNT, [/^continue$/, /^continue$/, /^abort: over$/]],
  ['on_store_error = "local"', READ, [/^continue$/]],
  ['on_error = "open"', COUNT, [/^continue$/]],
  ['on_error = "closed"', COUNT, [GONE]],
  // A script cannot catch it: what happens is stated.
  ['on_store_error = "open"', CAUGHT, [/^continue$/]],
] as const;

describe.each(["thread", "worker"] as const)("a store that is gone, in a %s", (isolation) => {
  test.for(ROWS)("%s", async ([stated, handler, expected]) => {
    const call = await without(isolation, `${stated}\n${handler}`);
    for (const each of expected) expect(await call()).toMatch(each);
  });
});
