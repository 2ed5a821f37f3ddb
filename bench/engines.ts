import { createOrcs } from "orcs";
import type { Orcs } from "orcs";

/** An engine with inline handlers at `tool.pre_execute`, all in one state. */
export async function inlineEngine(
  handlers: readonly string[],
  match?: Record<string, string>,
  isolation: "thread" | "worker" = "thread",
): Promise<Orcs> {
  return createOrcs({
    config: {
      lua: { isolation },
      hooks: handlers.map((code) => ({
        point: "tool.pre_execute",
        handler_inline: code,
        ...(match && { match }),
      })),
    },
  });
}

/** An engine with one state per handler. */
export async function scriptEngine(handlers: readonly string[]): Promise<Orcs> {
  return createOrcs({
    config: {
      hooks: handlers.map((code, i) => ({
        point: "tool.pre_execute",
        handler_inline: code,
        // Other options, another state.
        options: { n: i },
      })),
    },
  });
}

/** An engine with `count` TypeScript hooks that read one field. */
export async function functionEngine(count: number, fql?: string): Promise<Orcs> {
  const orcs = await createOrcs({ config: false });
  for (let i = 0; i < count; i++) {
    orcs.hook({
      point: "tool.pre_execute",
      fql,
      handler: (ctx) => void ctx.payload.tool_name,
    });
  }
  return orcs;
}
