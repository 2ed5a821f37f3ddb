import { rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../engine/engine.ts";
import { SETTINGS_VARIABLES } from "../../../src/protocols/hosts.ts";
import { configPlace } from "../../../src/trust/config-place.ts";
import { serviceKey } from "../../../src/serve/address.ts";
import { launcherRequest, SENT_VARIABLES } from "../../../src/serve/service/entry-request.ts";

const LAUNCHER = resolve(import.meta.dirname, "../../../bin/orcs-hook");

/** What bin/orcs-hook says where it is started with this environment. */
function about(project: string, { at = LAUNCHER, cwd = project } = {}): string {
  const settings = SETTINGS_VARIABLES;
  const env: NodeJS.ProcessEnv = { ...process.env, CLAUDE_PROJECT_DIR: project };
  return [
    "orcs-hook 1",
    `at ${at}`,
    `cwd ${cwd}`,
    "arg --host",
    "arg claude-code",
    ...[...SENT_VARIABLES, ...settings].map((name) => `env ${name}=${env[name] ?? ""}`),
    "within 5",
  ].join("\n");
}

test("launcherRequest reads the trace that the agent named in the environment", async () => {
  const project = folder();
  const key = serviceKey(configPlace(project, undefined, undefined));
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const asked = (line: string) => launcherRequest(`${about(project)}\n${line}`, key);
  expect(await asked(`env TRACEPARENT=${traceparent}`)).toMatchObject({ trace: { traceparent } });
  expect(await asked("env TRACEPARENT=nonsense")).toMatchObject({ trace: undefined });
});

test("launcherRequest declines a request from a missing folder or launcher", async () => {
  const project = folder();
  const key = serviceKey(configPlace(project, undefined, undefined));
  expect(await launcherRequest(about(project), key)).toMatchObject({ host: "claude-code" });
  expect(await launcherRequest(about(project, { cwd: tmpdir() }), key)).toMatchObject({
    withinMs: 5000,
  });
  const cwd = folder();
  rmdirSync(cwd);
  expect(await launcherRequest(about(project, { cwd }), key)).toBe(`${cwd} is gone`);
  const at = join(cwd, "orcs-hook");
  expect(await launcherRequest(about(project, { at }), key)).toBe(
    `${at} belongs to another version of orcs`,
  );
});
