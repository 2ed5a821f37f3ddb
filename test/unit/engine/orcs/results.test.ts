import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import * as fc from "fast-check";
import { afterEach, describe, expect } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";
import { KINDS_OF_OBJECTS } from "../../../../src/core/visible-value.ts";
import { Snapshots } from "../../../../src/core/snapshots.ts";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";

const SECRET = `ghp_${"a1B2".repeat(9)}`;
const open: Orcs[] = [];
afterEach(async () => {
  for (const orcs of open.splice(0)) await orcs.close();
});

async function engine(config: Record<string, unknown>): Promise<Orcs> {
  const orcs = await createOrcs({
    config,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  open.push(orcs);
  return orcs;
}

const masking = (isolation = "thread", more: Record<string, unknown> = {}): Promise<Orcs> =>
  engine({
    lua: { isolation, max_run_ms: 2000 },
    hooks: [{ script: "orcs:mask-secrets", ...more }],
  });

class Own {
  text: unknown;
  readonly #hidden = "hidden";
  constructor(text: unknown) {
    this.text = text;
  }
  reveal(): string {
    return this.#hidden;
  }
}

/** Each holds a value, and says what it holds where hooks can look. */
const KINDS: Readonly<Record<string, (text: string) => unknown>> = {
  text: (text) => text,
  "a Map": (text) => new Map<unknown, unknown>([["a", text]]),
  "a Map in a Map": (text) => new Map([[{ key: 1 }, new Map([["b", text]])]]),
  "data beside a Map": (text) => Object.assign(new Map([[1, 2]]), { text }),
  "data beside a Set": (text) => Object.assign(new Set([1]), { text }),
  "a Set": (text) => new Set([text]),
  "an Error": (text) => new Error(text),
  "a cause": (text) => new Error("no", { cause: text }),
  "an instance": (text) => new Own(text),
  "a boxed text": (text) => new String(text), // oxlint-disable-line no-new-wrappers
  "a Buffer": (text) => Buffer.from(text),
  "an ArrayBuffer": (text) => new TextEncoder().encode(text).buffer,
  "a DataView": (text) => new DataView(new TextEncoder().encode(text).buffer),
  "a URL": (text) => new URL(`https://example.com/?q=${text}`),
  "no prototype": (text) => Object.assign(Object.create(null), { text }) as unknown,
  "beside odd things": (text) => [
    new Date(0),
    new Date(NaN),
    () => 1,
    Symbol("s"),
    10n,
    NaN,
    undefined,
    new Float32Array(2),
    Promise.resolve(1),
    text,
  ],
  "a generator inside": (text) => ({
    gen: (function* () {
      yield text;
    })(),
  }),
  "an accessor": (text) => ({
    get text() {
      return text;
    },
  }),
};
const PLACES: Readonly<Record<string, (value: unknown) => unknown>> = {
  "at the root": (value) => value,
  nested: (value) => ({ a: [{ b: value }] }),
  "in a Map in a list": (value) => [new Map([["k", value]])],
};

/** All the text that somebody can get out of a value. */
function texts(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value === "string" || value instanceof URL) return String(value);
  if (typeof value !== "object" || value === null || seen.has(value)) return "";
  seen.add(value);
  if (Object.prototype.toString.call(value) === "[object String]")
    return String.prototype.valueOf.call(value);
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString();
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
  const inside: unknown[] = [...Object.getOwnPropertyNames(value)].map(
    (key) => (value as Record<string, unknown>)[key],
  );
  if (Symbol.iterator in value) inside.push(...(value as Iterable<unknown>));
  return inside.map((item) => texts(item, seen)).join("\n");
}

test.each(["thread", "worker"])(
  "mask-secrets (%s): a secret in any kind of object does not reach the caller",
  async (isolation) => {
    const orcs = await masking(isolation);
    for (const [kind, make] of Object.entries(KINDS)) {
      for (const [place, put] of Object.entries(PLACES)) {
        const got = await orcs.wrapTool("t", () => put(make(SECRET)))();
        expect(texts(got), `${kind} ${place}`).not.toContain(SECRET);
      }
    }
  },
);

test.each(["thread", "worker"])(
  "a result that no hook changes is returned as the same object (%s)",
  async (isolation) => {
    const orcs = await masking(isolation);
    orcs.on("tool.post_execute", (ctx) => void JSON.stringify(ctx.payload));
    for (const kind of Object.keys(KINDS)) {
      if (kind === "an accessor" || kind === "a generator inside") continue;
      if (kind === "beside odd things") continue;
      const value = KINDS[kind]?.("nothing");
      expect(await orcs.wrapTool("t", () => value)(), kind).toBe(value);
    }
  },
);

test("changed parts of a result become plain data, other parts are kept as they are", async () => {
  const orcs = await masking();
  const at = new Date(0);
  const fine = new Own("fine");
  const got = await orcs.wrapTool("t", () => ({ at, fine, own: new Own(SECRET), n: 10n }))();
  expect(got).toStrictEqual({ at, fine, own: { text: "[redacted]" }, n: 10n });
  expect(got.at).toBe(at);
  expect(got.fine).toBe(fine);
});

test("all kinds of hooks read a non-JSON object in the same way", async () => {
  const seen: unknown[] = [];
  const given = {
    at: new Date(0),
    bad: new Date(NaN),
    map: new Map([["k", new Set([1n])]]),
    own: new Own("x"),
    fn: () => 1,
    error: new TypeError("no"),
    bytes: Buffer.from("é"),
    numbers: new Float32Array([1, 2]),
    url: new URL("https://example.com/a"),
  };
  const shown = {
    at: "1970-01-01T00:00:00.000Z",
    bad: null,
    map: [["k", ["1"]]],
    own: { text: "x" },
    fn: null,
    error: { name: "TypeError", message: "no" },
    bytes: "é",
    numbers: [1, 2],
    url: "https://example.com/a",
  };
  const keep = `function(ctx) ctx.metadata.lua = orcs.json_decode(orcs.json_encode(ctx.payload.result)) end`;
  for (const isolation of ["thread", "worker"]) {
    const orcs = await engine({
      lua: { isolation },
      hooks: [
        { point: "tool.post_execute", handler_inline: keep },
        {
          point: "tool.post_execute",
          match: { tool: "t" },
          shell: {
            command: `node -e 'let s="";process.stdin.on("data",(d)=>s+=d).on("end",()=>console.log(JSON.stringify({action:"replace",result:{got:JSON.parse(s).payload.result}})))'`,
          },
        },
      ],
    });
    orcs.hook({
      point: "tool.post_execute",
      priority: 1,
      handler: (ctx) => void seen.push(JSON.parse(JSON.stringify(ctx.payload["result"]))),
    });
    orcs.hook({
      point: "tool.post_execute",
      priority: 2000,
      handler: (ctx) => void seen.push(ctx.metadata["lua"]),
    });
    const got = await orcs.wrapTool("t", () => given as unknown)();
    expect(seen.splice(0)).toEqual([shown, expect.anything()]);
    expect(got).toEqual({ got: shown });
  }
});

test("a closed hook masks what toJSON gives, and withholds what does not give it", async () => {
  class Account {
    readonly #token = SECRET;
    toJSON(): unknown {
      return { token: this.#token };
    }
  }
  const orcs = await masking();
  for (const made of [
    () => new Account(),
    () => ({ list: [new Account()] }),
    () => ({ toJSON: () => ({ token: SECRET }) }),
    () =>
      new (class extends Map {
        toJSON = () => [SECRET];
      })(),
  ]) {
    const result = await orcs.wrapTool("exec", (_args: object): unknown => made())({});
    expect(JSON.stringify(result)).toContain("[redacted]");
    expect(JSON.stringify(result)).not.toContain(SECRET);
  }
  const untouched = new (class {
    toJSON() {
      return { a: 1 };
    }
  })();
  expect(await orcs.wrapTool("exec", (_args: object) => untouched)({})).toBe(untouched);
  const throwing = {
    toJSON: () => {
      throw new Error(SECRET);
    },
  };
  const made = orcs.wrapTool("exec", (_args: object): unknown => throwing);
  await expect(made({})).rejects.toThrow(/toJSON throws/);
});

test("tool.on_failure may replace the text of a thrown error, also of one in a result", async () => {
  const orcs = await engine({
    hooks: [
      {
        point: "tool.on_failure",
        handler_inline: "ctx.payload.error = orcs.redact(ctx.payload.error)",
      },
    ],
  });
  const thrown: unknown = await orcs
    .wrapTool("exec", (_args: object) => {
      throw new TypeError(`no access with ${SECRET}`, { cause: SECRET });
    })({})
    .catch((error: unknown) => error);
  expect(thrown).toMatchObject({ name: "TypeError", message: "no access with [redacted]" });
  expect(`${(thrown as Error).stack} ${String((thrown as Error).cause)}`).not.toContain(SECRET);
  const answer = await orcs.wrapTool("exec", (_args: object) => ({
    ok: false,
    error: SECRET,
    code: 1,
  }))({});
  expect(answer).toEqual({ ok: false, error: "[redacted]", code: 1 });
  const plain = new Error("plain");
  await expect(orcs.wrapTool("exec", (_args: object) => Promise.reject(plain))({})).rejects.toBe(
    plain,
  );
});

test("docs/reference/lua.md lists how each kind of object is read", () => {
  const docs = readFileSync("docs/reference/lua.md", "utf8");
  for (const { kind, readAs } of KINDS_OF_OBJECTS)
    expect(docs).toContain(`| ${kind} | ${readAs} |`);
});

test("a guard reads String objects, buffers and lists in arguments as text", async () => {
  const orcs = await engine({
    hooks: [
      {
        point: "tool.pre_execute",
        match: { command: "rm" },
        handler_inline: 'return orcs.deny("no")',
      },
    ],
  });
  const run = orcs.wrapTool("exec", (_args: object) => "ran");
  for (const command of [
    new String("rm -rf /"),
    Buffer.from("rm -rf /"),
    ["rm", new String("/")],
  ]) {
    await expect(run({ command } as never)).rejects.toThrow(/no/);
  }
  let ran = 0;
  const hidden = {
    get command() {
      ran++;
      return "rm";
    },
  };
  await expect(run(hidden as never)).rejects.toThrow(/accessor/);
  expect(ran).toBe(0);
});

repeatedTest("property: any result is returned unchanged or masked", async () => {
  const orcs = await masking();
  const leaf = fc.constantFrom<unknown>(SECRET, "plain", 1, null, new Date(0), 5n, () => 1);
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.array(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
      fc.array(fc.tuple(fc.string(), tie("value")), { maxLength: 3 }).map((all) => new Map(all)),
      fc.dictionary(fc.constantFrom("a", "b"), tie("value")),
      tie("value").map((text) => new Own(text)),
    ),
  })).value;
  await fc.assert(
    fc.asyncProperty(value, async (given) => {
      const held = texts(given).includes(SECRET);
      const got = await orcs.wrapTool("t", () => given)();
      expect(texts(got)).not.toContain(SECRET);
      if (!held) expect(got).toBe(given);
    }),
    { numRuns: runCount(60) },
  );
});

