import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import { FRESH_MS } from "../../src/config/trust/user-configuration.ts";
import { folder } from "../dist/orcs.ts";

const GUARD = `[[hooks]]
id = "guard"
point = "tool.pre_execute"
handler_inline = 'orcs.deny("no")'
`;
const OTHER = `[[hooks]]
id = "other"
point = "tool.post_execute"
handler_inline = 'return nil'
`;
const quiet = (): void => {};
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function watched(file: string) {
  const orcs = await createOrcs({
    config: file,
    overrides: { lua: { max_run_ms: 5000, max_chain_ms: 20_000 } },
    watch: true,
    logger,
  });
  const ask = async () => {
    const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });
    return outcome.action;
  };
  return { orcs, ask };
}

/** Save as editors do that truncate first. */
async function save(file: string, text: string, gapMs: number): Promise<void> {
  const open = openSync(file, "w");
  await pause(gapMs);
  writeSync(open, text);
  closeSync(open);
}

it("watch: 200 saves that truncate the file first never disable the guard", async () => {
  const file = join(folder({ "orcs.toml": GUARD }), "orcs.toml");
  const { orcs, ask } = await watched(file);
  const state = { isSaving: true };
  const saving = (async () => {
    for (let i = 0; i < 200; i++) {
      await save(file, `# ${i}\n${GUARD}`, 50);
      await pause(i % 3 === 0 ? 60 : 5);
    }
    state.isSaving = false;
  })();
  const actions: Record<string, number> = {};
  while (state.isSaving) {
    const action = await ask();
    actions[action] = (actions[action] ?? 0) + 1;
    await pause(5);
  }
  await saving;
  await orcs.close();
  expect(Object.keys(actions)).toEqual(["abort"]);
});

it("watch: a file written in two parts, or briefly missing, loses no hook", async () => {
  const file = join(folder({ "orcs.toml": OTHER + GUARD }), "orcs.toml");
  const { orcs, ask } = await watched(file);
  const seen = new Set<string>();
  /** Ask some times, as long as the file can still be in the process of being written: a busy machine takes its time. */
  const askAfter = async (change: () => void, times: number): Promise<void> => {
    change();
    const changed = performance.now();
    for (let i = 0; i < times; i++) {
      const action = await pause(15).then(ask);
      if (performance.now() - changed < FRESH_MS * 0.8) seen.add(action);
    }
  };
  const whole = (): void => writeFileSync(file, OTHER + GUARD);
  for (let round = 0; round < 10; round++) {
    await askAfter(() => writeFileSync(file, OTHER), 10);
    await askAfter(whole, 5);
    // A hook that was gone for too long is back once the file is.
    await expect.poll(ask, { timeout: 20_000 }).toBe("abort");
    await askAfter(() => rmSync(file), 10);
    await askAfter(whole, 5);
    await expect.poll(ask, { timeout: 20_000 }).toBe("abort");
  }
  await orcs.close();
  expect([...seen]).toEqual(["abort"]);
});

it("watch: a removed hook is inactive after half a second, a new one is active at once", async () => {
  const file = join(folder({ "orcs.toml": GUARD }), "orcs.toml");
  const { orcs, ask } = await watched(file);
  writeFileSync(file, "");
  await expect.poll(ask, { timeout: 20_000 }).toBe("continue");
  writeFileSync(file, GUARD);
  await expect.poll(ask, { timeout: 20_000 }).toBe("abort");
  await orcs.close();
});
