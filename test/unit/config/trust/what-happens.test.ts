import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import { projectFor, revoke } from "../../../../src/config/trust/inspect-project.ts";
import { UserConfiguration } from "../../../../src/config/trust/user-configuration.ts";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { found, git, home, hook, outcomeOf, PATIENT, says, saying, trustIt } from "./rig.ts";

// Each row of the table in docs/explanation/trust.md is a test here, by the words of its first column.

const FILES: Readonly<Record<string, string>> = {
  "orcs.toml": `${hook("h", 'script = "h.lua"')}${PATIENT}`,
  "hooks/h.lua": saying("trusted"),
  "sub/x": "",
};

type Home = ReturnType<typeof home>;

/** What becomes of a call, in an engine that begins now. */
async function now(dir: string, options: CreateOrcsOptions = {}): Promise<unknown> {
  const { orcs } = await found(dir, options);
  return outcomeOf(orcs);
}

/** That the set that was trusted is active, and that the difference is reported. */
async function expectSealed(dir: string, differs: string): Promise<void> {
  const { orcs, lines } = await found(dir);
  expect(await outcomeOf(orcs)).toBe("trusted");
  expect(orcs.notices.map(({ text }) => text).join("\n")).toContain(differs);
  expect(lines.join("\n")).toContain(differs);
}

/** That nothing is loaded, for which reason whoever asks for a decision is denied. */
async function expectDenied(dir: string, code: string): Promise<void> {
  expect((await errorOf(found(dir))).code).toBe(code);
}

async function trusted(files: Readonly<Record<string, string>> = FILES): Promise<string> {
  const dir = folder(files);
  await trustIt(dir);
  return dir;
}

/** A repository with a set that is trusted on its branch `main`. */
async function repository(): Promise<string> {
  const dir = folder(FILES);
  git(dir, "init", "-q", "-b", "main");
  git(dir, "add", ".");
  git(dir, "commit", "-qm", "one");
  await trustIt(dir);
  return dir;
}

function commit(dir: string, script: string): void {
  writeFileSync(join(dir, "hooks/h.lua"), saying(script));
  git(dir, "commit", "-qam", script);
}

/** The user's own configuration, and that it was active. */
async function userConfiguration({ userDir }: Home): Promise<string> {
  mkdirSync(join(userDir, "hooks"), { recursive: true });
  writeFileSync(join(userDir, "orcs.toml"), FILES["orcs.toml"] ?? "");
  writeFileSync(join(userDir, "hooks/h.lua"), saying("trusted"));
  const elsewhere = folder();
  expect(await now(elsewhere)).toBe("trusted");
  return elsewhere;
}

const sealsOf = ({ store }: Home): string[] =>
  readdirSync(store.sealsDir)
    .filter((name) => !name.startsWith("."))
    .map((name) => join(store.sealsDir, name));

/** A change of a folder after which its trusted set is active, and what is reported. */
const changed =
  (file: string, change: (path: string) => void): (() => Promise<void>) =>
  async () => {
    const dir = await trusted();
    change(join(dir, file));
    await expectSealed(dir, `changed since then: ${file}`);
  };
const instead =
  (make: (path: string) => void) =>
  (path: string): void => {
    rmSync(path);
    make(path);
  };

