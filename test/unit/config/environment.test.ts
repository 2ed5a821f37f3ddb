import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "smol-toml";
import { describe, expect, onTestFinished, test } from "vitest";
import { environmentTree } from "../../../src/config/environment.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { pointSet } from "../../../src/core/points.ts";
import { rows } from "../../rows.ts";

describe("ORCS_ environment variables", () => {
  test.each([
    [{ ORCS_LUA_MEMORY_MB: "32" }, { lua: { memory_mb: 32 } }],
    [{ ORCS_DEBUG: "1" }, { debug: true }],
    [{ ORCS_DEBUG: "false" }, { debug: false }],
    [
      { ORCS_SERVE_AUTO: "TRUE", ORCS_ENGINE_ON_ERROR: "open" },
      { serve: { auto: true }, engine: { on_error: "open" } },
    ],
    [
      { ORCS_PERMISSIONS_CAPABILITIES: "READ, WRITE" },
      { permissions: { capabilities: ["READ", "WRITE"] } },
    ],
    [{ ORCS_PERMISSIONS_GRANTS: '["git status"]' }, { permissions: { grants: ["git status"] } }],
    [{ ORCS_STATE_PREFIX: "42" }, { state: { prefix: "42" } }],
    [{ ORCS_LUA_MEMORY_MB: "much" }, { lua: { memory_mb: "much" } }],
    [{ ORCS_LUA_NOPE: "1" }, { lua: { nope: 1 } }],
    [
      { ORCS_CONFIG_DIR: "/x", ORCS_SOAK: "1", PATH: "/bin", ORCS_: "", ORCS_LUAX_Y: "1" },
      undefined,
    ],
    [{ ORCS_LUA___PROTO__: "1" }, { lua: JSON.parse('{"__proto__":1}') as object }],
  ])("%j are parsed", (env, tree) => {
    expect(environmentTree(env)).toEqual(tree);
  });

  const load = (environment: Record<string, string>, config: false | undefined) =>
    loadConfig({
      config,
      cwd: "/",
      userDir: "/nowhere",
      points: pointSet(),
      environment,
    });

  test("override files, and are overridden by the command line", async () => {
    const environment = { ORCS_LUA_MEMORY_MB: "32", ORCS_LUA_MAX_RUN_MS: "500" };
    const loaded = await loadConfig({
      cwd: "/",
      userDir: "/nowhere",
      points: pointSet(),
      environment,
      overrides: { lua: { max_run_ms: 70 } },
    });
    expect(loaded.settings.lua).toMatchObject({ memory_mb: 32, max_run_ms: 70 });
  });

  // Weaker than what the configuration says, or than its defaults.
  test.each(
    rows(`
ORCS_AUDIT_LEVEL=off | {} | {"audit":{"level":"decisions"}}
ORCS_AUDIT_LEVEL=decisions | {"audit":{"level":"all"}} | {"audit":{"level":"all"}}
ORCS_AUDIT_FSYNC=never | {"audit":{"fsync":"always"}} | {"audit":{"fsync":"always"}}
ORCS_AUDIT_ON_ERROR=open | {} | {"audit":{"on_error":"closed"}}
ORCS_AUDIT_KEEP_DAYS=1 | {} | {"audit":{"keep_days":30}}
ORCS_ENGINE_ON_ERROR=open | {} | {"engine":{}}
ORCS_ENGINE_ON_ERROR=open | {"engine":{"on_error":"closed"}} | {"engine":{"on_error":"closed"}}
ORCS_ENGINE_MAX_PAYLOAD_MB=1 | {} | {"engine":{"max_payload_mb":16}}
ORCS_LUA_MAX_RUN_MS=1 | {} | {"lua":{"max_run_ms":100}}
ORCS_LUA_ISOLATION=thread | {"lua":{"isolation":"worker"}} | {"lua":{"isolation":"worker"}}
ORCS_HIL_MODE=callback | {"hil":{"mode":"deny"}} | {"hil":{"mode":"deny"}}
ORCS_HOSTS_ASK=pass | {} | {"hosts":{"ask":"deny"}}
ORCS_HOSTS_REWRITE=approve | {} | {"hosts":{"rewrite":"refuse"}}
ORCS_PATHS_AUDIT=/x | {"paths":{"audit":"/log"}} | {"paths":{"audit":"/log"}}
ORCS_PATHS_STATE=/x | {"paths":{"state":"/s"}} | {"paths":{"state":"/s"}}
ORCS_PERMISSIONS_CAPABILITIES=READ,EXECUTE | {"permissions":{"capabilities":["READ"]}} |
  {"permissions":{"capabilities":["READ"]}}
ORCS_PERMISSIONS_ENV=TOKEN | {"permissions":{"env":["LANG"]}} | {"permissions":{"env":["LANG"]}}
`),
  )("%s cannot loosen %s, with a warning", async (variable, config, said) => {
    const { settings, warnings } = await underUser(config, variable);
    expect(settings).toMatchObject(objectOf(said));
    expect(warnings.map(({ code }) => code)).toEqual(["ORCS1016"]);
    expect(warnings[0]?.message).toMatch(/^environment: .*cannot loosen/);
  });

  test.each(
    rows(`
ORCS_AUDIT_LEVEL=all | {"audit":{"level":"decisions"}} | {"audit":{"level":"all"}}
ORCS_AUDIT_KEEP_MB=9 | {"audit":{"keep_mb":3}} | {"audit":{"keep_mb":9}}
ORCS_ENGINE_ON_ERROR=closed | {"engine":{"on_error":"open"}} | {"engine":{"on_error":"closed"}}
ORCS_LUA_ISOLATION=worker | {"lua":{"isolation":"thread"}} | {"lua":{"isolation":"worker"}}
ORCS_HIL_MODE=deny | {"hil":{"mode":"callback"}} | {"hil":{"mode":"deny"}}
ORCS_PATHS_STATE=/x | {} | {"paths":{"state":"/x"}}
ORCS_SERVE_PORT=8080 | {} | {"serve":{"port":8080}}
ORCS_PERMISSIONS_CAPABILITIES=READ | {"permissions":{"capabilities":["READ","EXECUTE"]}} |
  {"permissions":{"capabilities":["READ"]}}
ORCS_REDACT_KEYS=pin | {"redact":{"keys":["token"]}} | {"redact":{"keys":["token","pin"]}}
`),
  )("%s can tighten %s", async (variable, config, said) => {
    const { settings, warnings } = await underUser(config, variable);
    expect(settings).toMatchObject(objectOf(said));
    expect(warnings).toEqual([]);
  });

  const objectOf = (json = ""): object => JSON.parse(json) as object;

  async function underUser(config: string | undefined, variable = "") {
    const [name = "", value] = variable.split("=");
    const userDir = mkdtempSync(join(tmpdir(), "orcs-environment-"));
    onTestFinished(() => rmSync(userDir, { recursive: true }));
    writeFileSync(join(userDir, "orcs.toml"), stringify(objectOf(config)));
    return loadConfig({ cwd: "/", userDir, points: pointSet(), environment: { [name]: value } });
  }

  test("a variable that names a folder is no setting", () => {
    expect(environmentTree({ ORCS_STATE_HOME: "/x", ORCS_CONFIG_HOME: "/y" })).toBeUndefined();
  });

  test("are ignored for an object or no configuration", async () => {
    const { settings } = await load({ ORCS_LUA_MEMORY_MB: "32" }, false);
    expect(settings.lua.memory_mb).toBe(16);
  });

  test("an invalid one is reported as from the environment", async () => {
    await expect(load({ ORCS_LUA_MEMRY_MB: "32" }, undefined)).rejects.toThrow(
      /ORCS1003.*environment: lua\.memry_mb.*memory_mb/s,
    );
    await expect(load({ ORCS_LUA_MEMORY_MB: "much" }, undefined)).rejects.toThrow(
      /environment: lua\.memory_mb/,
    );
  });
});
