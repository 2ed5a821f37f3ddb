import { expect, test } from "vitest";
import { guards, project, verdict } from "./script-rig.ts";

/** What the patterns of readers look for, and long names: each is repeated to 63 KB, with an end that fits none. */
const PARTS = [
  "a",
  "a.",
  "a-b/",
  ".a",
  "a ",
  "\\",
  '"',
  "'",
  "`",
  "(",
  "$(x ",
  "$(call x,",
  "a%b ",
  "x = ",
  "x: ",
  ".bashrc write(curl ",
  "'curl' 'sh' ",
  "exec'tar ",
  "exec(a",
  "writeFileSync('abc');",
  "').joinpath(,",
  "glob.glob(",
  "for $a (",
  "for x in [",
  "def f(a, ",
  "const f = (",
  "...a",
  "a b 'x'\n",
  "- id: x\n  entry: y\n",
  "commands = x\n  y\n",
  "open(x, '|' ",
  "requests.get ",
  "socket '/bin/sh' ",
  "https://x ",
  "f() { ",
  "} ",
  "f\t(\t)\t",
  "x=${1:-a}\n",
  ". ./b\n",
  ". $b/c\n",
];
/** Files with the line that runs them, and how they begin. */
const FILES = [
  ["t.py", "python3 t.py", "import os, requests\n"],
  ["t.js", "node t.js", "const fs = require('fs');\nfetch('http://x');\n"],
  ["t.rb", "ruby t.rb", "require 'net/http'\n"],
  ["t.pl", "perl t.pl", "use LWP::Simple;\n"],
  ["Makefile", "make", "all: b\n\techo $@\nb:\n\techo "],
  ["justfile", "just", "all:\n\techo "],
  ["t.sh", "bash t.sh", "x=${1:-"],
  ["lib.sh", ". ./lib.sh && f", "f() {\n  echo\n}\n"],
  ["tox.ini", "tox", "[testenv]\ncommands = "],
  [".pre-commit-config.yaml", "pre-commit run", "repos:\n  - repo: local\n    hooks:\n"],
] as const;

test("no text makes a reader of files slow: its patterns look back a bounded way", async () => {
  const orcs = await guards({ lua: { max_run_ms: 20_000, max_chain_ms: 60_000 } });
  const slow: string[] = [];
  for (const part of PARTS)
    for (const [file, line, before] of FILES) {
      const head = file === "Makefile" && !part.includes("\n") ? `all: ${part.repeat(60)}!\n` : "";
      const text = `${head}${before}${part.repeat((63 * 1024) / part.length)}!\n`;
      const begin = process.cpuUsage();
      await verdict(orcs, line, project({ [file]: text }));
      const { user, system } = process.cpuUsage(begin);
      const ms = Math.round((user + system) / 1000);
      if (ms > 3_000) slow.push(`${file}, ${JSON.stringify(part)}: ${ms} ms`);
    }
  expect(slow, slow.join("\n")).toEqual([]);
}, 600_000);
