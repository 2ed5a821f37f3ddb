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

test.each(["cli/init.ts", "cli/types.ts", "cli/program.ts"])(
  "%s loads no heavy modules at startup",
  (file) => {
    const loaded = [...loadedBy(file)];
    const heavy =
      /^(?:wasmoon|zod|re2js|chokidar|toml-eslint-parser)$|^(?:engine|lua|registry|runtime)\//;
    expect(loaded).toContain("cli/options.ts");
    expect(loaded.filter((each) => heavy.test(each))).toEqual([]);
  },
);

test("orcs hook loads few files and no packages before it asks the service", () => {
  expect([...loadedBy("cli/main.ts")]).toEqual(["cli/main.ts", "node:module"]);
  expect([...loadedBy("serve/hook/hook.ts")].sort()).toEqual([
    "config/discover.ts",
    "core/environment.ts",
    "core/errors.ts",
    "core/hosts.ts",
    "core/json.ts",
    "core/trace-context.ts",
    "files/file-lock.ts",
    "files/machine-folder.ts",
    "files/process-identity.ts",
    "files/read-bounded.ts",
    "files/real-path.ts",
    "files/stored-file.ts",
    "files/user-folders.ts",
    // Others cost milliseconds: node:crypto alone takes five.
    "node:buffer",
    "node:fs",
    "node:net",
    "node:os",
    "node:path",
    // What is known of each agent: data, and functions that load the rest.
    "protocols/hosts.ts",
    "protocols/plugin-agents.ts",
    "serve/address.ts",
    "serve/hook/event-io.ts",
    "serve/hook/hook-options.ts",
    "serve/hook/hook.ts",
    "serve/installation.ts",
    "serve/service-protocol.ts",
    // Which service is asked depends on the sets that are trusted for the folder.
    "trust/accepted.ts",
    "trust/config-place.ts",
    "trust/project.ts",
    "trust/trust-store.ts",
  ]);
});

test("this test finds heavy modules in a command that uses them", () => {
  expect([...loadedBy("cli/list.ts")]).toEqual(
    expect.arrayContaining(["zod", "re2js", "engine/orcs.ts"]),
  );
});
