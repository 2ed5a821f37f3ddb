import { describe, expect, test } from "vitest";
import { environmentTree } from "../../../src/config/environment.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { pointSet } from "../../../src/core/points.ts";

describe("variables of the environment", () => {
  test.each([
    [{ ORCS_LUA_MEMORY_MB: "32" }, { lua: { memory_mb: 32 } }],
    [{ ORCS_DEBUG: "1" }, { debug: true }],
    [{ ORCS_DEBUG: "false" }, { debug: false }],
    [
      { ORCS_ENGINE_TRACE: "TRUE", ORCS_ENGINE_ON_ERROR: "open" },
      { engine: { trace: true, on_error: "open" } },
    ],
    [
      { ORCS_PERMISSIONS_CAPABILITIES: "READ, WRITE" },
      { permissions: { capabilities: ["READ", "WRITE"] } },
    ],
    [{ ORCS_PERMISSIONS_GRANTS: '["git status"]' }, { permissions: { grants: ["git status"] } }],
    [{ ORCS_MODEL_NAME: "42" }, { model: { name: "42" } }],
    [{ ORCS_LUA_MEMORY_MB: "much" }, { lua: { memory_mb: "much" } }],
    [{ ORCS_LUA_NOPE: "1" }, { lua: { nope: 1 } }],
    [
      { ORCS_CONFIG_DIR: "/x", ORCS_SOAK: "1", PATH: "/bin", ORCS_: "", ORCS_LUAX_Y: "1" },
      undefined,
    ],
    [{ ORCS_LUA___PROTO__: "1" }, { lua: JSON.parse('{"__proto__":1}') as object }],
  ])("%j", (env, tree) => {
    expect(environmentTree(env)).toEqual(tree);
  });

  const load = (environment: Record<string, string>, config: false | undefined) =>
    loadConfig({ config, cwd: "/", userDir: "/nowhere", points: pointSet(), environment });

  test("stand above files, and below the command line", async () => {
    const environment = { ORCS_LUA_MEMORY_MB: "32", ORCS_LUA_MAX_RUN_MS: "50" };
    const loaded = await loadConfig({
      cwd: "/",
      userDir: "/nowhere",
      points: pointSet(),
      environment,
      overrides: { lua: { max_run_ms: 70 } },
    });
    expect(loaded.settings.lua).toMatchObject({ memory_mb: 32, max_run_ms: 70 });
  });

  test("an object's or no configuration heeds none", async () => {
    const { settings } = await load({ ORCS_LUA_MEMORY_MB: "32" }, false);
    expect(settings.lua.memory_mb).toBe(16);
  });

  test("a mistake says that it is in the environment", async () => {
    await expect(load({ ORCS_LUA_MEMRY_MB: "32" }, undefined)).rejects.toThrow(
      /ORCS1003.*environment: lua\.memry_mb.*memory_mb/s,
    );
    await expect(load({ ORCS_LUA_MEMORY_MB: "much" }, undefined)).rejects.toThrow(
      /environment: lua\.memory_mb/,
    );
  });
});
