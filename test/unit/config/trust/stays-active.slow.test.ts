import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configPlace } from "../../../../src/config/trust/config-place.ts";
import { projectFor, revoke, trust } from "../../../../src/config/trust/inspect-project.ts";
import { TrustStore } from "../../../../src/config/trust/trust-store.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { found, git, home, hook, look, outcomeOf, PATIENT, says, saying, trustIt } from "./rig.ts";

// Ways by which a set that was trusted was inactive, or another one ran, without anybody having said so.

const FILES = {
  "orcs.toml": `${hook("h", 'script = "h.lua"')}${PATIENT}`,
  "hooks/h.lua": saying("trusted"),
};

async function now(dir: string): Promise<unknown> {
  return outcomeOf((await found(dir)).orcs);
}

async function trusted(): Promise<string> {
  const dir = folder(FILES);
  await trustIt(dir);
  return dir;
}

function repository(dir: string): string {
  git(dir, "init", "-q", "-b", "main");
  git(dir, "add", ".");
  git(dir, "commit", "-qm", "one");
  return dir;
}

function worktree(dir: string, ...args: string[]): string {
  const at = join(folder(), "w");
  git(dir, "worktree", "add", "-q", at, ...args);
  return at;
}

describe("finding a trusted project", () => {
  test("works when the user's configuration folder is inside the project", async () => {
    const { userDir } = home();
    const dir = await trusted();
    mkdirSync(join(dir, "orcs"));
    writeFileSync(join(dir, "orcs/orcs.toml"), "");
    mkdirSync(join(userDir, ".."), { recursive: true });
    symlinkSync(join(dir, "orcs"), userDir);
    expect(await now(dir)).toBe("trusted");
    // There itself are the user's own hooks, and no others.
    expect(await now(join(dir, "orcs"))).toBeUndefined();
  });

  test("works when its folder was deleted and is reached by a symlink", async () => {
    home();
    const around = folder();
    mkdirSync(join(around, "real"));
    cpSync(folder(FILES), join(around, "real/p"), { recursive: true });
    await trustIt(join(around, "real/p"));
    symlinkSync("real", join(around, "link"));
    rmSync(join(around, "real/p"), { recursive: true });
    expect(await now(join(around, "link/p"))).toBe("trusted");
  });

  test("reports a file in place of the folder", async () => {
    home();
    const dir = await trusted();
    rmSync(dir, { recursive: true });
    writeFileSync(dir, "");
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("trusted");
    expect(orcs.notices.map(({ text }) => text).join()).toContain(
      "changed since then: hooks/h.lua, orcs.toml",
    );
  });

  test("a notice lists each untrusted configuration on the way", async () => {
    home();
    const dir = await trusted();
    mkdirSync(join(dir, "sub/below"), { recursive: true });
    writeFileSync(join(dir, "sub/orcs.toml"), "");
    expect(configPlace(join(dir, "sub/below"), undefined)).toMatchObject({
      directory: dir,
      nearer: join(dir, "sub"),
    });
  });
});

describe("a dev-trusted folder", () => {
  test("does not include other worktrees of the repository", async () => {
    home();
    const dir = repository(folder({ "orcs.toml": hook("h", says("mine")) + PATIENT }));
    await trustIt(dir, true);
    const review = worktree(dir, "-b", "theirs");
    writeFileSync(join(review, "orcs.toml"), hook("h", says("theirs")) + PATIENT);
    expect([await now(dir), await now(review)]).toEqual(["mine", undefined]);
  });

  test("without a configuration has a notice", async () => {
    home();
    const dir = folder(FILES);
    await trustIt(dir, true);
    rmSync(join(dir, "orcs.toml"));
    const { orcs } = await found(dir);
    expect(orcs.notices.map(({ text }) => text).join()).toContain("no longer has a configuration");
  });

  test("a missing trust store with only dev trust is ORCS8002", async () => {
    const { store } = home();
    await trustIt(folder(FILES), true);
    rmSync(store.path);
    expect((await errorOf(found(folder(FILES)))).code).toBe("ORCS8002");
  });
});

describe("revoking trust", () => {
  test("of a subfolder with its own configuration does not revoke the project around it", async () => {
    const { store } = home();
    const dir = await trusted();
    mkdirSync(join(dir, "sub"));
    writeFileSync(join(dir, "sub/orcs.toml"), "");
    const below = projectFor(join(dir, "sub"), store);
    expect(below).toMatchObject({ directory: join(dir, "sub"), decision: undefined });
    expect(await now(dir)).toBe("trusted");
  });

  test("while a prompt is open is not undone by the answer", async () => {
    const { store } = home();
    const dir = repository(folder(FILES));
    await trustIt(dir);
    git(dir, "checkout", "-qb", "other");
    writeFileSync(join(dir, "hooks/h.lua"), saying("other"));
    const seen = await look(dir);
    const project = projectFor(dir, store);
    expect(project && revoke(project, store)).toBe(true);
    trust(seen, new TrustStore(), false);
    git(dir, "checkout", "-qf", "main");
    expect(await now(dir)).toBe("other");
  });

  test("also covers what was trusted before git init", async () => {
    const { store } = home();
    const dir = await trusted();
    repository(dir);
    const other = worktree(dir, "-b", "other");
    await trustIt(other);
    const project = projectFor(dir, store);
    expect(project && revoke(project, store)).toBe(true);
    expect([await now(dir), await now(other)]).toEqual([undefined, undefined]);
  });

  test("a newly created repository does not inherit trust from the previous one", async () => {
    home();
    const dir = repository(folder(FILES));
    await trustIt(dir);
    rmSync(join(dir, ".git"), { recursive: true });
    writeFileSync(join(dir, "hooks/h.lua"), saying("second"));
    await trustIt(dir);
    repository(dir);
    writeFileSync(join(dir, "hooks/h.lua"), saying("trusted"));
    expect(await now(dir)).toBe("second");
  });
});

