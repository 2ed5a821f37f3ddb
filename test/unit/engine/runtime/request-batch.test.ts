import { expect, test } from "vitest";
import type { BatchRequest } from "../../../../src/core/child.ts";
import type { Request } from "../../../../src/core/component.ts";
import { errorOf } from "../orcs/engine.ts";
import { stage, type Stage } from "./acting.ts";

/** What each request of a batch comes to: the response, or the code of the error. */
async function batch({ actor }: Pick<Stage, "actor">, requests: readonly BatchRequest[]) {
  const boss = await actor("lua::boss");
  const settled = await boss((context) => context.requestBatch(requests));
  return settled.map((each) =>
    each.status === "fulfilled" ? each.value : (each.reason as { code: string }).code,
  );
}

test("requests of a batch are served at the same time, and answered in order", async () => {
  const set = await stage();
  const serving: (() => void)[] = [];
  for (const id of ["lua::a", "lua::b", "lua::c"]) {
    await set.runtime.spawn({
      id,
      async onRequest() {
        // Each waits for the last one, which therefore must have been sent before the first was answered.
        await new Promise<void>((resolve) => {
          serving.push(resolve);
          if (serving.length === 3) for (const go of serving) go();
        });
        return id;
      },
    });
  }
  const targets = ["lua::c", "lua::a", "lua::b"];
  const requests = targets.map((target) => ({ target, operation: "go" }));
  expect(await batch(set, requests)).toEqual(targets);
});

test("one that fails does not affect the others; each is a request like any other", async () => {
  const set = await stage();
  const seen: unknown[] = [];
  set.orcs.on("request.pre_dispatch", (ctx) => {
    const { source, operation } = ctx.payload as unknown as Request;
    if (source === "lua::boss") seen.push(operation);
    return operation === "secret" ? { action: "abort", reason: "no" } : undefined;
  });
  await set.runtime.spawn({
    id: "lua::ear",
    onRequest({ operation }) {
      if (operation === "throw") throw new Error("kaput");
      return operation;
    },
  });
  const operations = ["one", "secret", "throw", "two"];
  const requests = [
    ...operations.map((operation) => ({ target: "lua::ear", operation })),
    { target: "lua::nobody", operation: "op" },
    { target: "lua::boss", operation: "op" },
    { target: "lua::ear", operation: "requested", category: "Approval" },
  ];
  expect(await batch(set, requests)).toEqual([
    "one",
    "ORCS2001",
    "ORCS6005",
    "two",
    "ORCS6001",
    "ORCS6011",
    "ORCS6010",
  ]);
  expect(seen).toEqual(operations);
});

test("an invalid request prevents the batch: none is sent", async () => {
  const set = await stage();
  let served = 0;
  await set.runtime.spawn({ id: "lua::ear", onRequest: () => ++served });
  const requests = [
    { target: "lua::ear", operation: "op" },
    { target: "lua::ear", operation: "" },
  ];
  const error = await errorOf(batch(set, requests));
  expect(error).toMatchObject({ code: "ORCS6010", message: expect.stringContaining("request 2") });
  expect(served).toBe(0);
});

test("a batch gives a child no permission that it lacks", async () => {
  const set = await stage({ config: { permissions: { grants: ["git"] } } });
  await set.runtime.spawn({
    id: "lua::runner",
    onRequest: async (_, context) => (await context.checkCommand("echo a")).status,
  });
  // The target acts with its own permissions, not with those of a sender that got a grant.
  const boss = await set.actor("lua::boss");
  const settled = await boss((context) =>
    context.requestBatch([{ target: "lua::runner", operation: "run" }]),
  );
  expect(settled).toEqual([{ status: "fulfilled", value: "requires_approval" }]);
});
