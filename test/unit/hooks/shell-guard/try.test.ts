import { test } from "vitest";
import { guard, judged } from "./guard.ts";
import { EVERYDAY } from "./everyday.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { shellReader } from "../../../../src/host/shell-reader.ts";
test("try", async () => {
  const orcs = await guard(JSON.parse(process.env["OPTS"] ?? "{}"));
  const lines = process.env["EVERYDAY"]
    ? EVERYDAY
    : readFileSync("/tmp/try.txt", "utf8").split("\n").filter(Boolean);
  let out = lines.length + " lines\n";
  for (const raw of lines) {
    const line = raw.replaceAll("⏎", "\n");
    const { verdict, reason } = await judged(orcs, { command: line });
    if (process.env["EVERYDAY"] && verdict === "pass") continue;
    out += verdict.padEnd(7) + raw + (process.env["Q"] ? "" : "   → " + (reason ?? "")) + "\n";
    if (process.env["SHOW"])
      for (const {
        argv,
        unknown,
        program,
        via,
        from,
        cwd,
        opaque,
        redirects,
      } of shellReader().read(line, "/work/project"))
        out +=
          "     " +
          JSON.stringify({
            argv: argv.join("‖"),
            unknown: unknown.join(),
            program,
            via: via.join(),
            from: from.join(),
            cwd,
            opaque,
            redirects: redirects.length ? redirects : undefined,
          }) +
          "\n";
  }
  writeFileSync("/tmp/try.out", out);
}, 60000);
