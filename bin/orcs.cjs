#!/usr/bin/env node
"use strict";

// What `orcs` is on a PATH and in the settings of hosts. A host starts `orcs hook` for every event and waits for it,
// and an ES module to begin with costs Node a fifth of its own start. Everything else is in dist/cli/main.js, as is
// `orcs hook` where it was not put into few files (scripts/bundle-hook.js): a build makes all of dist/, so that these
// are never of another one. Times of files say nothing: an installation gives each its own.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const bundle = join(__dirname, "../dist/bundle/hook.cjs");
const [verb, ...args] = process.argv.slice(2);
const isHelp = args.includes("--help") || args.includes("-h");
if (verb === "hook" && !isHelp && existsSync(bundle)) {
  // However it ends unless an answer was given: exit code 2 refuses at every host, and another one would let
  // everything pass.
  process.exitCode = 2;
  process.on("uncaughtException", end);
  try {
    require(bundle)
      .runHook(args)
      .then(() => process.exit(), end);
  } catch (thrown) {
    end(thrown);
  }
} else {
  if (verb === "hook" && !isHelp) process.exitCode = 2;
  import("../dist/cli/main.js").catch((thrown) => {
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
