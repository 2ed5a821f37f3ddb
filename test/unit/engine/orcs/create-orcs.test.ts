import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { trustedHere } from "../../../trusted.ts";
import { call, errorOf, folder, Lines, open } from "./engine.ts";

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

  test("an object has the same keys as orcs.toml", async () => {
    const hooks = [{ id: "no", point: "PreToolUse", handler_inline: 'orcs.deny("object")' }];
    const orcs = await open({ config: { hooks, engine: { max_depth: 2 } } });
    expect(orcs.registry.get("no")?.origin).toBe("object");
    expect(orcs.settings.engine.max_depth).toBe(2);
    expect((await orcs.dispatch("tool.pre_execute", call("x"))).action).toBe("abort");
  });

  test("false loads no configuration, even if there is an orcs.toml", async () => {
    const orcs = await open({ cwd: folder({ "orcs.toml": DENY }), config: false });
    expect(orcs.registry.size).toBe(0);
    expect((await orcs.dispatch("tool.pre_execute", call("x"))).action).toBe("continue");
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

  test("a project cannot replace or weaken the user's hooks and settings, and a warning says so", async () => {
    const dir = folder({
      "user/orcs/orcs.toml": hookToml("mine", 100),
      "project/orcs.toml": `[engine]\non_error = "open"\n${hookToml("mine", 1)}`,
    });
    vi.stubEnv("XDG_CONFIG_HOME", join(dir, "user"));
    await trustedHere(join(dir, "project"), join(dir, "state"));
    const logger = new Lines();
    const orcs = await open({ cwd: join(dir, "project"), config: undefined, logger });
    vi.unstubAllEnvs();
    expect(orcs.registry.get("mine")?.origin).toBe("user");
    expect(orcs.settings.engine.on_error).toBeUndefined();
    expect(orcs.warnings.map(({ code, place }) => [code, place?.file, place?.line])).toEqual([
      ["ORCS1016", "orcs.toml", 2],
      ["ORCS1016", "orcs.toml", 3],
    ]);
    expect(logger.lines.filter((line) => line.startsWith("warn: orcs.toml:"))).toHaveLength(2);
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

  test("an invalid hook makes createOrcs fail with ORCS1005 and a suggestion", async () => {
    const hooks = [{ point: "tool.pre_execut", handler: () => undefined }];
    const error = await errorOf(open({ cwd: folder({ "o.toml": DENY }), config: "o.toml", hooks }));
    expect(error.code).toBe("ORCS1005");
    expect(error.message).toContain("did you mean tool.pre_execute?");
  });

  test("agent selects that agent's hooks, without global ones at the points it overrides", async () => {
    const config = {
      hooks: [
        { id: "global-pre", point: "tool.pre_execute", handler_inline: "ctx" },
        { id: "global-post", point: "tool.post_execute", handler_inline: "ctx" },
      ],
      agents: {
        reviewer: {
          override: ["PostToolUse"],
          hooks: [{ id: "its-own", point: "tool.pre_execute", handler_inline: "ctx" }],
        },
      },
    };
    const ran = async (agent: string | undefined) => {
      const orcs = await open({ config, agent, trace: true });
      const outcome = await orcs.invoke("tool.execute", { tool_name: "t", args: {} }, () => 1);
      const traces = outcome.outcomes.flatMap(({ trace = [] }) => trace);
      return traces.filter(({ status }) => status === "ran").map(({ id }) => id);
    };
    expect(await ran(undefined)).toEqual(["global-pre", "global-post"]);
    expect(await ran("reviewer")).toEqual(["global-pre", "its-own"]);
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

  test("trace: true adds a trace to outcomes", async () => {
    const config = { hooks: [{ id: "t", point: "tool.pre_execute", handler_inline: "ctx" }] };
    const without = await open({ config });
    expect((await without.dispatch("tool.pre_execute", call("x"))).trace).toBeUndefined();
    const orcs = await open({ config, trace: true });
    const { trace } = await orcs.dispatch("tool.pre_execute", call("x"));
    expect(trace).toMatchObject([{ id: "t", status: "ran", action: "continue" }]);
  });
});

function hookToml(id: string, priority: number): string {
  return `[[hooks]]\nid = "${id}"\npoint = "tool.pre_execute"\npriority = ${priority}\nhandler_inline = "ctx"\n`;
}
