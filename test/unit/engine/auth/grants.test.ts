import { describe, expect, it } from "vitest";
import { GrantBook } from "../../../../src/engine/auth/grants.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import { GRANT_KINDS } from "../../../../src/core/permission.ts";

function granting(...patterns: string[]): GrantBook {
  const book = new GrantBook();
  for (const pattern of patterns) book.add(pattern, "persistent");
  return book;
}

describe("a grant of git status", () => {
  const COVERED = [
    "git status",
    "git status -s",
    "git  status",
    " \tgit\tstatus ",
    `"git" status`,
    "git 'status'",
    "g\\it st''atus",
    "git status *.ts",
    "git status ~/x {a,b} X=1",
    "git status 'a; rm'",
    "git status ''",
    "git status status",
  ];
  const NOT_COVERED = [
    "",
    "git",
    "status",
    "git statusx",
    "git status-x",
    "git statu",
    "git Status",
    "GIT status",
    "gitstatus",
    "git-status",
    "status git",
    "git status; rm",
    "git status ;rm",
    "git status && rm",
    "git status&&rm",
    "git status &",
    "git status || rm",
    "git status | sh",
    "git status $(rm x)",
    "git status `rm x`",
    "git status ${x}",
    'git status "$(rm x)"',
    "git status > f",
    "git status>f",
    "git status 2>f",
    "git status < f",
    "git status <(rm)",
    "git status\nrm x",
    "git status\r\nrm x",
    "git status\n",
    "git status #",
    "git status 'x",
    "git status \\",
    "git status\0",
    "git \\\nstatus",
    "X=1 git status",
    "PATH=. git status",
    "/usr/bin/git status",
    "./git status",
    "git -C x status",
    "git -c alias.status=!rm status",
    "git 'status; rm'",
    '"git status"',
    "'git status' x",
    "git\\ status",
    "git '' status",
    "'' git status",
    "git stat*",
    "git *",
    "* status",
    "gi? status",
    "[g]it status",
    "git status*",
    "git {status,x}",
    "{git,x} status",
    "~git status",
    "git ~status",
    "git status~",
    "(git status)",
    "{ git status",
    "! git status",
    "if git status",
    "time git status",
    "sudo git status",
    "sh -c 'git status'",
    "git $x status",
    "git\u00a0status",
    "git\vstatus",
    "gіt status", // a Cyrillic letter
    "git status\u0000",
    "git status\u200b",
  ];

  it.each(COVERED)("covers %j", (command) => {
    expect(granting("git status").covers(command)).toBe(true);
    expect(granting("git status").use(command)).toBe(true);
    expect(granting(" 'git'\tstat\\us").covers(command)).toBe(true);
    expect(granting("git status").below().covers(command)).toBe(true);
  });

  it.each(NOT_COVERED)("does not cover %j", (command) => {
    const book = granting("git status");
    book.add("git status", "one_time");
    expect(book.covers(command)).toBe(false);
    expect(book.use(command)).toBe(false);
    expect(book.below().use(command)).toBe(false);
    expect(book.list()).toHaveLength(2);
  });
});

