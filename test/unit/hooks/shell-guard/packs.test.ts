import { beforeAll, expect } from "vitest";
import type { ShellPack } from "../../../../scripts/generate/shell-rules.ts";
import { shellPacks } from "../../../../scripts/generate/shell-rules.ts";
import { quickTest as test, repeatedTest, shareOf, slowTest } from "../../../slow-test.ts";
import { open } from "../../engine/orcs/engine.ts";
import { EVERYDAY } from "./everyday.ts";
import { guard, judged } from "./guard.ts";
import { PER_PACK, STRICT } from "./pack-lines.ts";
import { TABLE } from "./table.ts";

let packs: readonly ShellPack[] = [];
beforeAll(async () => {
  packs = await shellPacks();
});

/** Packs of other programs. */
const others = (): readonly ShellPack[] => packs.filter(({ own }) => !own);

/** The rule that a refusal names. */
const ruleOf = (reason = ""): string | undefined => /^shell-guard \(([^)]+)\)/.exec(reason)?.[1];

/** Lines that a row says that it stops: one for each program, with the first of the words that may stand at a place. */
function linesOf(runs: string): string[] {
  const [programs = "", ...words] = runs.split(" ");
  const rest = words.map((word) => example(word.split("|")[0] ?? "")).filter(Boolean);
  return programs.split("|").map((program) => [program, ...rest].join(" "));
}

function example(word: string): string {
  if (word === "**") return "";
  if (/^--?[\w-]+=/.test(word)) return word.replaceAll("*", "");
  return word === "*" ? "thing" : word.replaceAll("*", "x");
}

test("ids of shell-guard are unique names of a pack and a rule, with what they deny", () => {
  const names = packs.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, about, rules } of packs) {
    expect(about, name).toMatch(/^.{10,160}$/);
    expect(new Set(rules.map(({ id }) => id)).size, name).toBe(rules.length);
    for (const { id, what } of rules) {
      expect(id).toMatch(new RegExp(`^${name}\\.[a-z0-9]+(-[a-z0-9]+)*$`));
      expect(what, id).toMatch(/^.{3,120}$/);
    }
  }
});

test("the table of lines has all packs of other programs, with lines that are stopped and lines that pass", () => {
  expect(PER_PACK.map(({ name }) => name)).toEqual(others().map(({ name }) => name));
  for (const { name, stop, pass } of PER_PACK) {
    expect(stop.length, name).toBeGreaterThanOrEqual(3);
    expect(pass.length, name).toBeGreaterThanOrEqual(4);
  }
});

repeatedTest("with all packs on, every line of the table has its verdict", async () => {
  const orcs = await guard({ enable: ["*"], dynamic: "allow" });
  const wrong: string[] = [];
  for (const { stop, pass } of PER_PACK) {
    const [varied, plain] = [true, false].map((is) => stop.filter((row) => row.isVaried === is));
    for (const { command } of [...shareOf(plain ?? [], 3), ...shareOf(varied ?? [], 15)]) {
      const { verdict, reason } = await judged(orcs, { command });
      if (verdict !== "refuse") wrong.push(`${command} → ${reason ?? verdict}`);
    }
    for (const command of shareOf(pass, 3)) {
      const { verdict, reason } = await judged(orcs, { command });
      if (verdict !== "pass") wrong.push(`${command} → ${reason ?? verdict}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("level strict stops the lines of its rules of packs, by their ids", async () => {
  const orcs = await guard({ level: "strict", dynamic: "allow" });
  const wrong: string[] = [];
  for (const { id, command } of STRICT) {
    const { reason } = await judged(orcs, { command });
    if (ruleOf(reason) !== id) wrong.push(`${id}: ${command} → ${reason ?? "pass"}`);
  }
  expect(wrong).toEqual([]);
});

slowTest(
  "with one pack on, every rule of it stops its lines, and none with --help",
  async () => {
    const wrong: string[] = [];
    for (const { name, stop } of PER_PACK) {
      // Not one of those that stay loaded: there are as many as packs.
      const options = { enable: [name], dynamic: "allow" };
      const orcs = await open({ config: { hooks: [{ script: "orcs:shell-guard", options }] } });
      const reached = new Set<string>();
      for (const { id, command } of stop) {
        const { verdict, reason } = await judged(orcs, { command });
        reached.add(ruleOf(reason) ?? "");
        if (verdict !== "refuse" || ruleOf(reason) !== id)
          wrong.push(`${id}: ${command} → ${verdict} ${reason ?? ""}`);
      }
      const rules = others().find((pack) => pack.name === name)?.rules ?? [];
      for (const { runs, id } of rules) {
        // A row that also looks at texts needs a line of its own.
        const needsMore = stop.some((line) => line.id === id);
        for (const command of runs.flatMap(linesOf)) {
          const { verdict, reason } = await judged(orcs, { command });
          if (verdict !== "refuse" && !needsMore) wrong.push(`${id}: ${command} → ${verdict}`);
          const rule = ruleOf(reason) ?? "";
          if (!reached.has(rule)) {
            const helped = await judged(orcs, { command: `${command} --help` });
            if (ruleOf(helped.reason)?.startsWith(`${name}.`)) wrong.push(`${command} --help`);
          }
          reached.add(rule);
        }
      }
      for (const { id } of rules) if (!reached.has(id)) wrong.push(`${id}: no line reaches it`);
      await orcs.close();
    }
    expect(wrong).toEqual([]);
  },
  120_000,
);

slowTest("every rule of the guard's own code stops a line of the table", async () => {
  const reached = new Set<string>();
  for (const level of ["default", "strict", "paranoid"]) {
    const orcs = await guard({ level });
    for (const { line, verdict } of TABLE.filter((row) => row.level === level)) {
      if (verdict === "refuse")
        reached.add(ruleOf((await judged(orcs, { command: line })).reason) ?? "");
    }
  }
  // A folder that the working directory is in has to be deeper than those of the table.
  const parent = await judged(await guard(), { command: "rm -rf .." }, { cwd: "/srv/a/b/c" });
  reached.add(ruleOf(parent.reason) ?? "");
  const own = packs
    .filter((pack) => !others().includes(pack))
    .flatMap(({ rules }) => rules.map(({ id }) => id));
  expect(own.filter((id) => !reached.has(id))).toEqual([]);
});

/** Words of everyday lines that remove, publish or stop something that other packs are about. */
const CHANGES =
  /\b(?:rm|uninstall|delete|destroy|prune|push|autoremove|dropdb|DROP|DELETE|del|clear|clean)\b/;

repeatedTest(
  "everyday lines pass with all packs on, but for those that remove or publish what packs are about",
  async () => {
    const orcs = await guard({ enable: ["*"] });
    const wrong: string[] = [];
    for (const command of shareOf(EVERYDAY, 3)) {
      const { verdict, reason } = await judged(orcs, { command });
      const pack = ruleOf(reason)?.split(".")[0];
      if (verdict === "pass") continue;
      if (!CHANGES.test(command) || !others().some(({ name }) => name === pack))
        wrong.push(`${command} → ${reason ?? verdict}`);
    }
    expect(wrong).toEqual([]);
  },
);
