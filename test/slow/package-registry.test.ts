import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ended } from "../dist/orcs.ts";
import { folder, orcs, PATIENT, writeFiles } from "../dist/orcs.ts";
import type { Registry } from "./npm-registry.ts";
import { registryProgram, startRegistry } from "./npm-registry.ts";

/** A package from its beginning to a version 2 that somebody else uses, with the real npm and a real registry. */

const NAME = "@acme/guards";
const program = await registryProgram();

describe.skipIf(program === undefined)(
  "packages of hooks from a registry",
  { timeout: 600_000 },
  () => {
    let registry: Registry;
    beforeAll(async () => {
      registry = await startRegistry(program ?? "");
    }, 120_000);
    afterAll(() => registry?.close());

    async function npm(cwd: string, ...args: string[]): Promise<string> {
      const { code, text } = await registry.npm(cwd, ...args);
      expect([args.join(" "), code, code === 0 ? "" : text]).toEqual([args.join(" "), 0, ""]);
      return text;
    }

    const install = (cwd: string, name: string) =>
      npm(cwd, "install", "--save-dev", "--ignore-scripts", name);

    test("is begun, checked, published, added, trusted and updated", async () => {
      const source = folder();
      await fine(source, "init", "--package", NAME);
      expect((await fine(source, "pack")).stdout).toContain("2 tests passed, 0 failed");
      await npm(source, "publish", "--registry", registry.url);

      const user = folder({ "orcs.toml": PATIENT, "package.json": "{}" });
      await install(user, NAME);
      expect((await fine(user, "add", NAME)).stdout).toContain(`${NAME}/no-force-push`);
      expect(existsSync(join(user, "node_modules", NAME, "orcs.toml"))).toBe(false);
      await fine(user, "trust", "--yes");
      expect(await decision(user, "git push --force")).toContain("a force push loses work");
      expect(await decision(user, "terraform destroy")).toBe("");

      // Version 2 has one more hook.
      edit(source, (manifest) => {
        manifest["version"] = "0.2.0";
        (manifest["orcs"] as { hooks: Record<string, string> }).hooks["no-destroy"] =
          "hooks/no-destroy.lua";
      });
      writeFiles(source, {
        "hooks/no-destroy.lua": `return { point = "tool.pre_execute", match = { runs = { "terraform destroy" } },
  handler = function() return orcs.deny("not this one") end }\n`,
      });
      await fine(source, "pack");
      await npm(source, "publish", "--registry", registry.url);
      await install(user, `${NAME}@0.2.0`);

      // Refused until it is accepted; what was trusted stays active.
      expect((await run(user, "check")).stderr).toContain("ORCS9305");
      const refused = await run(user, "trust", "--yes");
      expect([refused.code === 0, `${refused.stdout}${refused.stderr}`]).toEqual([
        false,
        expect.stringContaining("ORCS9305"),
      ]);
      expect(await decision(user, "git push --force")).toContain("a force push loses work");
      expect(await decision(user, "terraform destroy")).toBe("");

      const lock = readFileSync(join(user, "orcs.lock"), "utf8");
      const shown = await run(user, "update", "--dry-run");
      expect(shown.code).toBe(1);
      expect(shown.stdout).toContain(`${NAME}  0.1.0 → 0.2.0`);
      expect(shown.stdout).toContain("hooks/no-destroy.lua");
      expect(readFileSync(join(user, "orcs.lock"), "utf8")).toBe(lock);

      await fine(user, "update");
      await fine(user, "trust", "--yes");
      expect(await decision(user, "terraform destroy")).toContain("not this one");
      expect(await decision(user, "git push --force")).toContain("a force push loses work");
    });

    test("a hostile one: its install script is not run, and a file changed after the lock is refused", async () => {
      const name = "hostile-guards";
      const source = folder();
      await fine(source, "init", "--package", name);
      edit(source, (manifest) => {
        manifest["scripts"] = {
          postinstall: "node -e \"require('fs').writeFileSync(process.env.INIT_CWD+'/ran','')\"",
        };
      });
      const packed = await run(source, "pack");
      expect([packed.code, packed.stderr]).toEqual([1, expect.stringContaining("ORCS9310")]);
      // The one who publishes it does not care.
      await npm(source, "publish", "--registry", registry.url);

      const user = folder({ "orcs.toml": PATIENT, "package.json": "{}" });
      await install(user, name);
      expect((await fine(user, "add", name)).stdout).toContain("npm runs postinstall");
      await fine(user, "trust", "--yes");
      expect(existsSync(join(user, "ran"))).toBe(false);
      // That it can run at all: without the option, npm runs it.
      const careless = folder({ "package.json": "{}" });
      await npm(careless, "install", name);
      expect(existsSync(join(careless, "ran"))).toBe(true);

      const script = join(user, "node_modules", name, "hooks/no-force-push.lua");
      appendFileSync(script, "\n-- changed\n");
      expect((await run(user, "check")).stderr).toContain("ORCS9305");
      const refused = await run(user, "trust", "--yes");
      expect([refused.code === 0, `${refused.stdout}${refused.stderr}`]).toEqual([
        false,
        expect.stringContaining("hooks/no-force-push.lua"),
      ]);
      expect(await decision(user, "git push --force")).toContain("a force push loses work");
    });
  },
);

function run(cwd: string, ...args: string[]): Promise<Ended> {
  return orcs(args, { cwd });
}

async function fine(cwd: string, ...args: string[]): Promise<Ended> {
  const done = await run(cwd, ...args);
  expect([args.join(" "), done.code, done.stderr]).toEqual([args.join(" "), 0, expect.any(String)]);
  return done;
}

/** The first line of what the hooks of a folder decide about a command line; empty if nothing denies it. */
async function decision(cwd: string, command: string): Promise<string> {
  const args = ["eval", "tool.pre_execute", "tool=Bash", `command=${command}`, "--fail"];
  const { code, stdout } = await run(cwd, ...args);
  return code === 0 ? "" : (stdout.split("\n")[0] ?? "");
}

function edit(dir: string, change: (manifest: Record<string, unknown>) => void): void {
  const file = join(dir, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  change(manifest);
  writeFiles(dir, { "package.json": JSON.stringify(manifest) });
}