describe("trust in repositories", () => {
  test("another repository in place of a worktree does not inherit trust", async () => {
    home();
    const dir = repository(folder(FILES));
    const other = worktree(dir, "-b", "other");
    await trustIt(other);
    rmSync(other, { recursive: true });
    git(dir, "worktree", "prune");
    cpSync(folder({ "orcs.toml": hook("h", says("second")) + PATIENT }), other, {
      recursive: true,
    });
    repository(other);
    await trustIt(other);
    expect([await now(dir), await now(other)]).toEqual(["trusted", "second"]);
  });

  test("modules find packages in the main worktree", async () => {
    home();
    const dir = folder({
      "orcs.toml": `${hook("h", 'module = "./m.mjs"')}${PATIENT}`,
      "m.mjs":
        'import { said } from "pkg";\nexport default (ctx) => { ctx.metadata.said = said; };\n',
      ".gitignore": "node_modules\n",
      "node_modules/pkg/package.json": '{"name":"pkg","type":"module","exports":"./index.js"}',
      "node_modules/pkg/index.js": 'export const said = "main";\n',
    });
    repository(dir);
    await trustIt(dir);
    const other = worktree(dir, "-b", "other");
    cpSync(join(dir, "node_modules"), join(other, "node_modules"), { recursive: true });
    writeFileSync(join(other, "node_modules/pkg/index.js"), 'export const said = "other";\n');
    expect(await now(other)).toBe("main");
    expect(await now(dir)).toBe("main");
  });
});

describe("the trust store", () => {
  test.each([false, true])("inside a project prevents trusting it (dev: %s)", async (dev) => {
    const { dir: state, store } = home();
    writeFileSync(join(state, "orcs.toml"), FILES["orcs.toml"]);
    mkdirSync(join(state, "hooks"));
    writeFileSync(join(state, "hooks/h.lua"), FILES["hooks/h.lua"]);
    expect((await errorOf(trustIt(state, dev))).code).toBe("ORCS8002");
    expect(store.all().projects.size).toBe(0);
    expect(await now(state)).toBeUndefined();
  });
});

describe("the user's own sealed configuration stays active when", () => {
  test.each(["orcs.toml", "hooks"])("%s is a symlink elsewhere that then dangles", async (name) => {
    const { userDir } = home();
    const dotfiles = folder(FILES);
    mkdirSync(userDir, { recursive: true });
    cpSync(dotfiles, userDir, { recursive: true });
    rmSync(join(userDir, name), { recursive: true });
    symlinkSync(join(dotfiles, name), join(userDir, name));
    const elsewhere = folder();
    expect(await now(elsewhere)).toBe("trusted");
    renameSync(dotfiles, `${dotfiles}-gone`);
    rmSync(join(userDir, "orcs.toml"), { force: true });
    expect(await now(elsewhere)).toBe("trusted");
    renameSync(`${dotfiles}-gone`, dotfiles);
  });

  test("it is larger than the limit for projects, and then deleted", async () => {
    const { userDir } = home();
    mkdirSync(userDir, { recursive: true });
    const file = join(userDir, "orcs.toml");
    writeFileSync(file, `${hook("h", says("mine"))}${PATIENT}\n#${" ".repeat(2 ** 21)}\n`);
    const elsewhere = folder();
    expect(await now(elsewhere)).toBe("mine");
    rmSync(file);
    expect(await now(elsewhere)).toBe("mine");
  });

  test("it was truncated a moment ago: it is read again first", async () => {
    const { userDir } = home();
    mkdirSync(userDir, { recursive: true });
    const file = join(userDir, "orcs.toml");
    writeFileSync(file, hook("h", says("mine")) + PATIENT);
    const elsewhere = folder();
    expect(await now(elsewhere)).toBe("mine");
    const whole = readFileSync(file);
    writeFileSync(file, "");
    setTimeout(() => writeFileSync(file, whole), 100);
    expect(await now(elsewhere)).toBe("mine");
    // Without hooks, the last ones stay active.
    writeFileSync(file, "");
    expect(await now(elsewhere)).toBe("mine");
  });
});

test("a symlink loop in a hook's files list ends", async () => {
  home();
  const dir = folder({
    "orcs.toml": hook("h", 'shell = "./check.sh"\nfiles = ["."]'),
    "check.sh": "exit 0\n",
  });
  for (const name of ["a", "b", "c"]) symlinkSync(".", join(dir, name));
  const seen = await look(dir);
  expect([...seen.content.files.keys()].sort()).toEqual(["check.sh", "orcs.toml"]);
});