describe("a grant pattern", () => {
  it.each<[pattern: string, covered: string[], not: string[]]>([
    ["git", ["git", "git push", "git *"], ["git;x", "gi*", "gitx"]],
    ["git ''", ["git ''", 'git "" x'], ["git", "git x"]],
    ["'my tool' run", ["my\\ tool run"], ["my tool run"]],
    ["echo 'a;b'", ["echo a\\;b", 'echo "a;b" c'], ["echo a;b", "echo 'a; b'", "echo a"]],
    ["ls '*'", ["ls \\*"], ["ls *"]],
    ["'X=1' git", ["X\\=1 git"], ["X=1 git", 'X="1" git', "git"]],
    ["'if' x", ["'if' x"], ["if x"]],
    ["a --b=c", ["a --b=c d"], ["a --b=cd", "a --b c"]],
    ["echo __proto__", ["echo __proto__"], ["echo", "echo constructor"]],
    ["__proto__", ["__proto__ x"], ["constructor", "toString"]],
  ])("%j covers its prefix only", (pattern, covered, not) => {
    const book = granting(pattern);
    for (const command of covered) expect(book.covers(command), command).toBe(true);
    for (const command of not) expect(book.covers(command), command).toBe(false);
  });

  it("compares word by word", () => {
    expect(granting("a 'b c'").covers("a b c")).toBe(false);
    expect(granting("a b c").covers("a 'b c'")).toBe(false);
    const both = granting("a 'b c'", "a b c");
    expect(both.list()).toHaveLength(2);
    expect(both.covers("a b c")).toBe(true);
  });

  it.each([
    "",
    "  ",
    "git status;",
    "git; rm",
    "git && rm",
    "git | sh",
    "git > f",
    "git $x",
    "git `x`",
    "git 'x",
    "git \\",
    "git\nrm",
    "git #x",
    "git\0",
    "! git",
    "if git",
    "*",
    "git *",
    "git status *.ts",
    "git ?",
    "git [a]",
    "git {a,b}",
    "~/git",
    "X=1",
    "X=1 git",
    `git ${"x".repeat(70_000)}`,
  ])("rejects %j", (pattern) => {
    for (const kind of GRANT_KINDS) {
      const book = new GrantBook();
      let thrown: unknown;
      try {
        book.add(pattern, kind);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(OrcsError);
      const { code, message, fields } = thrown as OrcsError;
      expect(code).toBe("ORCS6012");
      expect(fields).toEqual({ pattern });
      expect(message).toContain(JSON.stringify(pattern.slice(0, 200)).slice(0, -1));
      expect(message.length).toBeLessThan(500);
      expect(book.list()).toEqual([]);
    }
  });
});

describe("kinds of grants", () => {
  it("a persistent grant is kept once, in any spelling", () => {
    const book = granting("git status", "git status", "'git'  status");
    expect(book.list()).toEqual([{ pattern: "git status", kind: "persistent" }]);
    for (let round = 0; round < 5; round++) expect(book.use("git status")).toBe(true);
    expect(book.list()).toHaveLength(1);
  });

  it("one-time grants are used up one after the other", () => {
    const book = new GrantBook();
    book.add("git push", "one_time");
    book.add("git  push", "one_time");
    expect(book.list()).toEqual([
      { pattern: "git push", kind: "one_time" },
      { pattern: "git push", kind: "one_time" },
    ]);
    expect(book.covers("git push")).toBe(true);
    expect(book.covers("git push")).toBe(true);
    expect(book.use("git push -f")).toBe(true);
    expect(book.list()).toHaveLength(1);
    expect(book.use("git push")).toBe(true);
    expect(book.list()).toEqual([]);
    expect(book.covers("git push")).toBe(false);
    expect(book.use("git push")).toBe(false);
    book.add("git push", "one_time");
    expect(book.use("git push")).toBe(true);
  });

  it("a persistent grant is preferred, however wide", () => {
    const book = new GrantBook();
    book.add("git push", "one_time");
    book.add("git", "persistent");
    expect(book.use("git push")).toBe(true);
    expect(book.list()).toHaveLength(2);
  });

  it("a parent's persistent grant is preferred to an own one-time grant", () => {
    const above = granting("git");
    const below = above.below();
    below.add("git push", "one_time");
    expect(below.use("git push")).toBe(true);
    expect(below.list()).toHaveLength(1);
  });

  it("the one-time grant with the most words is used first", () => {
    for (const patterns of [
      ["git", "git push", "git push x y"],
      ["git push x y", "git push", "git"],
    ]) {
      const book = new GrantBook();
      for (const pattern of patterns) book.add(pattern, "one_time");
      expect(book.use("git push x")).toBe(true);
      expect(book.list().map((grant) => grant.pattern)).not.toContain("git push");
      expect(book.use("git push x")).toBe(true);
      expect(book.use("git push x")).toBe(false);
      expect(book.list()).toEqual([{ pattern: "git push x y", kind: "one_time" }]);
    }
  });

  it("the list cannot be used to change grants", () => {
    const book = granting("git");
    (book.list() as unknown[]).length = 0;
    expect(book.list()).toHaveLength(1);
  });
});

describe("a child's grant book", () => {
  it("has the parent's grants, also later ones, and keeps its own to itself", () => {
    const above = new GrantBook();
    const below = above.below();
    const beside = above.below();
    expect(below.covers("git")).toBe(false);
    above.add("git", "persistent");
    expect(below.below().covers("git")).toBe(true);
    below.add("npm", "persistent");
    expect(below.covers("npm")).toBe(true);
    expect(below.below().covers("npm")).toBe(true);
    expect(above.covers("npm")).toBe(false);
    expect(beside.covers("npm")).toBe(false);
    expect(below.list()).toEqual([{ pattern: "npm", kind: "persistent" }]);
    expect(above.list()).toEqual([{ pattern: "git", kind: "persistent" }]);
  });

  it("uses up a parent's one-time grant for all", () => {
    const above = new GrantBook();
    const [below, beside] = [above.below().below(), above.below()];
    above.add("git", "one_time");
    expect([above, below, beside].map((book) => book.covers("git"))).toEqual([true, true, true]);
    expect(below.use("git push")).toBe(true);
    expect([above, below, beside].map((book) => book.use("git"))).toEqual([false, false, false]);
  });

  it("uses up its own grant before a longer one of the parent", () => {
    const above = new GrantBook();
    const below = above.below();
    above.add("git push", "one_time");
    below.add("git", "one_time");
    expect(below.use("git push")).toBe(true);
    expect(below.list()).toEqual([]);
    expect(above.list()).toHaveLength(1);
    expect(below.use("git push")).toBe(true);
    expect(above.list()).toEqual([]);
    expect(below.use("git push")).toBe(false);
  });

  it("works through a thousand levels", () => {
    const top = granting("git");
    let book = top;
    for (let depth = 0; depth < 1_000; depth++) book = book.below();
    top.add("npm", "one_time");
    expect(book.covers("git status")).toBe(true);
    expect(book.use("npm")).toBe(true);
    expect(book.use("npm")).toBe(false);
    expect(book.covers("rm")).toBe(false);
  });
});
