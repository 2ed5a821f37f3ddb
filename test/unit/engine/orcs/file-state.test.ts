import * as fc from "fast-check";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import type { LocalStateStore } from "../../../../src/core/ports.ts";
import { fileState, type FileState } from "../../../../src/engine/orcs/state/file-state.ts";
import { memoryState } from "../../../../src/engine/orcs/state/memory-state.ts";
import { errorOf, folder, Lines } from "./engine.ts";
import { isQuickDone, quickTest as test, runCount, slowTest } from "../../../slow-test.ts";

const clock = () => {
  const time = { ms: 1_000_000 };
  return { time, now: () => time.ms };
};

function opened(file: string, now?: () => number) {
  const log = new Lines();
  const state = fileState(file, log, now);
  onTestFinished(() => state.close());
  return { state, lines: log.lines };
}

const place = (): string => join(folder(), "a", "b", "state.jsonl");

const KEYS = ["a", "b", "__proto__", "", "ü\n\0\u2028", "constructor"];
const VALUES: readonly Json[] = [null, 0, -3, 2 ** 53, "", "ü\n\u2028\0", [], {}, [1, [null]]];

/** One thing done to a store; what it gives or throws is compared. */
type Step =
  | { readonly do: "get" | "delete"; readonly key: string }
  | { readonly do: "set"; readonly key: string; readonly value: Json }
  | {
      readonly do: "compare";
      readonly key: string;
      readonly expected?: Json | undefined;
      readonly value?: Json | undefined;
    }
  | { readonly do: "incr"; readonly key: string; readonly by: number; readonly ttl?: number };

const key = fc.constantFrom(...KEYS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("get" as const, "delete" as const), key }),
  fc.record({ do: fc.constant("set" as const), key, value: fc.constantFrom(...VALUES) }),
  fc.record({
    do: fc.constant("compare" as const),
    key,
    expected: fc.constantFrom(undefined, undefined, ...VALUES),
    value: fc.constantFrom(undefined, ...VALUES),
  }),
  fc.record(
    {
      do: fc.constant("incr" as const),
      key,
      by: fc.integer({ min: -9, max: 9 }),
      ttl: fc.constantFrom(1, 50),
    },
    { requiredKeys: ["do", "key", "by"] },
  ),
);

function taken(state: LocalStateStore, told: Step): unknown {
  try {
    if (told.do === "set") return state.set(told.key, told.value);
    if (told.do === "compare") return state.compareAndSet(told.key, told.expected, told.value);
    if (told.do === "incr") return state.incr(told.key, told.by, told.ttl);
    return told.do === "get" ? state.get(told.key) : state.delete(told.key);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : thrown;
  }
}

