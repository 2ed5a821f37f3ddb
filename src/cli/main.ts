#!/usr/bin/env node
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

type HookModule = typeof import("../serve/hook/hook.ts");

// A host starts `orcs hook` for every event and waits for it: it loads nothing that it does not need.
const [verb, ...args] = process.argv.slice(2);
const isHelp = args.includes("--help") || args.includes("-h");
if (verb === "hook" && !isHelp) {
  // However it ends unless an answer was given: exit code 2 refuses at every host, and another one would let
  // everything pass.
  process.exitCode = 2;
  process.on("uncaughtException", end);
  try {
    const { runHook } = await hookModule();
    await runHook(args);
    process.exit();
  } catch (thrown) {
    end(thrown);
  }
} else {
  await import("./program.ts");
}

/** In a built package it stands a second time, in few files. */
function hookModule(): HookModule | Promise<HookModule> {
  const bundle = fileURLToPath(new URL("../bundle/hook.cjs", import.meta.url));
  return existsSync(bundle)
    ? (createRequire(import.meta.url)(bundle) as HookModule)
    : import("../serve/hook/hook.ts");
}

function end(thrown: unknown): never {
  try {
    process.stderr.write(`orcs hook: ${String(thrown)}\n`);
  } finally {
    process.exit();
  }
}
