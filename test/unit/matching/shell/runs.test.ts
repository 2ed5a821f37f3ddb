import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { ShellCommand } from "../../../../src/core/shell.ts";
import { quoteWords } from "../../../../src/core/shell-words.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";
import { RUNS_FLAGS } from "../../../../src/matching/shell/flags.ts";
import { compileRuns } from "../../../../src/matching/shell/match-command.ts";
import { quickTest as it, repeatedTest, runCount } from "../../../slow-test.ts";

/**
 * A command from its words, parted by blanks: `$…` is a word that is not known, and one that holds a `$` is not wholly
 * known. The pattern side alone is tested here, whatever the reader makes of a line.
 */
function command(text: string, more: Partial<ShellCommand> = {}): ShellCommand {
  const argv = text.split(" ").filter((word) => word !== "");
  const unknown = [...argv.keys()].filter((at) => argv[at]?.includes("$"));
  const isOpaque = unknown.includes(0) || argv.length === 0;
  return {
    argv,
    unknown,
    program: isOpaque ? "" : (argv[0]?.split("/").at(-1) ?? ""),
    redirects: [],
    via: [],
    from: [],
    cwd: ".",
    dynamic: unknown.length > 0 || isOpaque,
    opaque: isOpaque,
    ...more,
  };
}
const holds = (pattern: string | readonly string[], text: string): boolean =>
  compileRuns([pattern].flat())([command(text)]);

