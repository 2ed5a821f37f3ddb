import { z } from "zod";
import { CAPABILITIES } from "../core/capabilities.ts";
import type { CapabilityName } from "../core/capabilities.ts";
import { AUDIT_LEVELS, FSYNC_POLICIES } from "../core/audit.ts";
import { grant } from "./grant.ts";
import { compileRegex } from "../matchers/regex.ts";
import { checkedText } from "./checked-text.ts";
import { failureMode, milliseconds } from "./hook-schema.ts";
import { tableSchema } from "./table-schema.ts";

const text = z.string().min(1);
const capability = z.enum(Object.keys(CAPABILITIES) as CapabilityName[]);
const pattern = checkedText((source) => void compileRegex("redact", source));
/** A `lua_State` counts its memory in 32 bits. */
const megabytes = z.int().min(1).max(2048);

/** The sections of a configuration besides the hooks: a key stands here when something reads it. */
export const SETTINGS_SHAPE = {
  debug: z.boolean().optional(),
  self_guard: z.boolean().optional(),
  model: section({ provider: text, name: text, temperature: z.number().min(0) }),
  hil: section({ mode: z.enum(["terminal", "callback", "deny"]), timeout_ms: milliseconds }),
  paths: section({ state: text, audit: text, snapshots: text }),
  ui: section({ color: z.enum(["auto", "always", "never"]), verbose: z.boolean() }),
  scripts: section({ dirs: z.array(text) }),
  permissions: section({
    root: text,
    capabilities: z.array(capability),
    env: z.array(text),
    grants: z.array(grant),
  }),
  engine: section({
    on_error: failureMode,
    max_depth: z.int().min(1).max(100),
    trace: z.boolean(),
    max_payload_mb: megabytes,
    test_on_reload: z.boolean(),
    load_ms: milliseconds,
  }),
  lua: section({
    max_run_ms: milliseconds,
    max_chain_ms: milliseconds,
    memory_mb: megabytes,
    isolation: z.enum(["thread", "worker"]),
  }),
  serve: section({
    auto: z.boolean(),
    port: z.int().min(0).max(65_535),
    idle_minutes: z.number().min(0.01).max(100_000),
  }),
  hosts: section({ ask: z.enum(["deny", "pass"]), rewrite: z.enum(["refuse", "approve"]) }),
  audit: section({
    level: z.enum(AUDIT_LEVELS),
    fsync: z.enum(FSYNC_POLICIES),
    on_error: failureMode,
    max_mb: megabytes,
    keep: z.int().min(1).max(100_000),
  }),
  redact: section({ keys: z.array(text), patterns: z.array(pattern) }),
  trust: section({ untrusted: z.enum(["warn", "deny"]) }),
};

/** What one configuration says of the settings; what it leaves out is undefined. */
export type SettingsTable = z.output<z.ZodObject<typeof SETTINGS_SHAPE>>;

function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return tableSchema(shape).optional();
}