describe("fileState", () => {
  slowTest("behaves like memoryState, in several engines that share a file", () => {
    const moves = fc.record({ step, who: fc.nat(2), wait: fc.constantFrom(0, 0, 1, 30) });
    const file = place();
    let run = 0;
    fc.assert(
      fc.property(fc.array(moves, { maxLength: 40 }), (list) => {
        const { time, now } = clock();
        const model = memoryState({ now, sleep: () => Promise.resolve() });
        const stores = [0, 1, 2].map(() => fileState(`${file}.${run}`, new Lines(), now));
        run++;
        for (const { step: told, who, wait } of list) {
          time.ms += wait;
          const state = stores[who] as FileState;
          expect(taken(state, told)).toEqual(taken(model, told));
          // It may come and go, as processes do.
          if (wait === 30) state.close();
        }
        for (const state of stores) {
          for (const each of KEYS) expect(state.get(each)).toEqual(model.get(each));
          state.close();
        }
      }),
      { numRuns: runCount(100) },
    );
  });

  test("reading creates no file; writing creates file and directory readable by the user only", () => {
    const file = place();
    const { state } = opened(file);
    expect([state.get("k"), state.delete("k")]).toEqual([undefined, false]);
    expect(() => statSync(file)).toThrow("ENOENT");
    state.set("k", 1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  });

  test.each(['{"key":"torn","val', '{"key":"a","value":1}', "\0\0\0\0", "{", "ü".slice(0, 1)])(
    "lines after a truncated line are read: %j",
    (torn) => {
      const file = place();
      const { state } = opened(file);
      state.set("before", 1);
      for (const write of [
        (other: LocalStateStore) => other.set("after", 2),
        (other: LocalStateStore) => other.incr("after", 2),
      ]) {
        appendFileSync(file, torn);
        // One that knows the file, and one that comes to it.
        write(state);
        appendFileSync(file, torn);
        const { state: other } = opened(file);
        write(other);
        expect([other.get("before"), state.get("before")]).toEqual([1, 1]);
        expect(other.get("after")).toBe(state.get("after"));
        expect(state.get("after")).not.toBeUndefined();
        state.delete("after");
      }
    },
  );

  test("damaged lines are logged once, skipped, and removed at the next change", () => {
    const damage = [
      "no json",
      "[]",
      "null",
      "7",
      '{"value":1}',
      '{"key":1}',
      "{}",
      '{"key":"x","until":"no","value":1}',
    ];
    const file = join(folder(), "state.jsonl");
    writeFileSync(file, `{"key":"a","value":1}\n${damage.join("\n")}\n\n{"key":"b","value":2}\n`);
    const { state, lines } = opened(file);
    expect([state.get("a"), state.get("b"), state.get("x")]).toEqual([1, 2, undefined]);
    expect(lines).toEqual([`warn: ${file}: a damaged line is skipped`]);
    state.set("c", 3);
    expect(readFileSync(file, "utf8")).toBe(
      '{"key":"a","value":1}\n{"key":"b","value":2}\n{"key":"c","value":3}\n',
    );
    const after = opened(file);
    expect([after.state.get("a"), after.lines]).toEqual([1, []]);
  });

  slowTest("a file of mostly obsolete lines is rewritten, and all engines use the new one", () => {
    const file = place();
    const { state } = opened(file);
    const { state: other } = opened(file);
    const long = "x".repeat(1000);
    let largest = 0;
    for (let i = 0; i < 900; i++) {
      state.set("long", `${i}${long}`);
      expect(other.incr("n", 1)).toBe(i + 1);
      largest = Math.max(largest, statSync(file).size);
    }
    expect(largest).toBeLessThan(300_000);
    expect(state.get("n")).toBe(900);
    expect(opened(file).state.get("long")).toBe(`899${long}`);
  });

  test("a file without obsolete lines is not rewritten", () => {
    const file = place();
    const { state } = opened(file);
    for (let i = 0; i < 400; i++) state.set(`k${i}`, "x".repeat(1000));
    const { ino } = statSync(file);
    expect(statSync(file).size).toBeGreaterThan(400_000);
    state.set("one", 1);
    expect(statSync(file).ino).toBe(ino);
    expect([state.get("k0"), opened(file).state.get("one")]).toEqual(["x".repeat(1000), 1]);
  });

  slowTest("expired counters are removed when the file is rewritten", () => {
    const file = place();
    const { time, now } = clock();
    const { state } = opened(file, now);
    for (let i = 0; i < 3000; i++) {
      time.ms += 10;
      state.incr(`window-${i}-${"x".repeat(100)}`, 1, 5);
    }
    expect(statSync(file).size).toBeLessThan(300_000);
  });

  test.each([
    ["deleted", (file: string) => rmSync(file), undefined],
    [
      "deleted with its folder",
      (file: string) => rmSync(dirname(file), { recursive: true }),
      undefined,
    ],
    ["moved away", (file: string) => renameSync(file, `${file}.old`), undefined],
    ["emptied", (file: string) => truncateSync(file), undefined],
    [
      "replaced",
      (file: string) => {
        writeFileSync(
          `${file}.other`,
          '{"key":"n","value":40}\n{"key":"filler","value":"0123456789"}\n',
        );
        renameSync(`${file}.other`, file);
      },
      40,
    ],
    [
      "exchanged for a copy",
      (file: string) => {
        copyFileSync(file, `${file}.copy`);
        rmSync(file);
        renameSync(`${file}.copy`, file);
      },
      5,
    ],
  ])("a file that another process removes or replaces %s", (_how, disturb, left) => {
    const file = place();
    const { state } = opened(file);
    const { state: other } = opened(file);
    state.incr("n", 5);
    expect(other.get("n")).toBe(5);
    disturb(file);
    expect(state.get("n")).toBe(left);
    expect(other.incr("n", 1)).toBe((left ?? 0) + 1);
    expect(state.incr("n", 1)).toBe((left ?? 0) + 2);
  });

  test("a lock of a dead process does not block", () => {
    const file = place();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      `${file}.lock`,
      `${JSON.stringify({ id: "x", pid: 2 ** 22 + 1, at: Date.now() - 60_000 })}\n`,
    );
    const { state } = opened(file);
    expect(state.incr("n", 1)).toBe(1);
    expect(readFileSync(`${file}.lock`, "utf8")).toBe("");
  });

  describe("an unusable file fails with ORCS5002 and the file's name", () => {
    const DOING: Readonly<Record<string, (state: LocalStateStore) => unknown>> = {
      get: (state) => state.get("k"),
      set: (state) => state.set("k", 1),
      delete: (state) => state.delete("k"),
      incr: (state) => state.incr("k", 1),
    };

    test.each(Object.entries(DOING))("%s, when the path is a directory", async (_name, doing) => {
      const file = join(folder(), "state.jsonl");
      mkdirSync(file);
      const { state } = opened(file);
      const { code, message } = await errorOf(() => doing(state));
      expect([code, message.includes(file)]).toEqual(["ORCS5002", true]);
    });

    it.skipIf(isQuickDone || process.getuid?.() === 0).each(Object.entries(DOING))(
      "%s, without permission",
      async (_name, doing) => {
        const file = join(folder(), "state.jsonl");
        writeFileSync(file, '{"key":"k","value":1}\n');
        chmodSync(file, 0);
        const { state } = opened(file);
        expect((await errorOf(() => doing(state))).code).toBe("ORCS5002");
      },
    );

    test("when the parent directory is a file", async () => {
      const dir = join(folder({ there: "" }), "there");
      const { state } = opened(join(dir, "state.jsonl"));
      expect((await errorOf(() => state.set("k", 1))).code).toBe("ORCS5002");
    });
  });
});
