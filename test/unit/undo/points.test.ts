import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createOrcs } from "../../../src/engine/index.ts";
import type { Orcs } from "../../../src/engine/index.ts";
import { newestUndone, planOf, recover, restore } from "../../../src/undo/index.ts";
import type { RestorePlan } from "../../../src/undo/index.ts";
import { differences, ended, judged, openOrcs, storeOf } from "./undone.ts";
import { makeTree, runLine, stateOf } from "./work-trees.ts";

let orcs: Orcs;
/** With no hook but shell-guard. */
let alone: Orcs;
let folder: string;
beforeAll(async () => {
  orcs = await openOrcs();
  alone = await createOrcs({ config: { hooks: [{ script: "orcs:shell-guard" }] } });
});
afterAll(() => Promise.all([orcs.close(), alone.close()]));
beforeEach(() => void (folder = makeTree("dirty")));
afterEach(() => vi.unstubAllEnvs());

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

async function runs(line: string, id = line): Promise<void> {
  expect(await judged(orcs, line, folder, id)).toBeUndefined();
  runLine(folder, line);
  await ended(orcs, line, folder, id);
}

function plan(isRedo = false): RestorePlan {
  const found = newestUndone(storeOf(folder), isRedo, [], true);
  if (!found) throw new Error("there is no point");
  return found;
}

