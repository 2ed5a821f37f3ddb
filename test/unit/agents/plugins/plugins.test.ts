import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { INSTALL_COMMAND } from "../../../../src/core/install-command.ts";
import { isDeniedWithoutOrcs } from "../../../../src/agents/install/fallback.ts";
import { HOSTS } from "../../../../src/formats/hosts.ts";
import { folder } from "../../engine/orcs/engine.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};
const FILES = {
  "claude-code": [".claude-plugin/plugin.json", "hooks/hooks.json"],
  copilot: ["plugin.json", "hooks.json"],
  gemini: ["gemini-extension.json", "hooks/hooks.json"],
} as const;

interface Entry {
  readonly command?: string;
  readonly hooks?: readonly { readonly command: string }[];
}

function read(...path: string[]): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, "plugins", ...path), "utf8")) as never;
}

/** Event → the command that its agent runs. */
function commands(host: keyof typeof FILES): Map<string, string> {
  const { hooks } = read(host, FILES[host][1]) as { hooks: Record<string, readonly Entry[]> };
  return new Map(
    Object.entries(hooks).map(([event, [entry]]) => [
      event,
      entry?.command ?? entry?.hooks?.[0]?.command ?? "",
    ]),
  );
}

/** Runs a command of a plugin as its agent does. @param path where programs are */
function run(command: string, path: string) {
  const env = { PATH: `${path}:/usr/bin:/bin`, HOME: "/nowhere" };
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], {
    input: "{}",
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe.each(["claude-code", "copilot", "gemini"] as const)("the plugin for %s", (host) => {
  test("has the version of the package", () => {
    expect(read(host, FILES[host][0])).toMatchObject({ name: "orcs", version });
  });

  test("starts orcs where the PATH finds it, and passes its answer on", () => {
    const answer = 'echo "$* got $(cat)"';
    const bin = folder({ "orcs-hook": `#!/bin/sh\n${answer}\n` });
    execFileSync("chmod", ["+x", join(bin, "orcs-hook")]);
    const [command = ""] = commands(host).values();
    const { status, stdout, stderr } = run(command, bin);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^hook --host ${host} --timeout \\d+ got {}\n$`));
  });

  test("denies tool calls without orcs, and says how to install it", async () => {
    const { events } = await HOSTS[host].load();
    for (const [event, command] of commands(host)) {
      const { status, stdout, stderr } = run(command, "/nowhere");
      const said = stdout + stderr;
      expect(said).toContain(INSTALL_COMMAND);
      expect(said).not.toContain("orcs install");
      const row = events[event];
      if (!row || !isDeniedWithoutOrcs(row)) continue;
      const denies = status === 2 || /"(?:deny|block)"/.test(stdout);
      expect([event, denies]).toEqual([event, true]);
    }
  });
});
