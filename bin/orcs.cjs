#!/usr/bin/env node
"use strict";

// What `orcs` is on a PATH and in the settings of hosts: it loads no more than the verb needs. A host starts `orcs hook`
// for every event and waits for it, and an ES module to begin with costs Node a fifth of its own start. What is loaded
// was put into few files (scripts/bundle.js).
const { join } = require("node:path");

const bundle = join(__dirname, "../dist/bundle");
// A person who types only the name wants to be guarded; a program gets help.
if (process.argv.length < 3 && process.stdin.isTTY && process.stderr.isTTY) process.argv.push("on");
const [verb, ...args] = process.argv.slice(2);
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `orcs needs Node 20.19 or later, and this is ${process.version} (${process.execPath}): ` +
      "install a later one (https://nodejs.org), and run orcs with it; orcs on puts it into what agents start\n",
  );
  // Refuses at every host.
  process.exitCode = 2;
} else if (verb === "hook" && !args.includes("--help") && !args.includes("-h")) {
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