describe("restoring", () => {
  test("undoes the calls from the newest to the oldest, and takes that back", async () => {
    const first = stateOf(folder);
    await runs("rm -rf src");
    const second = stateOf(folder);
    await runs("echo gone > README.md");
    const third = stateOf(folder);
    restore(storeOf(folder), plan(), "00000001");
    expect(differences(second, stateOf(folder))).toEqual([]);
    restore(storeOf(folder), plan(), "00000002");
    expect(differences(first, stateOf(folder))).toEqual([]);
    expect(newestUndone(storeOf(folder), false, [], true)).toBeUndefined();
    restore(storeOf(folder), plan(true), "00000003");
    restore(storeOf(folder), plan(true), "00000004");
    expect(differences(third, stateOf(folder))).toEqual([]);
    restore(storeOf(folder), plan(), "00000005");
    expect(differences(second, stateOf(folder))).toEqual([]);
  });

  test("passes over a call that was denied", async () => {
    await runs("rm notes.md");
    expect(await judged(orcs, "rm README.md; git push --force", folder, "denied")).toContain(
      "push",
    );
    write("README.md", "of a person\n");
    const { point } = plan();
    expect(point.call).toBe("rm notes.md");
  });

  test("has what a person wrote after a call that was denied, and after a restore", async () => {
    await judged(orcs, ": > README.md; git push --force", folder, "denied");
    write("README.md", "of a person\n");
    await runs(": > README.md");
    restore(storeOf(folder), plan(), "00000001");
    expect(read("README.md")).toBe("of a person\n");
    write("README.md", "again\n");
    await runs(": > README.md", "once more");
    restore(storeOf(folder), plan(), "00000002");
    expect(read("README.md")).toBe("again\n");
  });

  test("leaves alone what others changed, and keeps what both changed", async () => {
    await runs("git reset --hard");
    write("README.md", "of a person\n");
    write("src/a.ts", "of a person, too\n");
    const { beside } = restore(storeOf(folder), plan(), "00000001");
    expect(read("README.md")).toBe("of a person\n");
    expect(read("src/a.ts")).toContain("dirty");
    expect(beside).toEqual([join(folder, "src/a.ts.orcs-00000001")]);
    expect(read("src/a.ts.orcs-00000001")).toBe("of a person, too\n");
  });

  test("restores only what is wanted", async () => {
    await runs("rm README.md notes.md");
    const store = storeOf(folder);
    restore(store, planOf(store, plan().point, true, [join(folder, "notes.md")]), "00000001");
    expect([existsSync(join(folder, "notes.md")), existsSync(join(folder, "README.md"))]).toEqual([
      true,
      false,
    ]);
  });

  test("brings back the folders of what is wanted", async () => {
    await runs("rm -rf src");
    const store = storeOf(folder);
    const wanted = planOf(store, plan().point, true, [join(folder, "src/deep/c.ts")]);
    expect(restore(store, wanted, "00000001").failed).toEqual([]);
    expect(read("src/deep/c.ts")).toContain("dirty");
    expect(existsSync(join(folder, "src/a.ts"))).toBe(false);
  });

  test("that could not restore all is not done yet", async () => {
    await runs("rm README.md notes.md");
    mkdirSync(join(folder, "README.md"));
    write("README.md/other", "of a person\n");
    const { failed } = restore(storeOf(folder), plan(), "00000001");
    expect(failed).toMatchObject([{ path: join(folder, "README.md") }]);
    expect(existsSync(join(folder, "notes.md"))).toBe(true);
    rmSync(join(folder, "README.md"), { recursive: true });
    expect(restore(storeOf(folder), plan(), "00000002").failed).toEqual([]);
    expect(read("README.md")).toBe("# x\n");
    expect(newestUndone(storeOf(folder), false, [], true)).toBeUndefined();
  });

  test("knows the ended calls of points that an older orcs took", async () => {
    expect(await judged(orcs, "rm notes.md", folder, "refused by the agent")).toBeUndefined();
    await runs("rm README.md");
    const { isReported, ...older } = plan().point;
    expect(isReported).toBe(true);
    storeOf(folder).save(older);
    write("README.md", "# x\n");
    rmSync(join(folder, "notes.md"));
    expect(newestUndone(storeOf(folder), false, [], true)).toBeUndefined();
  });

  test("takes back no more than it has restored", async () => {
    await runs("rm README.md notes.md");
    const store = storeOf(folder);
    restore(store, planOf(store, plan().point, true, [join(folder, "notes.md")]), "00000001");
    write("README.md", "of a person\n");
    restore(store, plan(true), "00000002");
    expect(existsSync(join(folder, "notes.md"))).toBe(false);
    expect(read("README.md")).toBe("of a person\n");
  });

  test("that was taken back leaves no point", async () => {
    await runs("rm README.md");
    const store = storeOf(folder);
    const { point } = plan();
    store.save({ ...point, id: "0000000e", before: point.id });
    const journal = { point: point.id, undo: "0000000e", paths: [["README.md"]], isStaged: false };
    writeFileSync(join(store.folder, "journal.json"), JSON.stringify(journal));
    expect(recover(storeOf(folder))).toMatchObject({ id: point.id });
    expect(store.point("0000000e")).toBeUndefined();
  });

  test("follows no link that came later, and writes nothing outside of the project", async () => {
    await runs("echo gone > src/deep/c.ts");
    const outside = join(dirname(folder), "outside");
    mkdirSync(outside);
    renameSync(join(folder, "src/deep"), join(outside, "deep"));
    symlinkSync(join(outside, "deep"), join(folder, "src/deep"));
    const before = stateOf(outside);
    restore(storeOf(folder), plan(), "00000001");
    expect(differences(before, stateOf(outside))).toEqual([]);
    expect(read("src/deep/c.ts")).toContain("dirty");
  });

  test("finds what a call has changed whose end could not be looked at", async () => {
    expect(await judged(orcs, "rm notes.md", folder)).toBeUndefined();
    runLine(folder, "rm notes.md");
    rmSync(join(storeOf(folder).folder, "objects"), { recursive: true });
    write("README.md", "more\n");
    await ended(orcs, "rm notes.md", folder);
    expect(plan1()).toMatchObject({ isReported: true });
  });

  test("does not count a call of another session that is running as undone", async () => {
    await runs("rm notes.md");
    expect(await judged(orcs, "rm README.md", folder)).toBeUndefined();
    restore(storeOf(folder), plan(), "00000001");
    runLine(folder, "rm README.md");
    await ended(orcs, "rm README.md", folder);
    restore(storeOf(folder), plan(), "00000002");
    expect(existsSync(join(folder, "README.md"))).toBe(true);
  });

  test("does not look at folders that others have made since", async () => {
    await runs("git checkout -- src/a.ts");
    runLine(folder, "mkdir later && cd later && seq 100001 | xargs touch");
    expect(plan().changes.map(({ path }) => path)).toContain("src/a.ts");
  });

  test("is refused while git is running", async () => {
    await runs("git stash clear");
    write(".git/index.lock", "");
    const before = stateOf(folder);
    expect(() => restore(storeOf(folder), plan(), "00000001")).toThrow(/^ORCS5021: git is running/);
    expect(differences(before, stateOf(folder))).toEqual([]);
    expect(recover(storeOf(folder))).toBeUndefined();
  });

  test("changes nothing if a content is damaged", async () => {
    await runs("rm -rf src");
    const before = stateOf(folder);
    const found = plan();
    rmSync(join(storeOf(folder).folder, "objects"), { recursive: true });
    expect(() => restore(storeOf(folder), found, "00000001")).toThrow("ORCS5021");
    expect(differences(before, stateOf(folder))).toEqual([]);
  });

  test("does not mix two sessions in one folder", async () => {
    const lines = ["echo 1 > README.md", "rm src/a.ts", "rm notes.md", "git stash clear"];
    await Promise.all(lines.map((line) => judged(orcs, line, folder)));
    for (const line of lines) {
      runLine(folder, line);
      await ended(orcs, line, folder);
    }
    const after = stateOf(folder);
    const store = storeOf(folder);
    const point = store.points().find(({ call }) => call === "rm notes.md");
    if (!point) throw new Error("there is no point");
    restore(store, planOf(store, point, true), "00000001");
    expect(differences(after, stateOf(folder))).toEqual(["notes.md"]);
  });
});

