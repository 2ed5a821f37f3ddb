#!/usr/bin/env node
"use strict";

// What `orcs` is on a PATH and in the settings of hosts: it loads no more than the verb needs. A host starts `orcs hook`
// for every event and waits for it, and an ES module to begin with costs Node a fifth of its own start. What is loaded
// was put into few files (scripts/bundle.js).
const { join } = require("node:path");

const bundle = join(__dirname, "../dist/bundle");
const [verb, ...args] = process.argv.slice(2);
if (verb === "hook" && !args.includes("--help") && !args.includes("-h")) {
  // However it ends unless an answer was given: exit code 2 refuses at every host, and another one would let
  // everything pass.
  process.exitCode = 2;
  process.on("uncaughtException", end);
  try {
    require(join(bundle, "hook.cjs"))
      .runHook(args)
      .then(() => process.exit(), end);
  } catch (thrown) {
    end(thrown);
  }
} else {
  const isVerb = [verb, ...args].some((word) => word !== undefined && !word.startsWith("-"));
  const { runProgram } = isVerb
    ? require(join(bundle, "whole.cjs")).load(verb === "eval" ? verb : "verb").part("cli/program")
    : require(join(bundle, "program.cjs"));
  runProgram().catch((thrown) => {
    process.stderr.write(`orcs: ${String(thrown)}\n`);
    process.exit(2);
  });
}

function end(thrown) {
  try {
    process.stderr.write(`orcs hook: ${String(thrown)}\n`);
  } finally {
    process.exit();
  }
}