/** What a pattern holds for, and what it does not. */
interface Rows {
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

const TABLE: Readonly<Record<string, Rows>> = {
  "git push --force": {
    yes: [
      "git push --force",
      "git push --force origin main",
      "git push origin main --force",
      "git push origin --force main",
      "git --no-pager push --force",
      "git -C dir push --force",
      "git -C push push --force",
      "git -c user.name=x -c a.b=c push --force",
      "git --git-dir=.git --work-tree . push --force",
      "git --git-dir .git push --force",
      "git --namespace ns --exec-path=/x -p push --force",
      "git push -f",
      "git push origin main -f",
      "git push -fu origin main",
      "git push -uf origin main",
      "git push -u -f",
      "git push --forc",
      "git push --fo origin",
      "git push --force --dry-run",
      "git push --force=true",
      "git push --force-with-lease --force",
      "git push origin +main",
      "git push origin +HEAD:main",
      "git push -o ci.skip -f",
      "git push --repo=origin -f",
      "/usr/bin/git push --force",
      "GIT push --force",
      "git.exe push --force",
      "git-push --force",
      "/usr/lib/git-core/git-push origin -f",
      "git -c alias.p=push p",
      "git -c Alias.x=! -C d X",
      "git --config-env=alias.x=V x",
    ],
    no: [
      "git push",
      "git push origin main",
      "git push --force-with-lease",
      "git push --force-with-lease=main:abc origin",
      "git push --force-if-includes",
      "git push --no-force",
      "git push -u origin feature",
      "git push -o f",
      "git push -of",
      "git push --push-option -f",
      "git push --follow-tags",
      "git push --follow-tags=f",
      "git push -- --force",
      "git push -- -f",
      "git pull --force",
      "git fetch -f",
      "git log push --force",
      "git stash push --force",
      "git -c alias.p=push log --force",
      "git -c user.name=alias.p p --force",
      "git --force push",
      "git -C --force push",
      "git",
      "git log",
      "echo git push --force",
      "gitx push --force",
      "git push --Force",
      "git push -F",
      "git branch +main",
      "git PUSH --force",
      "",
    ],
  },
  "git push": {
    yes: ["git push", "git push origin", "git push -f", "git -p push", "git -C x push -- origin"],
    no: ["git pull", "git pushx", "git log -n 1 push", "git -C push log", "git -c push", "git p"],
  },
  "git push origin main": {
    yes: [
      "git push origin main",
      "git push -f origin main",
      "git push -o x origin main",
      "git push -- origin main",
      "git push origin -- main",
    ],
    no: ["git push main origin", "git push origin", "git push x origin main", "git push -f main"],
  },
  "git push*": { yes: ["git push", "git push origin", "git pushx"], no: ["git pull", "git -p"] },
  "git push *": { yes: ["git push", "git push origin"], no: ["git pushx"] },
  "git push --force*": {
    yes: ["git push --force", "git push -f", "git push --force-with-lease=x", "git push --forc"],
    no: ["git push", "git push --follow-tags", "git push -u"],
  },
  "git branch -D": {
    yes: [
      "git branch -D x",
      "git branch -d -f x",
      "git branch -df x",
      "git branch --delete --force x",
      "git branch x --forc --del",
      "git branch -dD x",
    ],
    no: [
      "git branch -d x",
      "git branch --delete x",
      "git branch -f x",
      "git branch -M x",
      "git branch",
    ],
  },
  "git reset --hard": {
    yes: ["git reset --hard", "git reset HEAD~1 --hard", "git reset --ha", "git reset -q --hard @"],
    no: [
      "git reset",
      "git reset --soft",
      "git reset hard",
      "git reset --harder",
      "git restore --hard",
    ],
  },
  "git clean -fd": {
    yes: [
      "git clean -fd",
      "git clean -d -f",
      "git clean -xdf",
      "git clean --force -d .",
      "git clean -ffd",
    ],
    no: ["git clean -f", "git clean -d", "git clean -nd", "git clean -e fd -d", "git clean"],
  },
  "git commit --no-verify": {
    yes: ["git commit -n", "git commit -anm x", "git commit --no-veri -m x", "git commit -m x -n"],
    no: [
      "git commit -m n",
      "git commit -mn",
      "git commit -amend",
      "git commit -am -n",
      "git commit --message -n",
      "git commit --no",
      "git commit --no-edit",
    ],
  },
  "git commit -m wip": {
    yes: ["git commit -m wip", "git commit -mwip", "git commit -amwip", "git commit --message=wip"],
    no: ["git commit -m wipe", "git commit -m x wip", "git commit wip", "git commit -am"],
  },
  "git checkout -- .": {
    yes: ["git checkout -- .", "git checkout HEAD -- .", "git checkout -q -- . x"],
    no: ["git checkout .", "git checkout -- x .", "git checkout --", "git switch -- ."],
  },
  "git checkout .": { yes: ["git checkout .", "git checkout -- ."], no: ["git checkout ./x"] },
  "git -c core.hooksPath=*": {
    yes: ["git -c core.hooksPath=x commit", "git -C d -c core.hooksPath= push"],
    no: [
      "git -c core.editor=x commit",
      "git commit -c core.hooksPath=x",
      "git config core.hooksPath=x",
    ],
  },
  "git add -p": { yes: ["git add -p", "git -p add --patch"], no: ["git -p add", "git add ."] },
  "rm -r*": {
    yes: [
      "rm -r x",
      "rm -rf x",
      "rm -fr x",
      "rm -f -r x",
      "rm -R x",
      "rm x -r",
      "rm --recursive x",
      "rm --rec x",
      "rm --r x",
      "rm -vrf",
      "rm -r",
      "/bin/rm -rf /",
      "rm -ri -- x",
      "rm --force --recursive --verbose a b c",
    ],
    no: [
      "rm x",
      "rm -f x",
      "rm r",
      "rm -- -r",
      "rm -- -rf x",
      "rm -i --force x",
      "rm --one-file-system x",
      "rm -",
      "rm",
      "rmdir -r x",
      "rm --no-preserve-root /",
      "cp -r a b",
      "rm -f ./-r",
    ],
  },
  "rm -rf": {
    yes: ["rm -rf x", "rm -r -f", "rm -fr", "rm --recursive -f", "rm -R x --force", "rm -rvf"],
    no: ["rm -r x", "rm -f x", "rm -r -- -f", "rm rf"],
  },
  "rm -rf /": {
    yes: ["rm -rf /", "rm / -rf", "rm -r -f -- / x"],
    no: ["rm -rf /tmp", "rm -rf x /", "rm -r /"],
  },
  "rm -rf /etc*": { yes: ["rm -rf /etc", "rm -fr /etc/x", "rm -rf /etcx"], no: ["rm -rf x /etc"] },
  "find -delete": {
    yes: [
      "find . -delete",
      "find . -name x -delete",
      "find -delete",
      "find / -type f -delete -print",
    ],
    no: [
      "find . -depth -name x -ls -type e",
      "find . -name delete",
      "find . -del",
      "find . --d -e",
    ],
  },
  "terraform destroy -auto-approve": {
    yes: ["terraform destroy -auto-approve", "terraform destroy --auto-approve=true x"],
    no: ["terraform destroy", "terraform apply -auto-approve", "terraform destroy -auto"],
  },
  "dd of=/dev/*": {
    yes: ["dd of=/dev/sda if=x", "dd if=x bs=1 of=/dev/sda"],
    no: ["dd if=/dev/sda of=x", "dd of=x", "dd", "dd -- of=/dev/sda"],
  },
  "make clean": {
    yes: ["make CC=x clean", "make -j4 clean", "make -j 4 clean"],
    no: ["make all clean"],
  },
  "docker rm -f": {
    yes: ["docker rm -f x", "docker rm x --force", "docker --context y rm -vf x"],
    no: [
      "docker rm x",
      "docker run --rm -f",
      "docker rmi -f x",
      "docker ps -f rm",
      "podman rm -f x",
    ],
  },
  "kubectl delete": {
    yes: ["kubectl delete pod x", "kubectl -n prod delete pod", "kubectl --context=x delete"],
    no: ["kubectl get delete", "kubectl -n delete get pods", "kubectl get pods"],
  },
  "chmod -R 777": {
    yes: ["chmod -R 777 .", "chmod 777 -R .", "chmod --recursive 777 .", "chmod -vR 777 ."],
    no: ["chmod 777 .", "chmod -r 777 .", "chmod -R 755 ."],
  },
  "npm publish": {
    yes: ["npm publish", "npm --tag next publish", "npm publish --dry-run", "npm -w a publish"],
    no: ["npm run publish", "npm pack", "npm -g run publish", "npx publish"],
  },
  "npm install --save-dev": {
    yes: ["npm install --save-dev x", "npm install -D x", "npm install x --save-d"],
    no: ["npm install --save x", "npm install x"],
  },
  "foo --bar baz": {
    yes: [
      "foo --bar baz",
      "foo --bar=baz",
      "foo -x 1 --bar baz",
      "foo q --bar baz",
      "foo baz --bar",
    ],
    no: ["foo --bar", "foo --bar qux", "foo baz", "foo --bar=qux", "foo -- --bar baz"],
  },
  "head -n 5": { yes: ["head -n 5 x", "head -n5 x", "head -qn 5"], no: ["head -n 6", "head x 5"] },
  "kill -9": { yes: ["kill -9 1", "kill 1 -9"], no: ["kill 9", "kill -15 1", "kill -s 9 1"] },
  "mkfs*": {
    yes: ["mkfs /dev/sda", "mkfs.ext4 /dev/sda", "/sbin/mkfs.xfs"],
    no: ["mk fs", "nomkfs"],
  },
  "./deploy.sh prod": { yes: ["deploy.sh prod", "/x/deploy.sh prod -v"], no: ["deploy.sh dev"] },
  "git commit -m 'a b'": { yes: [], no: ["git commit -m a b"] },
  "grep \\*": { yes: ["grep *"], no: ["grep x"] },
  "grep '*'": { yes: ["grep * x"], no: ["grep x"] },
  "echo \"a\"'b'\\c": { yes: ["echo abc"], no: ["echo ab"] },
  "git stash drop stash@{0}": { yes: ["git stash drop stash@{0}"], no: ["git stash drop"] },
  "sudo rm": { yes: ["sudo rm x", "sudo -n rm", "sudo -u root rm x"], no: ["sudo ls", "rm x"] },
};

describe.each(Object.entries(TABLE))("%s", (pattern, { yes, no }) => {
  it.each(yes)("holds for %s", (text) => expect(holds(pattern, text)).toBe(true));
  it.each(no)("does not hold for %s", (text) => expect(holds(pattern, text)).toBe(false));
});

describe("match.runs: an unknown word may be anything", () => {
  const UNKNOWN: Readonly<Record<string, Rows>> = {
    "git push --force": {
      yes: [
        "git push $F",
        "git push origin main $F",
        "git $X",
        "git $X --force",
        "git push $F -- x",
        "git -C d push $F",
        "git -C $D push -f",
        "git --git-dir=$D push -f",
        "git push -$F",
        "git push --$F",
        "git push --fo$F",
        "git -c $X deploy",
        "git -c alias.$X deploy",
        "git -$X log",
        "git -C $X . push -f",
        "git -C $X . -c $Y a=b push -f",
        "git -C$X . push -f",
        "git push -o $X ci.skip -f",
        "git -C $X -c $Y a log",
        `git ${"-C $X a ".repeat(20)}log`,
      ],
      no: [
        "git log $F",
        "git -C $D log",
        "git -C $D log -3",
        "git --git-dir=$D push",
        "git push -o $F origin",
        "git push --repo=$F",
        "git push origin main$F",
        "git push -- $F",
        "git commit -m $F",
        "git -c user.name=$X deploy",
        "hg push $F",
      ],
    },
    "rm -r*": {
      yes: ["rm $F", "rm x $F", "rm -f $F", "rm -$F x"],
      no: ["rm -- $F", "rm -f -- $F x", "rm x$F", "rm ./$F", "rm /tmp/$F/x"],
    },
    "git commit --no-verify": {
      yes: ["git commit $F", "git commit -a $F", "git commit -m x $F"],
      no: [
        "git commit -m $F",
        "git commit -am $F",
        "git commit --author=$F -mx$F",
        "git commit -- $F",
      ],
    },
    "git push origin main": {
      yes: ["git push origin $B", "git push $R $B", "git push o$R main", "git push origin m$B"],
      no: ["git push upstream $B", "git push up$R main", "git push origin x$B"],
    },
    "git checkout -- .": {
      yes: ["git checkout $X", "git checkout -- $X", "git checkout -- .$X"],
      no: ["git checkout -- ./$X", "git checkout x$X"],
    },
    "git -c core.hooksPath=*": {
      yes: ["git -c $X log", "git -c core.$X log"],
      no: ["git -c user.$X log", "git log $X"],
    },
    "foo --bar baz": {
      yes: ["foo --bar $X", "foo --bar=$X", "foo --bar=b$X", "foo $X"],
      no: ["foo --bar=q$X", "foo --qux=$X", "foo --bar"],
    },
  };
  describe.each(Object.entries(UNKNOWN))("%s", (pattern, { yes, no }) => {
    it.each(yes)("holds for %s", (text) => expect(holds(pattern, text)).toBe(true));
    it.each(no)("does not hold for %s", (text) => expect(holds(pattern, text)).toBe(false));
  });

  it("adding words or unknown words to a matching line keeps it matching", () => {
    const stopped: string[] = [];
    for (const [pattern, { yes }] of [...Object.entries(TABLE), ...Object.entries(UNKNOWN)]) {
      const runs = compileRuns([pattern]);
      const expectHeld = (text: string): void => {
        if (!runs([command(text)])) stopped.push(`${pattern}: ${text}`);
      };
      for (const text of yes) {
        for (const more of ["x", "-q", "--zz", "-- y", "$X", "-$X"]) expectHeld(`${text} ${more}`);
        const words = text.split(" ");
        for (const [at, word] of words.entries()) {
          if (at === 0) continue;
          for (let kept = 0; kept <= word.length; kept++) {
            expectHeld(words.with(at, `${word.slice(0, kept)}$X`).join(" "));
          }
        }
      }
    }
    expect(stopped).toEqual([]);
  });

  it("but not a flag in a find -exec argument", () => {
    const found = (text: string, via: string[]): boolean =>
      compileRuns(["rm -r*"])([
        { ...command(text), unknown: [text.split(" ").indexOf("{}")], via },
      ]);
    expect(found("rm -f {}", ["find"])).toBe(false);
    expect(found("rm -rf {}", ["find"])).toBe(true);
    expect(found("rm -f {}", ["xargs"])).toBe(true);
    expect(found("rm -f {}", ["find", "sh"])).toBe(true);
  });
});

describe("match.runs: a command with an unknown name", () => {
  it.each([
    ["rm -r*", "$X -rf .", true],
    ["rm -r*", "$X --recursive", true],
    ["rm -r*", "$X -f .", false],
    ["rm -r*", "$X", false],
    ["rm -r*", "$X $Y", false],
    ["rm -r*", "$X -r $Y", true],
    ["git push --force", "$GIT push --force", true],
    ["git push --force", "$GIT -C d push -f", true],
    ["git push --force", "$GIT push $F", true],
    ["git push --force", "$EDITOR notes.md", false],
    ["git push --force", "$X --force", false],
    ["git push --force", "$X push", false],
    ["shutdown", "$X", false],
    ["shutdown", "$X now", false],
    ["mkfs*", "$X", false],
    ["?", "$X", true],
    ["?", "$X -rf .", true],
    ["?", "", true],
    ["?", "ls $X", false],
    [" ? ", "$X", true],
  ])("%s and %j: %s", (pattern, text, expected) => {
    expect(holds(pattern, text)).toBe(expected);
  });

  it("? matches it", () => {
    const shell = command("sh", { opaque: true, dynamic: true });
    expect(compileRuns(["?"])([shell])).toBe(true);
    expect(compileRuns(["rm -r*"])([shell])).toBe(false);
    expect(compileRuns(["sh"])([shell])).toBe(true);
    const glob = command("/bin/r? -rf .", { program: "", opaque: true, dynamic: true });
    expect(compileRuns(["rm -r*"])([glob])).toBe(true);
  });
});

describe("match.runs: a list of patterns", () => {
  it("matches if one pattern matches one command", () => {
    const runs = compileRuns(["git push --force", "rm -r*", "mkfs*", "git reset --hard"]);
    const line = (...texts: string[]): boolean => runs(texts.map((text) => command(text)));
    expect(line()).toBe(false);
    expect(line("ls", "git push")).toBe(false);
    expect(line("ls", "git push -f", "ls")).toBe(true);
    expect(line("git reset --hard")).toBe(true);
    expect(line("ls", "mkfs.ext4 x")).toBe(true);
    // What one command lacks is not made up for by another.
    expect(line("git push", "git pull --force")).toBe(false);
  });

  it("is not confused by names of object properties", () => {
    for (const name of ["constructor", "__proto__", "valueOf", "hasOwnProperty"]) {
      expect(holds("rm -r*", `${name} -r`)).toBe(false);
      expect(holds(name, `${name} -r`)).toBe(true);
      expect(holds(`git ${name}`, `git ${name} x`)).toBe(true);
      expect(holds(`${name} --${name}`, `${name} x`)).toBe(false);
      expect(holds(`${name} --${name}`, `${name} --${name}=1`)).toBe(true);
    }
  });
});

describe("match.runs: invalid patterns", () => {
  it.each([
    ["", "does not begin with a program name"],
    ["  ", "does not begin with a program name"],
    ["''", "does not begin with a program name"],
    ["*", "only a final * is"],
    ["git 'push", "is not closed"],
    ['git "push', "is not closed"],
    ['git "pu\\"', "is not closed"],
    ["git push \\", "ends with a backslash"],
    ["git push | cat", "write one pattern for each"],
    ["git push; ls", "write one pattern for each"],
    ["git push && ls", "write one pattern for each"],
    ["(git push)", "write one pattern for each"],
    ["git push\nls", "write one pattern for each"],
    ["git push > x", "redirection"],
    ["git push 2>&1", "redirection"],
    ["git push $BRANCH", "write the value"],
    ["git push ${BRANCH}", "write the value"],
    ['git push "$BRANCH"', "write the value"],
    ['git push "a`x`"', "write the value"],
    ["git push `x`", "write the value"],
    ["git * --force", "only a final * is"],
    ["git p*h", "only a final * is"],
    ["rm -r**", "only a final * is"],
    ["rm ?", "is not a wildcard"],
    ["rm [ab]", "is not a wildcard"],
    ["rm {a,b}", "write one pattern for each"],
    ["rm {1..3}", "write one pattern for each"],
    ["rm -r ~", "write the full directory"],
    ["rm -r ~/x", "write the full directory"],
    ["git push # x", "begins a comment"],
    ["A=1 git push", "begins with the program"],
    ["rm -*", "is not a flag"],
    ["rm --*", "is not a flag"],
    ["rm \0", "is not allowed in a command"],
    ["x".repeat(5_000), "longer than"],
    ["x ".repeat(65), "more than 64 words"],
  ])("%j: %s", (pattern, why) => {
    const compile = (): unknown => compileRuns(["ls", pattern]);
    expect(compile).toThrow(why);
    expect(compile).toThrow(
      expect.objectContaining({ code: "ORCS1012", fields: { key: "runs", pattern } }),
    );
  });

  it("look-alikes are accepted", () => {
    for (const pattern of [
      "a '|' \\; \"&\"",
      "stash@{0}",
      "a~b c#d",
      "a b=c",
      "x 5$ '$A' \\$A",
      "{} {a}",
      "a !",
    ]) {
      expect(() => compileRuns([pattern])).not.toThrow();
    }
  });

  it("an empty list is rejected", () => {
    expect(() => compileRuns([])).toThrow(expect.objectContaining({ code: "ORCS1012" }));
  });

  repeatedTest("no other error is thrown for any pattern", () => {
    const char = fc.constantFrom(...Array.from("ab -*?'\"\\$`|{},=~#@+:/\0\n"));
    fc.assert(
      fc.property(fc.string({ unit: char, maxLength: 20 }), (pattern) => {
        try {
          compileRuns([pattern])([command("a -b $c"), command("")]);
        } catch (thrown) {
          if (!(thrown instanceof OrcsError) || thrown.code !== "ORCS1012") throw thrown;
        }
      }),
      { numRuns: runCount(2_000) },
    );
  });
});

it("each flag letter of a program is listed once", () => {
  for (const [program, flags] of Object.entries(RUNS_FLAGS)) {
    const entries = flags.split(" ");
    for (const entry of entries) expect(entry, program).toMatch(/^\w?[=:]([\w-]+([,|][\w-]+)*)?$/);
    const letters = entries.flatMap((entry) => /^\w(?=[=:])/.exec(entry) ?? []);
    expect(new Set(letters).size, program).toBe(letters.length);
  }
});

describe("match.runs: a command line", () => {
  const shell = createShellReader({ home: "/home/me" });
  const runs = compileRuns(["git push --force", "rm -r*", "find -delete"]);
  const lineHolds = (line: string): boolean => runs(shell.read(line).commands);

  it.each([
    "git push --force",
    "cd x && git  push\t-f",
    "git 'pu'sh \"--force\"",
    "g\\it push -f",
    "sh -c 'git push -f'",
    'bash -lc "cd x; git push origin main --force"',
    "env GIT_DIR=x git push -f",
    "sudo -u root git push --force",
    "timeout 5 nice git push -f",
    "(git push -f)",
    "echo $(git push -f)",
    "echo `git push -f`",
    "if true; then git push -f; fi",
    "f() { git push -f; }; f",
    "X=--force; git push $X",
    "git push $X",
    'git push "$X"',
    "git push ${X:---force}",
    "X=git; $X push -f",
    "$X push -f",
    "git p{ush,ull} -f || git push -f",
    "echo push -f | xargs git",
    "git push \\\n --force",
    "/bin/rm -fr .",
    "\\rm -r x",
    "find . -name x -exec rm -r {} +",
    "find . -name x -delete",
    "ls | xargs rm",
    "rm x; rm -rf y &",
    "ls > x; rm --recursive y > z",
  ])("matches: %s", (line) => expect(lineHolds(line)).toBe(true));

  it.each([
    "git push",
    "git push --force-with-lease",
    "git push origin main && git pull --force",
    "echo 'git push --force'",
    "echo git push --force",
    "echo x # git push --force",
    "git commit -m 'git push --force; rm -rf .'",
    "git commit -m \"$(cat <<'EOF'\nrm -rf x\nEOF\n)\"",
    "grep -r 'rm -rf' .",
    "find . -name x -exec rm {} +",
    "find . -name delete",
    'for f in a b; do rm "$f"; done',
    "npm run clean -- -r",
    "$EDITOR x",
    "ls -r | cat",
    "cat rm -r",
    "rm 'a -r'",
    "rm -- -r",
    "X=1 ls",
  ])("does not match: %s", (line) => expect(lineHolds(line)).toBe(false));
});

describe("the table of docs/reference/matchers.md", () => {
  const page = readFileSync(
    new URL("../../../../docs/reference/matchers.md", import.meta.url),
    "utf8",
  );
  const [, table = ""] = /^\| pattern \| holds for .*\n\|[- |]*\n((?:\|.*\n)*)/m.exec(page) ?? [];
  const spans = (cell = ""): string[] =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code.replaceAll("\\|", "|"));
  const rows = table
    .trimEnd()
    .split("\n")
    .map((row) => row.split(/(?<!\\)\|/).slice(1, -1));
  const shell = createShellReader();

  it("has rows", () => expect(rows.length).toBeGreaterThan(15));

  it.each(rows)("%s", (pattern, yes, no) => {
    const runs = compileRuns(spans(pattern));
    const [held, not] = [spans(yes), spans(no)];
    const holds = (line: string): boolean => {
      const { commands, unread } = shell.read(line);
      return runs(commands, unread);
    };
    expect(held.filter(holds)).toEqual(held);
    expect(not.filter((line) => !holds(line))).toEqual(not);
    expect(held.length * not.length).toBeGreaterThan(0);
  });
});

