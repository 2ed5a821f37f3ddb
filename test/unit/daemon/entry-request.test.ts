import { rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../engine/orcs/engine.ts";
import { CARRIED_VARIABLES } from "../../../src/formats/hosts.ts";
import { configPlace } from "../../../src/config/trust/config-place.ts";
import { variableOf } from "../../../src/core/environment.ts";
import { serviceKey } from "../../../src/daemon/address.ts";
import { launcherRequest } from "../../../src/daemon/service/entry-request.ts";

const LAUNCHER = resolve(import.meta.dirname, "../../../bin/orcs-hook");

/** What bin/orcs-hook says where it is started with this environment. */
function about(project: string, { at = LAUNCHER, cwd = project } = {}): string {
  const settings = Object.keys(process.env).filter((name) => name.startsWith("ORCS_"));
  const env: NodeJS.ProcessEnv = { ...process.env, CLAUDE_PROJECT_DIR: project };
  return [
    "orcs-hook 2",
    `at ${at}`,
    `cwd ${cwd}`,
    "arg --host",
    "arg claude-code",
    ...[...CARRIED_VARIABLES, ...settings].map((name) =>
      env[name] === undefined ? `env ${name}` : `env ${name}=${env[name]}`,
    ),
    "umask 27",
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

test("launcherRequest reads the environment of the agent, and takes a variable that is not named for unknown", async () => {
  const project = folder();
  const key = serviceKey(configPlace(project, undefined, undefined));
  const asked = await launcherRequest(`${about(project)}\nenv RELEASE_JOB=a=b c\nenv OTHER`, key);
  if (typeof asked === "string") throw new Error(asked);
  const { environment } = asked;
  expect(environment.umask).toBe(0o27);
  expect(variableOf(environment, "RELEASE_JOB")).toBe("a=b c");
  expect(variableOf(environment, "OTHER")).toBeUndefined();
  expect(() => variableOf(environment, "THIRD")).toThrow("ORCS7022");
});

test.each(["TZ", "HOME", "ORCS_ENGINE_ON_ERROR", "CLAUDE_CONFIG_DIR"])(
  "launcherRequest declines another %s: the service is that of this process's own",
  async (name) => {
    const project = folder();
    const key = serviceKey(configPlace(project, undefined, undefined));
    expect(await launcherRequest(`${about(project)}\nenv ${name}=/elsewhere`, key)).toBe(
      name === "HOME" && process.env["XDG_STATE_HOME"] === undefined
        ? "the user's folders differ"
        : "it belongs to another configuration",
    );
  },
);

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