const CASES: Readonly<Record<string, (at: Home) => Promise<void>>> = {
  "one byte of a script changes": changed("hooks/h.lua", (path) =>
    writeFileSync(path, `${saying("trusted")} `),
  ),
  "a script is deleted": changed("hooks/h.lua", (path) =>
    rmSync(dirname(path), { recursive: true }),
  ),
  "`orcs.toml` is moved away or deleted": changed("orcs.toml", (path) =>
    renameSync(path, `${path}x`),
  ),
  "`orcs.toml` is emptied": changed("orcs.toml", (path) => writeFileSync(path, "")),
  "`orcs.toml` has errors": changed("orcs.toml", (path) => writeFileSync(path, "[[hooks\n")),
  "`orcs.toml` is a broken link": changed(
    "orcs.toml",
    instead((path) => symlinkSync("nowhere", path)),
  ),
  "`orcs.toml` cannot be read": changed(
    "orcs.toml",
    instead((path) => mkdirSync(path)),
  ),
  "`orcs.toml` becomes a gigabyte": changed("orcs.toml", (path) => truncateSync(path, 2 ** 30)),
  "an `orcs.local.toml` appears": changed("orcs.local.toml", (path) =>
    writeFileSync(path, hook("h", says("local"))),
  ),
  "an `orcs.toml` appears in a folder below": async () => {
    const dir = await trusted();
    writeFileSync(join(dir, "sub/orcs.toml"), "");
    await expectSealed(join(dir, "sub"), `the hooks of ${join(dir, "sub")} are inactive`);
  },
  "a hook adds a file to the folder that no hook names": async () => {
    const dir = await trusted();
    writeFileSync(join(dir, "hooks/other.lua"), saying("other"));
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("trusted");
    expect(orcs.notices).toEqual([]);
  },
  "the script of a command is replaced, or loses its mode": async () => {
    const answer = (why: string): string =>
      `#!/bin/sh\nprintf '{"action":"abort","reason":"${why}"}'\n`;
    const dir = folder({
      "orcs.toml": hook("h", 'shell = "./check.sh"'),
      "check.sh": answer("trusted"),
    });
    chmodSync(join(dir, "check.sh"), 0o755);
    await trustIt(dir);
    writeFileSync(join(dir, "check.sh"), answer("evil"));
    await expectSealed(dir, "changed since then: check.sh");
    chmodSync(join(dir, "check.sh"), 0o600);
    expect(await now(dir)).toBe("trusted");
  },
  "a JavaScript module is replaced": async () => {
    const answer = (why: string): string =>
      `export default () => ({ action: "abort", reason: "${why}" });\n`;
    const dir = await trusted({
      "orcs.toml": hook("h", 'module = "./m.mjs"'),
      "m.mjs": answer("trusted"),
    });
    writeFileSync(join(dir, "m.mjs"), answer("evil"));
    await expectSealed(dir, "changed since then: m.mjs");
  },
  "the folder is deleted while an agent works in it": async () => {
    const dir = await trusted();
    rmSync(dir, { recursive: true });
    await expectSealed(dir, "changed since then: hooks/h.lua");
  },
  "`.git` is removed or moved": async () => {
    const dir = await repository();
    renameSync(join(dir, ".git"), join(dir, "git"));
    expect(await now(dir)).toBe("trusted");
    expect(await now(join(dir, "sub"))).toBe("trusted");
  },
  "`git init` makes a repository of the folder, or of one below": async () => {
    const dir = await trusted();
    git(dir, "init", "-q");
    git(join(dir, "sub"), "init", "-q");
    expect(await now(dir)).toBe("trusted");
    expect(await now(join(dir, "sub"))).toBe("trusted");
  },
  "`git stash -u`, `git clean` or `git reset` takes the files away": async () => {
    const dir = await repository();
    git(dir, "rm", "-rq", "--cached", ".");
    git(dir, "commit", "-qm", "none");
    git(dir, "stash", "-uq");
    await expectSealed(dir, "changed since then: hooks/h.lua, orcs.toml");
  },
  "a worktree is made (`claude --worktree`)": async () => {
    const dir = await repository();
    const tree = join(folder(), "tree");
    git(dir, "worktree", "add", "-q", tree);
    expect(await now(tree)).toBe("trusted");
    // Of another state of the repository, too: it begins with what the main worktree runs.
    const bare = join(folder(), "bare");
    git(dir, "worktree", "add", "-q", "--no-checkout", bare);
    expect(await now(bare)).toBe("trusted");
  },
  "a worktree contains no trusted set": async () => {
    const dir = await repository();
    const tree = join(folder(), "tree");
    git(dir, "worktree", "add", "-q", tree);
    expect(await now(tree)).toBe("trusted");
    commit(dir, "newer");
    await trustIt(dir);
    // What it ran last is superseded, and it holds that alone: it runs what the main worktree does.
    expect(await now(tree)).toBe("newer");
    git(tree, "checkout", "-q", "-b", "side");
    commit(tree, "side");
    await trustIt(tree);
    writeFileSync(join(tree, "hooks/h.lua"), saying("evil"));
    expect(await now(tree)).toBe("side");
    expect(await now(dir)).toBe("newer");
  },
  "a branch with another trusted set is checked out": async () => {
    const dir = await repository();
    git(dir, "checkout", "-q", "-b", "other");
    commit(dir, "other");
    await trustIt(dir);
    expect(await now(dir)).toBe("other");
    git(dir, "checkout", "-q", "main");
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("trusted");
    expect(orcs.notices).toEqual([]);
    git(dir, "checkout", "-q", "other");
    expect(await now(dir)).toBe("other");
  },
  "a commit is checked out whose set was superseded": async () => {
    const dir = await repository();
    commit(dir, "newer");
    await trustIt(dir);
    git(dir, "checkout", "-q", "HEAD~1");
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("newer");
    expect(orcs.notice?.text).toContain("changed since then: hooks/h.lua");
  },
  "the repository is cloned": async () => {
    const dir = await repository();
    const clone = join(folder(), "clone");
    git(dir, "clone", "-q", dir, clone);
    expect(await now(clone)).toBeUndefined();
    expect((await errorOf(createOrcs({ cwd: clone }))).code).toBe("ORCS8001");
  },
  "the folder is copied or moved": async () => {
    const dir = await repository();
    const copy = join(folder(), "copy");
    cpSync(dir, copy, { recursive: true });
    expect(await now(copy)).toBeUndefined();
    // A folder that says it is a worktree of the repository is none for that.
    rmSync(join(copy, ".git"), { recursive: true });
    writeFileSync(join(copy, ".git"), `gitdir: ${join(dir, ".git")}\n`);
    expect(await now(copy)).toBeUndefined();
  },
  "`orcs trust` is run for the new state": async () => {
    const dir = await trusted();
    writeFileSync(join(dir, "hooks/h.lua"), saying("newer"));
    expect(await now(dir)).toBe("trusted");
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("newer");
    expect(orcs.notices).toEqual([]);
  },
  "`orcs trust --revoke`": async ({ store }) => {
    const dir = await trusted();
    const project = projectFor(dir, store);
    expect(project && revoke(project, store)).toBe(true);
    expect(await now(dir)).toBeUndefined();
  },
  "a file of the sealed copy is changed": async (at) => {
    const dir = await trusted();
    for (const seal of sealsOf(at)) writeFileSync(join(seal, "files/hooks/h.lua"), saying("evil"));
    await expectDenied(dir, "ORCS8010");
  },
  "the same, for the script of a command, while a service is running": async (at) => {
    const dir = folder({
      "orcs.toml": hook("h", 'shell = "./check.sh"'),
      "check.sh": `#!/bin/sh\nprintf '{"action":"abort","reason":"trusted"}'\n`,
    });
    chmodSync(join(dir, "check.sh"), 0o755);
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("trusted");
    for (const seal of sealsOf(at)) writeFileSync(join(seal, "files/check.sh"), "#!/bin/sh\n");
    expect(await outcomeOf(orcs)).toContain("ORCS8010");
  },
  "the sealed copy is deleted": async (at) => {
    const dir = await trusted();
    for (const seal of sealsOf(at)) rmSync(seal, { recursive: true });
    await expectDenied(dir, "ORCS8010");
    await trustIt(dir);
    expect(await now(dir)).toBe("trusted");
  },
  "the trust store is deleted": async ({ store }) => {
    const dir = await trusted();
    rmSync(store.path);
    await expectDenied(dir, "ORCS8002");
  },
  "the trust store is damaged, or open to others": async ({ store }) => {
    const dir = await trusted();
    const text = readFileSync(store.path);
    writeFileSync(store.path, "{");
    await expectDenied(dir, "ORCS8002");
    writeFileSync(store.path, text);
    chmodSync(store.path, 0o644);
    await expectDenied(dir, "ORCS8002");
  },
  "an untrusted project is discovered": async () => {
    const dir = folder(FILES);
    const { orcs, lines } = await found(dir);
    expect(await outcomeOf(orcs)).toBeUndefined();
    expect(orcs.notice?.text).toContain("are inactive because they are not trusted");
    expect(lines.join("\n")).toContain("ORCS8001");
    expect((await errorOf(createOrcs({ cwd: dir }))).code).toBe("ORCS8001");
  },
  "the same, with `--strict`, `ORCS_UNTRUSTED=deny` or `[trust] untrusted`": async ({
    userDir,
  }) => {
    const dir = folder(FILES);
    expect(await now(dir, { untrusted: "deny" })).toContain(`see: orcs trust ${dir}`);
    mkdirSync(userDir, { recursive: true });
    writeFileSync(join(userDir, "orcs.toml"), '[trust]\nuntrusted = "deny"\n');
    expect(await now(dir)).toContain("it is not in the trust store");
    // A project says nothing of it, and where a set is trusted, nothing is denied for a difference.
    await trustIt(dir);
    writeFileSync(join(dir, "orcs.toml"), '[trust]\nuntrusted = "warn"\n');
    expect(await now(dir)).toBe("trusted");
  },
  "your own `orcs.toml` is saved with an edit that loads": async (at) => {
    const elsewhere = await userConfiguration(at);
    writeFileSync(join(at.userDir, "hooks/h.lua"), saying("edited"));
    const { orcs } = await found(elsewhere);
    expect(await outcomeOf(orcs)).toBe("edited");
    expect(orcs.notices).toEqual([]);
  },
  "your own `orcs.toml` is missing, or a broken link": async (at) => {
    const elsewhere = await userConfiguration(at);
    rmSync(at.userDir, { recursive: true });
    await expectSealed(elsewhere, "is missing: the version of your hooks from");
    mkdirSync(at.userDir);
    symlinkSync("nowhere", join(at.userDir, "orcs.toml"));
    await expectSealed(elsewhere, "is missing: the version of your hooks from");
  },
  "your own `orcs.toml` has errors, or cannot be read": async (at) => {
    const elsewhere = await userConfiguration(at);
    writeFileSync(join(at.userDir, "orcs.toml"), "[[hooks\n");
    await expectSealed(elsewhere, "has errors: the version of your hooks from");
    rmSync(join(at.userDir, "orcs.toml"));
    mkdirSync(join(at.userDir, "orcs.toml"));
    await expectSealed(elsewhere, "has errors: the version of your hooks from");
  },
  "a script of your own has an error, or is gone": async (at) => {
    const elsewhere = await userConfiguration(at);
    writeFileSync(join(at.userDir, "hooks/h.lua"), "return (");
    await expectSealed(elsewhere, "has errors: the version of your hooks from");
    rmSync(join(at.userDir, "hooks/h.lua"));
    await expectSealed(elsewhere, "has errors: the version of your hooks from");
  },
  "a file outside its folder that your own `orcs.toml` names is gone": async ({ userDir }) => {
    const shared = join(userDir, "../shared");
    const toml = `[scripts]\ndirs = ["../shared"]\n${hook("h", 'script = "h.lua"')}${PATIENT}`;
    for (const dir of [userDir, shared]) mkdirSync(dir, { recursive: true });
    writeFileSync(join(userDir, "orcs.toml"), toml);
    writeFileSync(join(shared, "h.lua"), saying("trusted"));
    const elsewhere = folder();
    expect(await now(elsewhere)).toBe("trusted");
    rmSync(shared, { recursive: true });
    await expectSealed(elsewhere, "has errors: the version of your hooks from");
  },
  "`orcs trust --user`": async (at) => {
    const elsewhere = await userConfiguration(at);
    rmSync(at.userDir, { recursive: true });
    expect(await new UserConfiguration(at.userDir, at.store).accept()).toBe("gone");
    const { orcs } = await found(elsewhere);
    expect(await outcomeOf(orcs)).toBeUndefined();
    expect(orcs.notices).toEqual([]);
  },
  "a folder is dev-trusted": async () => {
    const dir = folder(FILES);
    await trustIt(dir, true);
    writeFileSync(join(dir, "hooks/h.lua"), saying("saved"));
    const { orcs, lines } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("saved");
    expect(lines.join("\n")).toContain("is dev-trusted");
  },

  "the folder becomes a repository, and a worktree of it is made elsewhere": async () => {
    const dir = await trusted();
    git(dir, "init", "-q", "-b", "main");
    git(dir, "add", ".");
    git(dir, "commit", "-qm", "one");
    const other = join(folder(), "w");
    git(dir, "worktree", "add", "-q", other, "-b", "other");
    expect(await now(other)).toBe("trusted");
  },
  "a link to your own `orcs.toml` is created in a folder below": async ({ userDir }: Home) => {
    const dir = await trusted();
    mkdirSync(userDir, { recursive: true });
    writeFileSync(join(userDir, "orcs.toml"), "");
    symlinkSync(join(userDir, "orcs.toml"), join(dir, "sub/orcs.toml"));
    expect(await now(join(dir, "sub"))).toBe("trusted");
  },
  "a `.git` link claims that a folder belongs to a trusted repository": async () => {
    const dir = await repository();
    const other = folder(FILES);
    symlinkSync(join(dir, ".git"), join(other, ".git"));
    expect(await now(other)).toBeUndefined();
  },
  "the trust store is moved into the project, with a link in its place": async ({
    store,
  }: Home) => {
    const dir = await trusted();
    const state = dirname(store.path);
    renameSync(state, join(dir, "state"));
    symlinkSync(join(dir, "state"), state);
    await expectDenied(dir, "ORCS8002");
  },
};

test.each(Object.keys(CASES))('docs/explanation/trust.md, "What happens when" %s', async (name) => {
  await CASES[name]?.(home());
});

test("each row of the table in docs/explanation/trust.md has a test, and vice versa", () => {
  const page = readFileSync(
    new URL("../../../../docs/explanation/trust.md", import.meta.url),
    "utf8",
  );
  const [, table = ""] = page.split("## What happens when\n");
  const rows = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| (.+?) \| /gm)].map(
    ([, row]) => row,
  );
  const named = rows.slice(1).filter((row) => !/^-+$/.test(row ?? ""));
  expect(new Set(named)).toEqual(new Set(Object.keys(CASES)));
  expect(named.length).toBe(new Set(named).size);
});
