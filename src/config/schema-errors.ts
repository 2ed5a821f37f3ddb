import { z } from "zod";
import { ERROR_CODES, type ErrorCode, MATCH_KEYS, nearest, wordSet } from "../core/index.ts";
import { type ConfigError, didYouMean, type KeyPath, lastKeyText } from "./config-error.ts";
import { describeValue } from "./schema-parts.ts";

type Issue = z.core.$ZodIssue;

/**
 * Validate a value; returns the output of the schema, and every error. Without code that zod would generate: most
 * schemas check one value in a process.
 */
export function checkSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { table: z.output<Schema> | undefined; errors: ConfigError[] } {
  const result = schema.safeParse(value, { reportInput: true, jitless: true });
  if (result.success) return { table: result.data, errors: [] };
  const byPlace = new Map<string, ConfigError>();
  const hints = { left: MOST_HINTS };
  for (const mistake of result.error.issues.flatMap((issue) => errorsOf(issue, schema, hints))) {
    // One value can violate two bounds; one message is enough.
    byPlace.set(JSON.stringify([mistake.code, mistake.path]), mistake);
  }
  return { table: undefined, errors: [...byPlace.values()] };
}

/** Maximum number of unknown keys for which a similar known key is searched. */
const MOST_HINTS = 200;

function errorsOf(issue: Issue, schema: z.ZodType, hints: { left: number }): ConfigError[] {
  const path = issue.path.filter((step) => typeof step !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, path);
    const isHook = known.includes("match");
    const hintFor = (key: string): string | undefined =>
      hints.left-- > 0
        ? ((isHook ? ofHook(key) : undefined) ??
          didYouMean(nearest(key, known)) ??
          `known keys: ${known.join(", ")}`)
        : undefined;
    return issue.keys.map((key) => {
      const message = `unknown key ${JSON.stringify(key)}`;
      return { code: "ORCS1003", path: [...path, key], at: "key", message, hint: hintFor(key) };
    });
  }
  if (issue.code === "custom") return [customError(issue, path)];
  if (issue.input === undefined) {
    const message = `${lastKeyText(path)} is missing`;
    return [{ code: "ORCS1013", path: path.slice(0, -1), at: "key", message }];
  }
  const message = `expected ${expectation(issue)}, got ${describeValue(issue.input)}`;
  return [{ code: "ORCS1004", path, at: "value", message, hint: valueHint(issue, path) }];
}

const DECISION_KEYS = wordSet("action allow ask block decision deny inject reason");

/** What is meant by a key of a hook that belongs below `match`, or states what the handler decides. */
function ofHook(key: string): string | undefined {
  if ((MATCH_KEYS as readonly string[]).includes(key)) return `write match.${key}`;
  if (!DECISION_KEYS.has(key)) return undefined;
  return `its handler decides, such as handler_inline = 'orcs.deny("why")'`;
}

/** The keys that a schema has in the table at a path. */
function knownKeys(schema: z.ZodType, path: KeyPath): string[] {
  let at: unknown = schema;
  for (const step of path) {
    const outer = bare(at);
    if (outer instanceof z.ZodObject) at = (outer.shape as z.ZodRawShape)[String(step)];
    else if (outer instanceof z.ZodArray) at = outer.element;
    else if (outer instanceof z.ZodRecord) at = outer.valueType;
  }
  const table = bare(at);
  return table instanceof z.ZodObject ? Object.keys(table.shape) : [];
}

function bare(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodLazy) return bare(schema.unwrap());
  return schema instanceof z.ZodPipe ? bare(schema.out) : schema;
}

/** The error of a custom check; its `params` have the code and the hint. */
function customError(issue: z.core.$ZodIssueCustom, path: KeyPath): ConfigError {
  const code: unknown = issue.params?.["code"];
  const hint: unknown = issue.params?.["hint"];
  return {
    code: isErrorCode(code) ? code : "ORCS1004",
    path,
    at: "value",
    message: issue.message,
    hint: typeof hint === "string" ? hint : webhookHint(issue.input, path),
  };
}

function webhookHint(input: unknown, path: KeyPath): string | undefined {
  if (path.at(-1) !== "webhook" || typeof input !== "string") return undefined;
  return `write webhook = { url = ${JSON.stringify(input)} }`;
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERROR_CODES, code);
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  array: "a list",
  object: "a table",
  record: "a table",
};

function expectation(issue: Exclude<Issue, z.core.$ZodIssueCustom>): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPE_NAMES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return eitherOf(issue.values.map((value) => JSON.stringify(value)));
    case "too_small":
      if (issue.origin === "string") return "a non-empty string";
      return `${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
    case "too_big":
      return `at most ${issue.maximum}`;
    default:
      // Not used by the schema; zod's message is better than nothing.
      return issue.message;
  }
}

function eitherOf(choices: readonly string[]): string {
  return [choices.slice(0, -1).join(", "), ...choices.slice(-1)].join(" or ");
}

function valueHint(issue: Issue, path: KeyPath): string | undefined {
  if (issue.code === "invalid_value" && typeof issue.input === "string") {
    return didYouMean(nearest(issue.input, issue.values.map(String)));
  }
  // The most common error in TOML: [hooks] is one table, [[hooks]] a list of tables.
  if (issue.code === "invalid_type" && issue.expected === "array" && path.at(-1) === "hooks") {
    return `write [[${path.join(".")}]]`;
  }
  return undefined;
}
