import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = new URL("../../../src/", import.meta.url);

/** Everything that a file of src/ loads, itself included: files, packages, parts of Node. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const url = new URL(file, SRC);
  const imports = readFileSync(url, "utf8").matchAll(
    /^(?:import|\}) (?!type )[^;]*?from "([^"]+)";/gm,
  );
  for (const [statement, from = ""] of imports) {
    if (statement.startsWith("import type")) continue;
    if (!from.startsWith(".")) seen.add(from);
    else loadedBy(fileURLToPath(new URL(from, url)).slice(fileURLToPath(SRC).length), seen);
  }
  return seen;
}

test.each(["cli/init.ts", "cli/types.ts", "cli/program.ts"])("%s begins at once", (file) => {
  const loaded = [...loadedBy(file)];
  const heavy =
    /^(?:wasmoon|zod|re2js|chokidar|toml-eslint-parser)$|^(?:host|lua|registry|runtime)\//;
  expect(loaded).toContain("cli/exit.ts");
  // A few lines: the audit log names the folder in which somebody loosened.
  const light = file === "cli/program.ts" ? ["host/realpath.ts"] : [];
  expect(loaded.filter((each) => heavy.test(each))).toEqual(light);
});

test("a hook's process loads few files and no package before it has asked the service", () => {
  const ours = (file: string) => [...loadedBy(file)].filter((each) => !each.startsWith("node:"));
  expect(ours("cli/main.ts")).toEqual(["cli/main.ts"]);
  expect(ours("serve/hook/hook.ts").sort()).toEqual([
    "config/found-files.ts",
    "core/errors.ts",
    "core/hosts.ts",
    "core/json.ts",
    "host/config-directory.ts",
    // Which service is asked depends on the sets that are trusted for the folder.
    "host/config-place.ts",
    "host/realpath.ts",
    "host/state/file-lock.ts",
    "host/trust/project.ts",
    "host/trust/repository.ts",
    "host/trust/trust-store.ts",
    "serve/address.ts",
    "serve/client.ts",
    "serve/event-words.ts",
    "serve/hook/entry-route.ts",
    "serve/hook/hook-options.ts",
    "serve/hook/hook.ts",
    "serve/hook/object-end.ts",
    "serve/hook/print.ts",
    "serve/hook/project-directory.ts",
    "serve/hook/read-stdin.ts",
    // Where an agent's settings are belongs to what its service guards.
    "serve/install/host-settings.ts",
    "serve/installation.ts",
    "serve/wire.ts",
  ]);
});

test("what the test looks for is found where it is", () => {
  expect([...loadedBy("cli/list.ts")]).toEqual(
    expect.arrayContaining(["zod", "re2js", "host/orcs.ts"]),
  );
});
