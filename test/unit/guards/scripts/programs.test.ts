import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { quoteWords } from "../../../../src/core/index.ts";
import { repeatedTest, shareOf } from "../../../slow-test.ts";
import { guards, project, verdict } from "./script-rig.ts";

/** Each program with the line that runs it, and whether that is denied. */
const PROGRAMS = readFileSync(new URL("programs.txt", import.meta.url), "utf8")
  .split(/^==== /m)
  .slice(1)
  .map((part) => {
    const [heading = "", ...text] = part.split("\n");
    const [wanted = "", line = "", file = line.split(/[ /]/).at(-1) ?? ""] = heading.split(": ");
    return { wanted, line, file, text: text.join("\n") };
  });

/** The same program as code that stands in the line. */
function inLine(line: string, text: string): readonly string[] {
  const [program = "", , ...more] = line.split(" ");
  if (!/^(?:python3|node|ruby|perl)$/.test(program) || more.length > 0) return [];
  const option = program === "python3" ? "-c" : "-e";
  return [`${program} - <<'EOF'\n${text}EOF`, quoteWords([program, option, text.trim()])];
}

repeatedTest(
  "programs that do harm outside of the project are denied in any language, everyday ones are not",
  async () => {
    const [orcs, all] = [await guards(), await guards({}, ["path-guard", "secret-guard"])];
    const wrong: string[] = [];
    for (const { wanted, line, file, text } of shareOf(PROGRAMS, 3)) {
      const cwd = project({ [file]: text });
      const found = [[line, await verdict(orcs, line, cwd)]];
      for (const each of wanted === "deny" ? inLine(line, text) : [])
        found.push([each, await verdict(all, each, cwd)]);
      for (const [each, said] of found)
        if (!said?.startsWith(wanted.replace(/ .*/, "")))
          wrong.push(`${said}, not ${wanted}: ${each}`);
    }
    expect(wrong, wrong.join("\n")).toEqual([]);
  },
  120_000,
);

test("where the home is the root of the machine, as in containers, files of logins are known", async () => {
  vi.stubEnv("HOME", "/");
  const orcs = await guards();
  vi.unstubAllEnvs();
  for (const written of ["/etc/crontab", "/etc/ld.so.preload"]) {
    const cwd = project({ "install.sh": `echo x > ${written}\n` });
    expect(await verdict(orcs, "sh install.sh", cwd), written).toMatch(/^deny .*write-login/);
  }
});

test("git's subcommands are not looked for in what every object has", async () => {
  const orcs = await guards();
  const alias = '[alias]\n  constructor = "!rm -rf /srv/data"\n';
  const cwd = project({ ".git/HEAD": "ref: refs/heads/main\n", ".git/config": alias });
  expect(await verdict(orcs, "git constructor", cwd)).toMatch(/^deny .*git\/config, line 2/);
});
