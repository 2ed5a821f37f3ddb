import { join } from "node:path";
import { expect, test } from "vitest";
import { distinct } from "../../../bench/policy/corpus.ts";
import { CORPORA, corpusLines } from "../../../bench/policy/corpora.ts";
import { figuresOf } from "../../../bench/policy/figures.ts";
import { everydayLines, ownLines } from "../../../bench/policy/own.ts";
import { dcgCoreLines, dcgPackLines } from "../../../bench/policy/readers/dcg.ts";
import { nahLines } from "../../../bench/policy/readers/nah.ts";
import { safetyNetLines } from "../../../bench/policy/readers/safety-net.ts";
import { dockerLines, scriptLines, workflowLines } from "../../../bench/policy/scripts.ts";
import { hashOf, MAX_STRUCK, readStruck, strikes } from "../../../bench/policy/struck.ts";
import { tables } from "../../../bench/policy/tables.ts";
import { parsed } from "../../../bench/policy/trace.ts";
import type { Line } from "../../../bench/policy/corpus.ts";
import { folder } from "../engine/orcs/engine.ts";

const NUL = "\0";

const short = (lines: readonly Line[]): string[] =>
  lines.map(({ wants, line }) => `${wants}: ${line}`);

test("reads what tests in TypeScript assert about constants, in loops, tables and helpers too", () => {
  const dir = folder({
    "tests/a.test.ts": String.raw`
      const WIPE = "wipe " + "all";
      const expectStopped = (command: string) => { expect(analyzeCommand(command)?.ruleId).toBe("x"); };
      test("one", () => {
        assertBlocked('wipe "a\tb"', "why");
        assertAllowed(${"`look ${WIPE}`"}, "/srv/app");
        assertBlocked(unknown, "why");
        for (const name of ["a", "b"]) assertBlocked(${"`wipe ${name}`"}, "why");
        expect(analyzeCommand("look twice")).toBeNull();
        const result = runGuard("wipe twice");
        expect(result).not.toBeNull();
        expect(analyzeCommand("strict only", { strict: true })).not.toBeNull();
        withEnv({ SAFETY_NET_STRICT: "1" }, () => assertBlocked("under a switch", "why"));
        expectStopped("wipe by a helper");
      });
      test.each(["look a", "look b"])("allows %s", (command) => { assertAllowed(command); });
    `,
    "tests/notes.ts": `assertBlocked("not a test", "why");`,
  });
  const lines = safetyNetLines(dir, "c");
  expect(short(lines)).toEqual([
    'stop: wipe "a\tb"',
    "allow: look wipe all",
    "stop: wipe a",
    "stop: wipe b",
    "allow: look twice",
    "stop: wipe twice",
    "stop: wipe by a helper",
    "allow: look a",
    "allow: look b",
  ]);
  expect(lines[1]).toMatchObject({ cwd: "/srv/app", source: "tests/a.test.ts:6", corpus: "c" });
});

test("reads tables of cases, assertions in Rust, and fixtures of packs", () => {
  const core = folder({
    "tests/corpus/x/a.toml": `
      [[case]]
      command = "wipe it"
      expected = "deny"
      [[case]]
      command = 'look at it'
      expected_decision = "allow"
      [[case]]
      input = "no command"
    `,
    "src/packs/core/a.rs": String.raw`
      assert_blocks(&pack, "wipe \"a\"", "why");
      assert_allows(&pack, r#"look "b""#);
      for cmd in ["wipe c", "wipe d"] { assert_blocks(&pack, cmd, "why"); }
      let all = vec!["look e"];
      test_batch_allows(&pack, &all);
      assert_eq!(pack.id, "core.a");
    `,
    "tests/e2e/fixtures/commands/dangerous.txt": "# comment\nwipe f\n",
    "tests/e2e/fixtures/commands/safe.txt": "\nlook g\n",
  });
  expect(short(dcgCoreLines(core, "c")).slice(0, 6)).toEqual([
    "stop: wipe it",
    "allow: look at it",
    'stop: wipe "a"',
    'allow: look "b"',
    "stop: wipe c",
    "stop: wipe d",
  ]);
  expect(short(dcgCoreLines(core, "c")).slice(-2)).toEqual(["stop: wipe f", "allow: look g"]);
  const packs = folder({
    "src/packs/cloud/a.rs": `assert_blocks_with_pattern(&pack, "a delete", "a-delete");`,
    "src/packs/core/b.rs": `assert_blocks(&pack, "core", "why");`,
    "src/packs/helpers.rs": `assert_blocks(&pack, "helper", "why");`,
    "tests/fixtures/destructive_commands.yaml": `cloud.a:\n  - command: "a \\"b\\""\n    reason: "why"\n`,
    "tests/fixtures/safe_commands.yaml": `cloud.a:\n  - command: 'a ''c'''\n`,
    "tests/fixtures/scenarios/s.yaml": `steps:\n  - command: "a list"\n    expected_pack: "cloud.a"\n    expected_decision: "allow"\n`,
  });
  const lines = dcgPackLines(packs, "c");
  expect(short(lines)).toEqual(["stop: a delete", 'stop: a "b"', "allow: a 'c'", "allow: a list"]);
  expect(new Set(lines.map(({ pack }) => pack))).toEqual(new Set(["cloud.a"]));
});

