import {
  HOOK_MODES,
  lazyConstant,
  parseFql,
  STORE_ERROR_MODES,
  UNSURE_MATCHES,
} from "../core/index.ts";
import type { EffectReader, MATCH_KEYS, MatchSpec, PointSpec } from "../core/index.ts";
import { z } from "zod";
import { compileMatcher } from "../matching/index.ts";
import { didYouMean } from "./config-error.ts";
import { handlerShape } from "./handlers.ts";
import type { SchemaContext } from "./schema-parts.ts";
import {
  checkedText,
  textsSchema,
  optionsSchema,
  quoted,
  refuse,
  tableSchema,
} from "./schema-parts.ts";
import { testSchema } from "./test-schema.ts";

type MatchKey = (typeof MATCH_KEYS)[number];

/** Longest timer of Node, in milliseconds; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const hookMode = z.enum(HOOK_MODES);
export const failureMode = z.enum(["open", "closed"]);
export const milliseconds = z.int().min(1).max(MAX_TIMER_MS);

/** A validated `[[hooks]]` table, with its point resolved and its script found. */
export type HookTable = z.output<ReturnType<typeof hookSchema>>;

/** The keys of a hook, all optional; hook-rules.ts checks combinations. */
export function hookSchema(around: SchemaContext) {
  const id = z.string().min(1);
  const point = pointSchema(around);
  const match = lazyConstant(() => matchShape(around));
  const pattern = <Key extends MatchKey>(key: Key) => z.lazy(() => match()[key]);
  return tableSchema({
    id,
    point,
    fql: checkedText((text) => void parseFql(text)),
    priority: z
      .int()
      .min(-(2 ** 31))
      .max(2 ** 31 - 1),
    enabled: z.boolean(),
    match: z.lazy(() => tableSchema(match())),
    once: z.boolean(),
    async: z.boolean(),
    observe: z.boolean(),
    stream: z.boolean(),
    timeout_ms: milliseconds,
    max_retries: z.int().min(0).max(1000),
    options: optionsSchema(),
    on_error: failureMode,
    on_timeout: failureMode,
    on_store_error: z.enum(STORE_ERROR_MODES),
    mode: hookMode,
    rollout: z.number().min(0).max(100),
    shadow_effects: z.boolean(),
    files: z.array(id),
    unsealed: z.boolean(),
    enforced: z.boolean(),
    ...handlerShape(around),
    type: z.enum(["command", "python"]),
    // Lazy: it takes as long to build as all the rest, and few hooks have tests.
    tests: z.lazy(() => z.array(testSchema(point))),
    // Other spellings; spellings.ts defines what each means.
    name: id,
    event: point,
    matcher: pattern("tool"),
    async_execution: z.boolean(),
    tool_matcher: pattern("tool"),
    path_pattern: pattern("path"),
    command_pattern: pattern("command"),
    session_id: pattern("session"),
    timeout_sec: z
      .number()
      .positive()
      .max(MAX_TIMER_MS / 1000),
  });
}

/** The schema of a point's name or alias; its output is the point. */
export function pointSchema(around: Pick<SchemaContext, "points">): z.ZodType<PointSpec> {
  return z
    .string()
    .min(1)
    .transform((name, ctx) => {
      const { points } = around;
      const point = points.resolve(name);
      if (point) return point;
      const hint = didYouMean(points.suggest(name));
      return refuse(ctx, `unknown hook point ${quoted(name)}`, { code: "ORCS1005", hint });
    });
}

function matchShape(around: SchemaContext) {
  const compile = (spec: MatchSpec): void =>
    void compileMatcher(spec, { cwd: around.cwd, effects: NEVER_ASKED });
  const pattern = (key: MatchKey) => checkedText((text) => compile({ [key]: text }));
  const texts = (key: MatchKey, what: "command" | "pattern") =>
    textsSchema(what, (text) => compile({ [key]: text }));
  return {
    tool: pattern("tool"),
    tool_regex: pattern("tool_regex"),
    path: pattern("path"),
    command: pattern("command"),
    runs: texts("runs", "command"),
    writes: texts("writes", "pattern"),
    removes: texts("removes", "pattern"),
    reads: texts("reads", "pattern"),
    connects: texts("connects", "pattern"),
    unsure: z.enum(UNSURE_MATCHES),
    session: z.string().min(1),
    agent: z.string().min(1),
    event: pattern("event"),
    source: pattern("source"),
  } satisfies Record<keyof MatchSpec, z.ZodType>;
}

/** Patterns are compiled here only to validate them. */
const NEVER_ASKED: EffectReader = {
  shell: { read: () => ({ commands: [], unread: undefined }) },
  ofCall: () => ({ effects: [] }),
};