describe("match.runs is independent of spelling", () => {
  const shell = createShellReader({ home: "/home/me" });
  const runs = compileRuns(["git push --force", "rm -rf*", "git branch -D", "docker rm -f"]);
  const lineHolds = (words: readonly string[], wrap: (line: string) => string): boolean =>
    runs(shell.read(wrap(words.join(" "))).commands);

  const word = fc.constantFrom(
    "x",
    "main",
    "origin",
    "-v",
    "-f",
    "-r",
    "-d",
    "-D",
    "--force",
    "--",
    "a.b",
  );
  const head = fc.constantFrom("git push", "rm", "git branch", "docker rm", "git log", "ls");
  const line = fc
    .tuple(head, fc.array(word, { maxLength: 5 }))
    .map(([first, rest]) => first.split(" ").concat(rest));

  const quotes: fc.Arbitrary<(text: string) => string> = fc.constantFrom(
    (text: string) => text,
    (text: string) => `'${text}'`,
    (text: string) => `"${text}"`,
    (text: string) => `${text.slice(0, 1)}''${text.slice(1)}`,
    (text: string) => text.replaceAll(/(.)/g, "\\$1"),
  );
  it("of quotes", () => {
    fc.assert(
      fc.property(line, fc.array(quotes, { minLength: 8, maxLength: 8 }), (words, how) => {
        const quoted = words.map((each, at) => how[at]?.(each) ?? each);
        expect(lineHolds(quoted, (text) => text)).toBe(lineHolds(words, (text) => text));
      }),
    );
  });

  const WRAPS: Readonly<Record<string, (line: string) => string>> = {
    "sh -c": (text) => `sh -c ${quoteWords([text])}`,
    "bash -lc, twice": (text) => `bash -lc ${quoteWords([`sh -c ${quoteWords([text])}`])}`,
    env: (text) => `env A=1 ${text}`,
    sudo: (text) => `sudo -n ${text}`,
    nohup: (text) => `nohup ${text} &`,
    timeout: (text) => `timeout -k 1 5 ${text}`,
    "( )": (text) => `(${text})`,
    "{ }": (text) => `{ ${text}; }`,
    "$( )": (text) => `echo "$(${text})"`,
    "a pipe": (text) => `true | ${text} | cat`,
    "a list": (text) => `cd x && ${text} || true`,
    eval: (text) => `eval ${quoteWords([text])}`,
    redirects: (text) => `2>&1 ${text} > out`,
    assignments: (text) => `A=1 B=2 ${text}`,
  };
  it.each(Object.entries(WRAPS))("%s", (_name, wrap) => {
    fc.assert(
      fc.property(line, (words) => {
        expect(lineHolds(words, wrap)).toBe(lineHolds(words, (text) => text));
      }),
    );
  });

  repeatedTest("of the order and form of flags", () => {
    const flags = fc.shuffledSubarray(["r", "f", "v", "i"], { minLength: 1 });
    const longs: Readonly<Record<string, string>> = {
      r: "--recursive",
      f: "--force",
      v: "--verbose",
    };
    const together = (letters: readonly string[]): string => `-${letters.join("")}`;
    fc.assert(
      fc.property(flags, fc.nat(4), fc.nat(4), fc.boolean(), (letters, cut, at, inWords) => {
        const spelt = [letters.slice(0, cut), letters.slice(cut)]
          .filter((group) => group.length > 0)
          .flatMap((group) =>
            inWords ? group.map((each) => longs[each] ?? `-${each}`) : together(group),
          );
        const words = ["x", "y"];
        words.splice(Math.min(at, 2), 0, ...spelt);
        const expected = letters.includes("r") && letters.includes("f");
        expect(holds("rm -rf x", `rm ${words.join(" ")}`)).toBe(expected);
        // Nor does the pattern's own.
        expect(holds(`rm ${spelt.join(" ")}`, "rm -rvif x")).toBe(true);
      }),
      { numRuns: runCount(500) },
    );
  });
});