test("reads cases in JSON lines, with the folder of their fixture", () => {
  const row = (command: string, verdict: string, guard = "loss"): string =>
    JSON.stringify({ command, observation_fixture: "f", expected: { verdict, guard } });
  const files = ["filesystem", "git", "local-utilities", "project", "shell-resolution"];
  const dir = folder({
    "corpus/FIXTURES.json": JSON.stringify({ observation_fixtures: { f: { cwd: "/srv" } } }),
    // What is left to others, and what is about secrets, is not for shell-guard.
    "corpus/execution-flows.jsonl": `${row("look", "delegate")}\n${row("wipe", "block")}\n${row("cat .env", "block", "secrets-read")}\n`,
    ...Object.fromEntries(files.map((name) => [`corpus/${name}.jsonl`, ""])),
  });
  expect(nahLines(dir, "c")).toEqual([
    {
      corpus: "c",
      line: "wipe",
      wants: "stop",
      source: "corpus/execution-flows.jsonl:2",
      cwd: "/srv",
    },
  ]);
});

test("a line that is wanted both ways is left out, and the same line counts once", () => {
  const line = (text: string, wants: Line["wants"]): Line => ({
    corpus: "c",
    line: text,
    wants,
    source: "",
  });
  const lines = [line("a", "stop"), line("a", "allow"), line("b", "stop"), line("b", "stop")];
  expect(short(distinct(lines))).toEqual(["stop: b"]);
});

test("without copies only our own lines are measured, and each corpus says how to get it", () => {
  for (const corpus of CORPORA) {
    expect(corpusLines(corpus, undefined)).toContain(`--branch ${corpus.tag} https://github.com/`);
    expect(corpusLines(corpus, "/nowhere")).toContain(join("/nowhere", corpus.folder));
  }
  expect(ownLines("default").length).toBeGreaterThan(400);
  expect(everydayLines().length).toBeGreaterThan(300);
});

test("reads scripts of packages, Dockerfiles and workflows", () => {
  const dir = folder({
    "package.json": JSON.stringify({ scripts: { build: "tsc" } }),
    "node_modules/@a/b/package.json": JSON.stringify({ scripts: { test: "mocha", again: "tsc" } }),
    "node_modules/c/package.json": "not json",
  });
  expect(scriptLines(dir).map(({ line }) => line)).toEqual(["tsc", "mocha"]);
  expect(dockerLines('FROM x\nRUN --mount=type=cache a \\\n  && b\nRUN ["c"]\n')).toEqual([
    "a \\\n  && b",
  ]);
  const workflow = "steps:\n  - run: a\n  - name: x\n    run: |\n      b\n      c\n  - run: d\n";
  expect(workflowLines(workflow)).toEqual(["a", "b\nc", "d"]);
});

test("a trace tells programs, arguments and folders; what was killed has none", () => {
  const record = (...words: readonly string[]): string =>
    `${words.map((word) => `${NUL}${word}`).join("")}${NUL}\n`;
  const text = `0${NUL}2${NUL}${record("/work", "rm", "-rf", "a\nb")}${record("/", "ls", "")}`;
  expect(parsed(text)).toEqual({
    ran: [
      { cwd: "/work", argv: ["rm", "-rf", "a\nb"] },
      { cwd: "/", argv: ["ls", ""] },
    ],
    changed: 2,
    code: 0,
  });
  expect(parsed(`137${NUL}0${NUL}`)).toBeUndefined();
});

test("struck lines: at most a tenth, each with what it ran", () => {
  const struck = readStruck();
  for (const { line, wants, ran } of struck) {
    expect(line).toMatch(/^[0-9a-f]{64}$/);
    if (wants === "allow") expect(ran).toHaveLength(1);
  }
  expect(MAX_STRUCK).toBe(0.1);
  const line: Line = { corpus: "c", line: "look", wants: "stop", source: "" };
  expect(strikes([{ corpus: "c", line: hashOf(line), wants: "stop", ran: [] }])(line)).toBe(true);
  expect(strikes([{ corpus: "d", line: hashOf(line), wants: "stop", ran: [] }])(line)).toBe(false);
});

test("figures count questions as stops, and the table shows shares", () => {
  const judged = (["refuse", "ask", "pass", "pass"] as const).map((verdict, index) => ({
    verdict,
    us: index,
    line: {
      corpus: "c",
      line: `${index}`,
      wants: index < 3 ? "stop" : "allow",
      source: "",
    } as const,
  }));
  const figures = figuresOf(judged);
  expect(figures).toMatchObject({ stops: 3, allows: 1, stop: 2 / 3, refuse: 1 / 3, wrong: 0 });
  const all = { default: figures, "cc-safety-net": figures };
  const text = tables(
    [{ corpus: "c", wantsAllowed: false, struck: 0, all, kept: all }],
    ["default"],
  );
  expect(text).toContain("| c (3, 1) | 66.7 % (33.3 %) | – | 66.7 % | – | 0 | 66.7 % | – |");
});
