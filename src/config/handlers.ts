import { z } from "zod";
import type { SourcePlace } from "../core/diagnostic.ts";
import { didYouMean, shownFile } from "./config-error.ts";
import type { Handler } from "./hook-entry.ts";
import { commandSchema, moduleSchema, shellSchema, webhookSchema } from "./outside-handlers.ts";
import type { SchemaContext } from "./schema-parts.ts";
import { quoted } from "./schema-parts.ts";

/** Returns a handler once the place of its code is known. */
type HandlerMaker = (codePlace: () => SourcePlace) => Handler;

interface HandlerKind {
  /** Whether the hook must state its point; a script can state it itself. */
  readonly needsPoint: boolean;
  schema(around: SchemaContext): z.ZodType<HandlerMaker>;
}

/** The keys of a handler: a hook has exactly one of them. */
export const HANDLERS = {
  script: { needsPoint: false, schema: scriptSchema },
  handler_inline: { needsPoint: true, schema: inlineSchema },
  shell: { needsPoint: true, schema: shellSchema },
  webhook: { needsPoint: true, schema: webhookSchema },
  module: { needsPoint: true, schema: moduleSchema },
  // MassGen's spelling of a command; hook-rules.ts checks its `type`.
  handler: { needsPoint: true, schema: commandSchema },
} as const satisfies Record<string, HandlerKind>;

type HandlerKey = keyof typeof HANDLERS;

export const HANDLER_KEYS = Object.keys(HANDLERS) as HandlerKey[];

/** The schemas of the handler keys. */
export function handlerShape(around: SchemaContext): Record<HandlerKey, z.ZodType<HandlerMaker>> {
  const kinds: Record<HandlerKey, HandlerKind> = HANDLERS;
  const schemas = HANDLER_KEYS.map((key) => [key, kinds[key].schema(around)] as const);
  return Object.fromEntries(schemas) as Record<HandlerKey, z.ZodType<HandlerMaker>>;
}

function scriptSchema(around: SchemaContext): z.ZodType<HandlerMaker> {
  return z
    .string()
    .min(1)
    .transform((script, ctx) => {
      const found = around.findScript(script);
      if (found.file !== undefined) {
        const { file } = found;
        return () => ({ kind: "script", script, file });
      }
      const dirs = found.lookedIn.map((dir) => shownFile(dir, around.cwd));
      ctx.addIssue({
        code: "custom",
        message: `${quoted(script)} was not found${dirs.length > 0 ? `; searched ${dirs.join(", ")}` : ""}`,
        params: { code: "ORCS1009", hint: didYouMean(found.nearest) },
      });
      return z.NEVER;
    });
}

function inlineSchema(): z.ZodType<HandlerMaker> {
  return z
    .string()
    .min(1)
    .transform((code) => (codePlace) => ({ kind: "inline", code, place: codePlace() }));
}
