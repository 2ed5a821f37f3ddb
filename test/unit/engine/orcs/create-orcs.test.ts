import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { trustedHere } from "../../../trusted.ts";
import { call, folder, Lines, open } from "./engine.ts";

const DENY = `
[[hooks]]
id = "no"
point = "PreToolUse"
handler_inline = 'return orcs.deny("not here")'
`;

describe("createOrcs: the config option", () => {
  test("a path is relative to the working directory", async () => {
    const orcs = await open({ cwd: folder({ "sub/some.toml": DENY }), config: "sub/some.toml" });
    expect(orcs.registry.get("no")).toMatchObject({
      origin: "named",
      source: { file: "sub/some.toml", line: 5 },
    });
    expect(await orcs.dispatch("tool.pre_execute", call("x"))).toMatchObject({
      action: "abort",
      reason: "not here",
    });
  });

  test("omitted: the user's file, the discovered project file and its orcs.local.toml are merged", async () => {
    const dir = folder({
      "user/orcs/orcs.toml": hookToml("user", 500),
      "project/orcs.toml": hookToml("project", 1),
      "project/orcs.local.toml": `${hookToml("local", 2)}[engine]\nmax_depth = 9\n`,
      "project/src/deep/file.txt": "",
    });
    vi.stubEnv("XDG_CONFIG_HOME", join(dir, "user"));
    await trustedHere(join(dir, "project"), join(dir, "state"));
    const orcs = await open({ cwd: join(dir, "project/src/deep"), config: undefined });
    vi.unstubAllEnvs();
    // What was found in a project runs after the user's own, whatever its priority.
    expect(orcs.registry.list().map(({ id, origin }) => [id, origin])).toEqual([
      ["user", "user"],
      ["project", "project"],
      ["local", "local"],
    ]);
    expect(orcs.settings.engine.max_depth).toBe(9);
  });

  test("omitted, with no file discovered: an engine without hooks", async () => {
    const dir = folder();
    vi.stubEnv("XDG_CONFIG_HOME", dir);
    const orcs = await open({ cwd: dir, config: undefined });
    vi.unstubAllEnvs();
    expect(orcs.registry.size).toBe(0);
  });
});

describe("createOrcs: the program's other options", () => {
  test("overrides take precedence over all layers", async () => {
    const config = { engine: { max_depth: 2, on_error: "open" } };
    const orcs = await open({ config, overrides: { engine: { max_depth: 7 } } });
    expect(orcs.settings.engine).toMatchObject({ max_depth: 7, on_error: "open" });
  });

  test("hooks are added to those of the configuration", async () => {
    const hooks = [{ id: "in-code", point: "tool.pre_execute", handler: () => undefined }];
    const orcs = await open({ cwd: folder({ "o.toml": DENY }), config: "o.toml", hooks });
    expect(orcs.registry.list().map(({ id, origin }) => [id, origin])).toEqual([
      ["no", "named"],
      ["in-code", "code"],
    ]);
  });

  test("points adds custom hook points with pre and post phases", async () => {
    const orcs = await open({
      points: { "deploy.pre_push": { phase: "pre" }, "deploy.post_push": { phase: "post" } },
      config: {
        hooks: [
          { id: "d", point: "deploy.pre_push", handler_inline: 'ctx.payload.branch = "next"' },
          { id: "r", point: "deploy.post_push", handler_inline: 'orcs.replace("masked")' },
        ],
      },
    });
    const pushed: unknown[] = [];
    // The types know the built-in operations only; at run time any pair of points will do.
    const outcome = await orcs.invoke(
      "deploy.push" as "tool.execute",
      { branch: "main" } as never,
      ({ branch }) => pushed.push(branch),
    );
    expect(pushed).toEqual(["next"]);
    expect(outcome).toMatchObject({ action: "continue", result: "masked" });
  });

  test("logger, output and clock are used by scripts", async () => {
    const logger = new Lines();
    const written: string[] = [];
    let time = 5;
    const orcs = await open({
      logger,
      output: (text) => written.push(text),
      clock: { now: () => time++, sleep: () => Promise.resolve() },
      config: {
        hooks: [
          {
            point: "tool.pre_execute",
            handler_inline:
              'orcs.log("warn", "logged") orcs.emit_output("given out") print(ctx.timestamp_ms >= 5)',
          },
        ],
      },
    });
    await orcs.dispatch("tool.pre_execute", call("x"));
    expect(logger.lines).toEqual(["warn: logged", "info: true"]);
    expect(written).toEqual(["given out"]);
  });
});

function hookToml(id: string, priority: number): string {
  return `[[hooks]]\nid = "${id}"\npoint = "tool.pre_execute"\npriority = ${priority}\nhandler_inline = "ctx"\n`;
}