describe("streams returned by a tool", () => {
  const text = `first\n${SECRET}\nlast`;
  const cut = [text.slice(0, 12), text.slice(12, 30), text.slice(30)];
  async function* chunks(): AsyncGenerator<string> {
    yield* cut;
  }
  const STREAMS: Readonly<Record<string, () => AsyncIterable<unknown>>> = {
    "an async generator": chunks,
    "a ReadableStream": () => ReadableStream.from(chunks()),
    "a Readable": () => Readable.from(chunks(), { objectMode: false }),
  };
  const all = async (stream: AsyncIterable<unknown>): Promise<string> => {
    let read = "";
    for await (const chunk of stream) read += String(chunk);
    return read;
  };
  const masked = "first\n[redacted]\nlast";

  test.each(Object.keys(STREAMS))("%s is masked, however it is split into chunks", async (kind) => {
    for (const more of [{}, { stream: true }]) {
      const orcs = await masking("thread", more);
      const got = await orcs.wrapTool("t", () => STREAMS[kind]?.() as AsyncIterable<unknown>)();
      expect(got).toBeInstanceOf(
        kind === "a Readable" ? Readable : kind === "a ReadableStream" ? ReadableStream : Object,
      );
      expect(await all(got)).toBe(masked);
    }
  });

  test("a synchronous generator is masked, another iterable is returned unchanged", async () => {
    const orcs = await masking();
    const got = await orcs.wrapTool("t", () => cut.values())();
    expect([...got].join("")).toBe(masked);
    const set = { [Symbol.iterator]: () => ["a", "b"].values() };
    expect(await orcs.wrapTool("t", () => set)()).toBe(set);
  });

  test("are returned unread if no post hook applies", async () => {
    const orcs = await masking("thread", { match: { tool: "other" } });
    const stream = chunks();
    expect(await orcs.wrapTool("t", () => stream)()).toBe(stream);
  });

  test("longer than max_payload_mb are rejected with ORCS2008", async () => {
    const orcs = await engine({
      engine: { max_payload_mb: 1 },
      hooks: [{ script: "orcs:mask-secrets" }],
    });
    const endless = async function* (): AsyncGenerator<string> {
      for (;;) yield "x".repeat(2 ** 16);
    };
    await expect(orcs.wrapTool("t", endless)()).rejects.toMatchObject({ code: "ORCS2008" });
  });

  test("with stream = true, text that can no longer change is passed on before the end", async () => {
    const orcs = await masking("thread", { stream: true });
    let given = 0;
    const long = async function* (): AsyncGenerator<string> {
      for (; given < 20; given++) yield `${"x ".repeat(1000)}\n`;
      yield text;
    };
    const got = await orcs.wrapTool("t", long)();
    expect((await got.next()).done).toBe(false);
    expect(given).toBeLessThan(10);
    let rest = "";
    for await (const chunk of got) rest += chunk;
    expect(rest.endsWith(masked)).toBe(true);
  });

  test("of snapshots, the last is the result; those before it count for no limit", async () => {
    const orcs = await engine({
      engine: { max_payload_mb: 1 },
      hooks: [{ script: "orcs:mask-secrets" }],
    });
    const growing = async function* (): AsyncGenerator<string> {
      for (let i = 0; i < 50; i++) yield "x".repeat(2 ** 16);
      yield text;
    };
    const got = await orcs.wrapTool("t", () => new Snapshots(growing()))();
    expect(got).toBeInstanceOf(Snapshots);
    expect(await all(got)).toBe(masked);
  });

  test("of snapshots, each passes hooks with stream = true on its own, as it comes", async () => {
    const orcs = await masking("thread", { stream: true });
    const got = await orcs.wrapTool("t", () => new Snapshots(chunks()))();
    const iterator = got[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: cut[0] });
    const again = await orcs.wrapTool("t", () => new Snapshots(ReadableStream.from([text, 7])))();
    const values: unknown[] = [];
    for await (const value of again) values.push(value);
    expect(values).toEqual([masked, 7]);
  });
});
