import { describe, expect, test, vi } from "vitest";
import type { ChildContext } from "../../../../src/core/child.ts";
import type { Json } from "../../../../src/core/json.ts";
import type { Runtime } from "../../../../src/engine/orcs/runtime/runtime.ts";
import { errorOf } from "../orcs/engine.ts";
import { stage } from "./acting.ts";

/** A payload that can be changed, as its sender and whoever gets it do. */
interface Note {
  words: string[];
}

type Way = (payload: Json, context: ChildContext, runtime: Runtime) => unknown;

/** Every way to send something to `lua::ear`, or to a child that hears as it does. */
const WAYS: Readonly<Record<string, Way>> = {
  "a request": (payload, context) => context.request("lua::ear", "note", payload),
  "a request of the host": (payload, _, runtime) => runtime.request("lua::ear", "note", payload),
  "an event": (payload, context) => context.emit("News", "note", payload),
  "an event of the host": (payload, _, runtime) =>
    runtime.broadcast({ category: "News", operation: "note", payload }),
  "the run of a child": (payload, context) => context.runChild("ear", payload),
};
const SENT: Way = (payload, context) => context.sendToChild("ear", payload);

/** Somebody who sends, and those who keep what they hear, and then change it. */
async function ears() {
  const { actor, lines, runtime, orcs } = await stage();
  const heard: unknown[] = [];
  const hear = (payload: Json): null => {
    heard.push(structuredClone(payload));
    if (payload !== null) (payload as unknown as Note).words.push("changed");
    return null;
  };
  const onRequest = ({ payload }: { readonly payload: Json }) => hear(payload);
  await runtime.spawn({ id: "lua::ear", subscriptions: ["News"], onRequest });
  const boss = await actor("lua::boss");
  return {
    heard,
    lines,
    orcs,
    runtime,
    /** Another one who hears events, after the first. */
    another: () => runtime.spawn({ id: "lua::other", subscriptions: ["News"], onRequest }),
    send: (job: (way: (way: Way, payload: Json) => unknown) => unknown) =>
      boss(async (context) => {
        await context.spawnChild({ id: "ear" }, { run: hear });
        return job((way, payload) => way(payload, context, runtime));
      }),
    hears: async (...payloads: unknown[]) => {
      await vi.waitFor(() => expect(heard).toHaveLength(payloads.length), { timeout: 10_000 });
      expect(heard).toEqual(payloads);
    },
  };
}

const note = (): Note & Json => ({ words: ["first"] }) as unknown as Note & Json;

describe.each(Object.entries({ ...WAYS, "what is sent to a child": SENT }))(
  "payload of %s",
  (_, way) => {
    test("is unaffected by later changes by the sender", async () => {
      const { send, hears } = await ears();
      await send(async (go) => {
        const payload = note();
        const sent = go(way, payload);
        payload.words.push("later");
        await sent;
        await hears({ words: ["first"] });
      });
    });

    test("does not change the sender's object", async () => {
      const { send, hears } = await ears();
      await send(async (go) => {
        const payload = note();
        await go(way, payload);
        await go(way, payload);
        await hears({ words: ["first"] }, { words: ["first"] });
        expect(payload).toEqual({ words: ["first"] });
      });
    });

    test("undefined becomes null", async () => {
      const { send, hears } = await ears();
      await send((go) => go(way, undefined as unknown as Json));
      await hears(null);
    });
  },
);

describe("a payload that is not JSON is rejected with its path and not delivered", () => {
  const cycle: Record<string, unknown> = {};
  cycle["a"] = [cycle];
  const deep = Array.from({ length: 40 }).reduce((inner) => [inner], 1);
  const bad: [unknown, string][] = [
    [() => 1, "the value is of type function"],
    [{ a: [1, () => 1] }, "/a/1 is of type function"],
    [{ a: 1n }, "/a is of type bigint"],
    [[Number.NaN], "/0 is NaN, which JSON cannot represent"],
    [{ at: new Date(0) }, "/at is an instance of a class"],
    [cycle, "/a/0 is a circular reference"],
    [deep, `${"/0".repeat(32)} is nested deeper than 32 levels`],
  ];
  const whats: Record<string, string> = {
    "a request": "the request note",
    "a request of the host": "the request note",
    "an event": "the event note",
    "an event of the host": "the event note",
    "the run of a child": "a run of lua::boss/ear",
  };

  test.each(Object.entries(WAYS))("%s", async (name, way) => {
    const { send, heard, hears } = await ears();
    await send(async (go) => {
      for (const [payload, why] of bad) {
        const error = await errorOf(Promise.resolve(go(way, payload as Json)));
        expect(error.message).toBe(`ORCS6010: the payload of ${whats[name]} is not JSON: ${why}`);
        expect(error.fields).toEqual({ key: "payload" });
      }
      expect(heard).toEqual([]);
      // All are free for what is.
      await go(way, note());
    });
    await hears({ words: ["first"] });
  });

  test("to a child without awaiting: is logged", async () => {
    const { send, lines, hears } = await ears();
    await send((go) => {
      go(SENT, { a: [1, () => 1] } as unknown as Json);
      go(SENT, note());
    });
    await hears({ words: ["first"] });
    expect(lines).toEqual([
      "warn: the child ear of lua::boss: ORCS6010: the payload of a run of lua::boss/ear is not JSON: /a/1 is of type function",
    ]);
  });
});

describe("an event payload", () => {
  test("is a separate copy per subscriber", async () => {
    const { send, another, hears } = await ears();
    await another();
    await send((go) => go(WAYS["an event"] as Way, note()));
    await hears({ words: ["first"] }, { words: ["first"] });
  });

  test("is a separate copy per subscriber after a rewrite by a hook too", async () => {
    const { send, orcs, another, hears } = await ears();
    await another();
    orcs.on("bus.pre_broadcast", (ctx) => {
      (ctx.payload["event"] as unknown as { payload: Note }).payload.words = ["rewritten"];
    });
    await send((go) => go(WAYS["an event"] as Way, note()));
    await hears({ words: ["rewritten"] }, { words: ["rewritten"] });
  });
});