describe("a point", () => {
  test("runs nothing that a hostile repository names", async () => {
    const canary = join(folder, "canary");
    const run = (...args: string[]): void => void execFileSync("git", args, { cwd: folder });
    for (const name of [
      "core.fsmonitor",
      "core.pager",
      "filter.x.clean",
      "filter.x.smudge",
      "core.sshCommand",
    ])
      run("config", name, `touch ${canary}`);
    mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    for (const name of ["post-checkout", "post-index-change", "pre-commit"])
      writeFileSync(join(folder, ".git/hooks", name), `#!/bin/sh\ntouch ${canary}\n`, {
        mode: 0o755,
      });
    write(".gitattributes", "* filter=x\n");
    expect(await judged(orcs, "git reset --hard", folder)).toBeUndefined();
    restore(storeOf(folder), planOf(storeOf(folder), plan1(), true), "00000001");
    expect(existsSync(canary)).toBe(false);
  });

  test.each([
    ["a corrupt index", () => write(".git/index", "DIRC no index")],
    ["no index", () => rmSync(join(folder, ".git/index"))],
    [
      "a pipe for .gitignore",
      () => (
        rmSync(join(folder, ".gitignore")),
        execFileSync("mkfifo", [join(folder, ".gitignore")])
      ),
    ],
  ])("is complete with %s", async (_, breaks) => {
    breaks();
    expect(await judged(orcs, "git checkout -- src/a.ts", folder)).toBeUndefined();
  });

  test.each([
    ["a folder that cannot be written", { days: 7 }, "no undo point|could not give it back"],
    ["a call that is too large", { point_mb: 0.000001 }, "is too large|more than"],
    ["a full project", { project_mb: 0.000001 }, "all the space"],
  ])(
    "that fails for %s changes no verdict, and the denial says why",
    async (what, options, why) => {
      if (what.startsWith("a folder")) vi.stubEnv("ORCS_STATE_HOME", join(folder, "README.md"));
      const hooks = [{ script: "orcs:undo", options }, { script: "orcs:shell-guard" }];
      const small = await createOrcs({ config: { hooks } });
      const denied = await judged(small, "git checkout -- src/a.ts", folder);
      expect(denied).toMatch(/^shell-guard \(git\.checkout-files\)/);
      expect(denied).toMatch(
        new RegExp(`orcs undo could not give it back: .*(?:${why}|ENOTDIR|not a directory)`),
      );
      expect(await judged(small, "rm src/a.ts", folder)).toBeUndefined();
      await small.close();
    },
  );

  // A line that is judged and not run changes nothing: one folder does for all.
  test("does not change the verdict where the line may lose more than it has", async () => {
    const wrong: string[] = [];
    for (const line of [
      "rm -rf .git",
      "git push --force",
      "git gc --prune=now",
      "git reset --hard && git push -f",
      "git -C /etc checkout -- x",
      "git checkout -- src/a.ts; rm -rf /etc",
      "git --git-dir=/srv/x/.git checkout -- src/a.ts",
      "GIT_WORK_TREE=/srv git reset --hard",
      "ssh host git reset --hard",
      'cd "$X" && git reset --hard',
      "ln -s /srv/other l; cd l; git reset --hard",
      "sleep 2; git checkout -- src/a.ts",
      "read -r X; git checkout -- src/a.ts",
      "git checkout -- src/a.ts &",
      "(git reset --hard) & ls",
      "export GIT_WORK''_TREE=/srv; git checkout -f",
      ". ./env.sh; git reset --hard",
      "git -C ../other branch -D old",
      "git -C. branch -D old",
      "git -C $X -C src branch -D old",
      "ln -sfn /srv/other src; git -C src branch -D old",
      "git checkout -f other && rm -rf docs/x",
      `rm src/a.ts; python3 -c "import os; os.chdir('/srv'); os.system('git reset --hard')"`,
      "find -L . -name '*.ts' -delete",
      "git reflog expire --expire=now --all",
      "sudo -i git reset --hard",
      "su - u -c 'git reset --hard'",
      "uv run --directory /srv git reset --hard",
      "pnpm -C /srv exec git reset --hard",
      "uv run --directory /srv find . -name '*.ts' -delete",
      "git -c include.path=/tmp/c reset --hard",
      "git --exec-path=/tmp/x reset --hard",
      "CDPATH=/srv cd repo && git reset --hard",
      "coproc git reset --hard",
      "watchexec true; git reset --hard",
      "systemd-run true; git checkout -- src/a.ts",
      "Rscript x.r; git checkout -- src/a.ts",
      "git checkout -- src/a.ts; python3 -c \"import os; os.system('git reset --hard')\"",
      "for i in 1 2; do git checkout -- src/a.ts; python3 x.py; done",
      "(sleep 1; git checkout -- src/a.ts) | python3 x.py",
      "(seq 9999999 > x; git checkout -- src/a.ts) | (true; python3 x.py)",
      "f() { git checkout -- src/a.ts; }; python3 x.py; f",
      "vim -c 'cd /srv' -c '!git reset --hard' x; git stash clear",
      "mkdir l; cd l && git reset --hard",
      "git checkout other; cd src; git reset --hard",
      "git checkout other && find src/ -name '*.ts' -delete",
      "tar xf x.tar && cd src && git reset --hard",
    ]) {
      const [before, now] = [await judged(alone, line, folder), await judged(orcs, line, folder)];
      if (before === undefined || !now?.startsWith("shell-guard")) wrong.push(line);
    }
    expect(wrong).toEqual([]);
  });

  test("lets a line pass of which it has everything", async () => {
    const denied: string[] = [];
    for (const line of [
      "cd src && git checkout -- a.ts",
      "git checkout . && git status",
      "git -C src checkout -- a.ts",
      "git reset --hard && rm -rf docs",
      "bash -c 'git reset --hard'",
      "time env A=1 git --no-pager -c user.name=x reset --hard",
      "for f in src/a.ts; do git checkout -- $f; done",
      'git checkout -- "$(echo src/a.ts)"',
      "git checkout README.md && rm -f src/b.ts && cd src && ls && git status",
      "cd src && git stash -q && git reset --hard",
      "git checkout src/a.ts && sed -i s/o/x/ src/a.ts && python3 fix.py",
      "cat > fix.py <<'E'\nfor line in open('x'): print(line)\nE\ngit checkout src/a.ts && python3 fix.py",
      // What lies there counts for nothing, even if it cannot be looked at: no system has so long a name.
      `git reset --hard && echo done > /tmp/${"a".repeat(300)}`,
    ]) {
      const reason = await judged(orcs, line, folder);
      if (reason !== undefined) denied.push(`${line}: ${reason}`);
    }
    expect(denied).toEqual([]);
  });

  test.each([
    [
      "names another work tree behind its section",
      () => append("config", "[core] worktree = /srv"),
    ],
    ["names one in its own settings", () => append("config.worktree", "[core]\n\tworktree = /srv")],
    ["includes settings", () => append("config", "[include]\n\tpath = /srv/config")],
    ["has its references elsewhere", () => append("commondir", "/srv/.git")],
    [
      "has a submodule elsewhere",
      () => {
        mkdirSync(join(folder, ".git/modules/libs/sub"), { recursive: true });
        append("modules/libs/sub/HEAD", "ref: refs/heads/main");
        append("modules/libs/sub/config", "[core]\n\tworktree = ../../../../../other");
      },
    ],
    ["is not the one of the environment", () => vi.stubEnv("GIT_DIR", "/srv/x/.git")],
    [
      "has links between its files",
      () => {
        renameSync(join(folder, ".git/refs"), join(folder, "../refs"));
        symlinkSync("../../refs", join(folder, ".git/refs"));
      },
    ],
  ])("of a repository that %s is none", async (_, plants) => {
    plants();
    expect(await judged(orcs, "git reset --hard", folder)).toMatch(/could not give it back/);
  });
  const append = (name: string, text: string): void =>
    appendFileSync(join(folder, ".git", name), `${text}\n`);

  test("has what git ignores and is not made by a build", async () => {
    const git = (line: string): void => runLine(folder, line);
    git(
      "git stash -q; git checkout -q -b other; mkdir local; echo theirs > local/x; git add -f local",
    );
    git(
      "git commit -qm local; git checkout -q main; mkdir local; echo mine > local/x; echo local >> .gitignore",
    );
    await runs("git checkout -f other");
    expect(read("local/x")).toBe("theirs\n");
    restore(storeOf(folder), plan(), "00000001");
    expect(read("local/x")).toBe("mine\n");
  });

  test("of a file with several names is not complete", async () => {
    linkSync(join(folder, "README.md"), join(folder, "other.md"));
    await runs("echo gone > README.md");
    expect(plan().point.missing).toMatch(/has other names/);
  });

  test("stays when an agent counts its calls from the start again", async () => {
    await runs("rm README.md", "1");
    await runs("rm notes.md", "1");
    restore(storeOf(folder), plan(), "00000001");
    restore(storeOf(folder), plan(), "00000002");
    expect([existsSync(join(folder, "notes.md")), existsSync(join(folder, "README.md"))]).toEqual([
      true,
      true,
    ]);
  });

  test("keeps all that it has when others are removed", async () => {
    // Of so many files, a later list has only what differs from an earlier one.
    for (let n = 0; n < 50; n++) write(`file-${n}`, `${n}`);
    const before = stateOf(folder);
    await runs("git checkout -- src/a.ts");
    await runs("git checkout -- src/deep/c.ts");
    const store = storeOf(folder);
    store.save({ ...plan1(), id: "0000000f", session: "old", at: 0 });
    store.prune(7, true, Date.now() + 7_200_000);
    expect(store.points()).toHaveLength(2);
    restore(store, plan(), "00000001");
    restore(store, plan(), "00000002");
    expect(differences(before, stateOf(folder))).toEqual([]);
  });

  test("is found although a repository was made above its project", async () => {
    await runs("rm README.md");
    mkdirSync(join(dirname(folder), ".git"));
    expect(storeOf(folder).points()).toHaveLength(1);
  });

  test("is no point of a command that another hook wrote", async () => {
    const rewriting = await createOrcs({
      config: { hooks: [{ script: "orcs:undo" }, { script: "orcs:shell-guard", priority: 20 }] },
      hooks: [
        {
          point: "tool.pre_execute",
          priority: 15,
          handler: (ctx) =>
            void ((ctx.payload["args"] as { command: string }).command =
              "git -C /etc reset --hard"),
        },
      ],
    });
    expect(await judged(rewriting, "git reset --hard", folder)).toContain("git.reset-hard");
    await rewriting.close();
  });

  test("has no secrets of the call", async () => {
    await runs("echo ghp_0123456789abcdefghijklmnopqrstuvwxyz > README.md", "1");
    expect(JSON.stringify(storeOf(folder).points())).not.toContain("ghp_0123");
  });

  test("can be taken by a hook in TypeScript", async () => {
    const answers: unknown[] = [];
    const own = await createOrcs({
      config: false,
      hooks: [
        {
          point: "prompt.pre_submit",
          handler: async (_, scope) => void answers.push(await scope.snapshot?.("before")),
        },
      ],
    });
    await own.dispatch("prompt.pre_submit", { prompt: "x", cwd: folder });
    expect(answers).toEqual([
      { ok: true, id: expect.stringMatching(/^[\da-f]{8}$/), complete: true },
    ]);
    expect(storeOf(folder).points()[0]).toMatchObject({ reason: "before" });
    await own.close();
  });
});

function plan1() {
  const [point] = storeOf(folder).points();
  if (!point) throw new Error("there is no point");
  return point;
}
