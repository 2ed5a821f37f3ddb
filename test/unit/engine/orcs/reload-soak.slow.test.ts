import { mkdtempSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";

const EDITS = 200;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The files of a configuration in which every part can be seen to be of one edit or another. */
const GOOD = {
  "orcs.toml": (n: number) => `[[hooks]]
id = "inline"
point = "tool.pre_execute"
handler_inline = "ctx.metadata.inline = ${n}"

[[hooks]]
script = "script.lua"
point = "tool.pre_execute"
`,
  "hooks/script.lua": (n: number) => `local m = require("module")
return function(ctx) ctx.metadata.script, ctx.metadata.module = ${n}, m.value end
`,
  "hooks/module.lua": (n: number) => `return { value = ${n} }\n`,
} as const;
type Name = keyof typeof GOOD;

/** What an editor, a merge or a tired hand leaves behind. */
const BROKEN: Readonly<Record<Name, readonly string[]>> = {
  "orcs.toml": [
    '[[hooks]\nid = "x"',
    "[engine]\nno_such = 1",
    "\u0000",
    '[[hooks]]\npoint = "nowhere"',
  ],
  "hooks/script.lua": [
    "return function(ctx",
    "error('at load')",
    "while true do end",
    'require("gone")',
    "return 5",
  ],
  "hooks/module.lua": ["return {", 'return require("module")', "return nil + 1"],
};

/** A random number from a seed, the same each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

const WAYS: readonly ((file: string, text: string) => void)[] = [
  (file, text) => writeFileSync(file, text),
  (file, text) => {
    writeFileSync(`${file}~`, text);
    renameSync(`${file}~`, file);
  },
  (file, text) => {
    rmSync(file, { force: true });
    writeFileSync(file, text);
  },
  (file, text) => {
    writeFileSync(file, text.slice(0, text.length / 2));
    writeFileSync(file, text);
  },
];

test(
  "random edits under load, one in four invalid: the last valid files are active, no dispatch is lost, memory does not grow",
  { timeout: 120_000 },
  async () => {
    const pick = random(20_261_122);
    const cwd = mkdtempSync(join(tmpdir(), "orcs-reload-soak-"));
    folders.push(cwd);
    mkdirSync(join(cwd, "hooks"));
    const names = Object.keys(GOOD) as Name[];
    const last: Record<Name, number> = {
      "orcs.toml": 0,
      "hooks/script.lua": 0,
      "hooks/module.lua": 0,
    };
    const broken = new Set<Name>();
    const write = (name: Name, text: string): void =>
      WAYS[pick(WAYS.length)]?.(join(cwd, name), text);
    for (const name of names) write(name, GOOD[name](0));
    const quiet = (): undefined => undefined;
    const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const orcs = await createOrcs({ cwd, config: "orcs.toml", watch: true, logger });
    const told = { reloads: 0, failures: 0 };
    orcs.events.on("reloaded", () => told.reloads++);
    orcs.events.on("reload_failed", () => told.failures++);
    const odd: unknown[] = [];
    let dispatches = 0;
    const load = { isOn: true };
    const loading = (async () => {
      while (load.isOn) {
        const { action, ctx } = await orcs.dispatch("tool.pre_execute", {
          tool_name: "x",
          args: {},
        });
        dispatches++;
        const { inline, script, module } = ctx.metadata;
        const isWhole = [inline, script, module].every((value) => Number.isInteger(value));
        if (action !== "continue" || !isWhole) odd.push({ action, ...ctx.metadata });
        if (dispatches % 50 === 0) await wait(1);
      }
    })();
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const heap = (): number => {
      collect();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    let early = 0;
    for (let edit = 1; edit <= EDITS; edit++) {
      const name = names[pick(names.length)] ?? "orcs.toml";
      const isBroken = pick(4) === 0;
      if (isBroken) {
        const texts = BROKEN[name];
        write(name, texts[pick(texts.length)] ?? "");
        broken.add(name);
      } else {
        write(name, GOOD[name](edit));
        last[name] = edit;
        broken.delete(name);
      }
      // Now and then somebody waits for what it comes to; most of the time the next save comes before that.
      const before = told.reloads + told.failures;
      const isSeen = async (): Promise<void> => {
        for (let i = 0; i < 200; i++) {
          if (told.reloads + told.failures !== before) return;
          await wait(10);
        }
      };
      await (edit % 4 === 0 ? isSeen() : wait(pick(20)));
      if (edit === EDITS / 4) early = heap();
    }
    // Broken ones are mended, as somebody would.
    for (const name of broken) write(name, GOOD[name]((last[name] = EDITS + 1)));
    const expected = {
      inline: last["orcs.toml"],
      script: last["hooks/script.lua"],
      module: last["hooks/module.lua"],
    };
    const deadline = Date.now() + 10_000;
    let seen: unknown;
    do {
      await wait(20);
      seen = (await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} })).ctx.metadata;
    } while (
      JSON.stringify(seen, Object.keys(expected)) !== JSON.stringify(expected) &&
      Date.now() < deadline
    );
    load.isOn = false;
    await loading;
    expect(seen).toEqual(expected);
    expect(odd).toEqual([]);
    expect(orcs.registry.size).toBe(2);
    // The soak has soaked: many of either kind came by.
    expect(told.reloads).toBeGreaterThan(8);
    expect(told.failures).toBeGreaterThan(5);
    expect(dispatches).toBeGreaterThan(1000);
    expect(heap() - early).toBeLessThan(12);
    await orcs.close();
  },
);
