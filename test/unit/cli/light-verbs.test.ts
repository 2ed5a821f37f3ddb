import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = new URL("../../../src/", import.meta.url);
/** What is bundled goes past the doors of rooms, straight to the files behind the names. */
const { pastDoors } = (await import(
  new URL("../../../scripts/doors.js", import.meta.url).href
)) as {
  pastDoors: (code: string, file: string) => string;
};

/** Code whose imports name values alone. */
function withoutTypes(code: string): string {
  return code.replaceAll(/^import \{[^}]*\}/gm, (names) =>
    names.replaceAll(/\btype \w+(?:,\s*|\s)/g, ""),
  );
}

/** Everything that a file of src/ loads, itself included: files, packages, parts of Node. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const url = new URL(file, SRC);
  const code = pastDoors(withoutTypes(readFileSync(url, "utf8")), fileURLToPath(url));
  const imports = code.matchAll(/^(?:import|\}) (?!type )[^;]*?from "([^"]+)";/gm);
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
    const heavy = /^(?:wasmoon|zod|re2js|chokidar|toml-eslint-parser)$|^engine\//;
    expect(loaded).toContain("cli/options.ts");
    expect(loaded.filter((each) => heavy.test(each))).toEqual([]);
  },
);

test("orcs hook loads few files and no packages before it asks the service", () => {
  expect([...loadedBy("cli/main.ts")]).toEqual(["cli/main.ts", "node:module"]);
  expect([...loadedBy("daemon/hook/hook.ts")].sort()).toEqual([
    "agents/installation.ts",
    "config/discover.ts",
    // Which service is asked depends on the sets that are trusted for the folder.
    "config/trust/accepted.ts",
    "config/trust/config-place.ts",
    "config/trust/project.ts",
    "config/trust/trust-store.ts",
    "core/environment.ts",
    "core/errors.ts",
    // Long integers of an event keep their digits.
    "core/exact-json.ts",
    "core/hosts.ts",
    "core/json.ts",
    "core/promises.ts",
    "core/trace-context.ts",
    "daemon/address.ts",
    "daemon/hook/event-io.ts",
    "daemon/hook/hook-options.ts",
    "daemon/hook/hook.ts",
    "daemon/service-protocol.ts",
    // What is known of each agent: data, and functions that load the rest.
    "formats/agent-spec.ts",
    "formats/claude-code/agent.ts",
    "formats/codex/agent.ts",
    "formats/copilot/agent.ts",
    "formats/copilot/names.ts",
    "formats/cursor/agent.ts",
    "formats/gemini/agent.ts",
    "formats/hosts.ts",
    "formats/opencode/agent.ts",
    "formats/qwen/agent.ts",
    "machine/files/file-lock.ts",
    "machine/files/machine-folder.ts",
    "machine/files/own-files.ts",
    "machine/files/process-identity.ts",
    "machine/files/read-bounded.ts",
    "machine/files/real-path.ts",
    "machine/files/runtime-folder.ts",
    "machine/files/sha256.ts",
    "machine/files/stored-file.ts",
    "machine/files/user-folders.ts",
    // Others cost milliseconds: node:crypto alone takes five.
    "node:buffer",
    "node:fs",
    "node:net",
    "node:os",
    "node:path",
    "node:url",
  ]);
});

test("this test finds heavy modules in a command that uses them", () => {
  expect([...loadedBy("cli/list.ts")]).toEqual(
    expect.arrayContaining(["zod", "matching/patterns/regex.ts", "engine/orcs/orcs.ts"]),
  );
});
