import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Gateway, NotCarried } from "../../../src/daemon/agent-gateway.ts";
import { carriedEnvironment } from "../../../src/daemon/service-protocol.ts";
import { folder, Lines } from "../engine/orcs/engine.ts";
import { home } from "../config/trust/rig.ts";
import { preToolUse } from "./service-rig.ts";

// The process that answers has RELEASE_JOB=1 and a token; nothing of that may count for an event.

const KINDS: Readonly<Record<string, string>> = {
  shell: `shell = { command = '[ "$RELEASE_JOB" = 1 ] || exit 2', env = ["RELEASE_JOB"] }`,
  module: `module = { function = "./guard.mjs", env = ["RELEASE_JOB"] }`,
  webhook: `webhook = { url = "http://127.0.0.1:9/\${RELEASE_JOB}", allow_env = ["RELEASE_JOB"], allow_hosts = ["127.0.0.1"] }\nmax_retries = 0`,
  live: `handler = { url = "http://127.0.0.1:9/\${RELEASE_JOB}", protocol = "jsonrpc", allow_env = ["RELEASE_JOB"], allow_hosts = ["127.0.0.1"] }`,
  exec: `handler_inline = 'local done = orcs.exec("[ \\"$RELEASE_JOB\\" = 1 ]"); return not done.ok and orcs.deny(done.error) or nil'`,
};

function gateway(kind: string): Gateway {
  home();
  process.env["RELEASE_JOB"] = "1";
  onTestFinished(() => void delete process.env["RELEASE_JOB"]);
  const dir = folder({
    "guard.mjs": `export default (ctx, orcs, options, env) => env.RELEASE_JOB === "1" ? undefined : { action: "abort", reason: "no job" };`,
  });
  const config = join(dir, "orcs.toml");
  const permissions = kind === "exec" ? '[permissions]\nenv = ["RELEASE_JOB"]\n' : "";
  writeFileSync(
    config,
    `${permissions}[[hooks]]\nid = "h"\npoint = "tool.pre_execute"\nmatch = { command = "^ls" }\non_error = "open"\n${KINDS[kind]}\n`,
  );
  const environment = carriedEnvironment();
  const made = new Gateway({ cwd: dir, config, environment }, new Lines());
  onTestFinished(() => made.close());
  return made;
}

const ask = async (of: Gateway, env: Record<string, string | null> | undefined, canRun = false) => {
  const environment = env && carriedEnvironment(env);
  const answer = await of.answer("claude-code", JSON.stringify(preToolUse("ls")), 20_000, {
    environment,
    canRun,
  });
  return JSON.stringify(answer.output ?? null);
};

test.each(Object.keys(KINDS))(
  "a hook that is a %s sees the variable of the event, and denies whatever its on_error if it is unknown",
  async (kind) => {
    const of = gateway(kind);
    const PATH = process.env["PATH"] ?? "";
    const given = await ask(of, { RELEASE_JOB: "1", PATH });
    expect(given).not.toContain("deny");
    for (const env of [undefined, { PATH }]) {
      const answer = await ask(of, env);
      expect(answer).toContain('"permissionDecision":"deny"');
      expect(answer).toContain("ORCS7022");
      expect(answer).toContain("RELEASE_JOB");
    }
    // That it is not set is known; a webhook without its variable has failed, and its failures are open.
    const unset = await ask(of, { RELEASE_JOB: null, PATH });
    expect(unset.includes("deny")).toBe(kind !== "webhook" && kind !== "live");
    expect(unset).not.toContain("ORCS7022");
    await expect(ask(of, { PATH }, true)).rejects.toThrow(NotCarried);
  },
);
