import { addTo, getOwn, isJsonObject, isPlainObject, MASK, setOwn } from "../../core/index.ts";
import type {
  Edit,
  HookContext,
  HookReport,
  Json,
  JsonObject,
  PointSpec,
  Redactor,
} from "../../core/index.ts";

/** The context with the secrets of its payload and its metadata masked; the same one without a redactor. */
export function maskedContext(ctx: HookContext, redactor: Redactor | undefined): HookContext {
  if (!redactor) return ctx;
  const payload = redactor.value(ctx.payload as Json) as HookContext["payload"];
  const metadata = redactor.value(ctx.metadata as Json) as HookContext["metadata"];
  return { ...ctx, payload, metadata };
}

/**
 * Convert a report about a redacted context into one about the original: its edits, and its replacement of the result.
 */
export function restoredReport(
  report: HookReport,
  point: PointSpec,
  sent: HookContext,
  original: HookContext,
): HookReport {
  const isWhole = sent.payload === original.payload && sent.metadata === original.metadata;
  if (isWhole || "failure" in report) return report;
  const edits = restoredEdits(report.edits, partsOf(sent), partsOf(original));
  const { answer } = report;
  if (!isJsonObject(answer as Json) || (answer as JsonObject)["action"] !== "replace") {
    return { answer, edits };
  }
  const { result = null, ...rest } = answer as JsonObject;
  const at = (ctx: HookContext): Json | undefined =>
    getOwn(ctx.payload as JsonObject, point.resultKey);
  return { answer: { ...rest, result: restored(result, at(sent), at(original)) }, edits };
}

/** The parts that hooks can edit. */
function partsOf({ payload, metadata }: HookContext): Json {
  return { payload: payload as Json, metadata: metadata as Json };
}

/**
 * Convert edits of a redacted copy into edits of the original: values that are still masked get their original content.
 * A secret is only restored where it was: in its place, among the items of its list, or in its text if the number of
 * masks is unchanged. Values that were masked in the original stay masked.
 * @param sent the redacted copy
 * @param original what it was made of; of the same structure
 */
export function restoredEdits(edits: readonly Edit[], sent: Json, original: Json): Edit[] {
  return edits.map(({ path, value }) => {
    let [was, is]: [Json | undefined, Json | undefined] = [sent, original];
    const at = path.map((step) => {
      const key = originalKey(step, was, is);
      [was, is] = [child(was, step), child(is, key)];
      return key;
    });
    return { path: at, value: value === undefined ? value : restored(value, was, is) };
  });
}

/** A value derived from a redacted one, with its masked parts restored. */
export function restored(value: Json, sent: Json | undefined, original: Json | undefined): Json {
  if (sent === undefined || original === undefined || sent === original) return value;
  if (typeof value === "string") {
    if (value === sent) return original;
    const isText = typeof sent === "string" && typeof original === "string";
    return isText && value.includes(MASK) ? restoredText(value, sent, original) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return Array.isArray(sent) && Array.isArray(original)
      ? restoredList(value, sent, original)
      : value;
  }
  return isPlainObject(sent) && isPlainObject(original)
    ? restoredObject(value, sent, original)
    : value;
}

function restoredObject(value: JsonObject, sent: JsonObject, original: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    const key = String(originalKey(name, sent, original));
    setOwn(copy, key, restored(item, getOwn(sent, name), getOwn(original, key)));
  }
  return copy;
}

/**
 * Equal items are matched by position from the start, then from the end. In between, an item is matched with the first
 * one that looks like it, otherwise with the changed one in its position.
 */
function restoredList(value: Json[], sent: Json[], original: Json[]): Json[] {
  const are = value.map(keyOf);
  const were = sent.map(keyOf);
  const shorter = Math.min(are.length, were.length);
  let head = 0;
  while (head < shorter && are[head] === were[head]) head++;
  let tail = 0;
  while (tail < shorter - head && are.at(-1 - tail) === were.at(-1 - tail)) tail++;
  const places = new Map<string, number[]>();
  for (let i = were.length - tail - 1; i >= head; i--) addTo(places, were[i] ?? "", i);
  return value.map((item, i) => {
    if (i < head) return original[i] ?? item;
    const fromEnd = value.length - i;
    if (fromEnd <= tail) return original[original.length - fromEnd] ?? item;
    const place = places.get(are[i] ?? "")?.pop();
    if (place !== undefined) return original[place] ?? item;
    return value.length === sent.length ? restored(item, sent[i], original[i]) : item;
  });
}

function keyOf(item: Json): string {
  return JSON.stringify(item);
}

/** A text that was changed around its masked parts. */
function restoredText(value: string, sent: string, original: string): string {
  const secrets = secretsOf(sent, original);
  const parts = value.split(MASK);
  if (secrets?.length !== parts.length - 1) return value;
  return parts.map((part, i) => (i === 0 ? "" : (secrets[i - 1] ?? "")) + part).join("");
}

/** The masked parts of a text in order; undefined where the two texts do not match. */
function secretsOf(sent: string, original: string): string[] | undefined {
  const [first = "", ...parts] = sent.split(MASK);
  if (!original.startsWith(first)) return undefined;
  const secrets: string[] = [];
  let at = first.length;
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1;
    // A secret has at least one character.
    const found = isLast ? original.length - part.length : original.indexOf(part, at + 1);
    if (found <= at || !original.startsWith(part, found)) return undefined;
    secrets.push(original.slice(at, found));
    at = found + part.length;
  }
  return secrets;
}

/** The name of a key before it was masked: keys that only one of the two has are in the same order. */
function originalKey(
  key: string | number,
  sent: Json | undefined,
  original: Json | undefined,
): string | number {
  if (typeof key === "number" || !isJsonObject(sent) || !isJsonObject(original)) return key;
  if (!key.includes(MASK) || Object.hasOwn(original, key) || !Object.hasOwn(sent, key)) return key;
  const masked = Object.keys(sent).filter((name) => !Object.hasOwn(original, name));
  const named = Object.keys(original).filter((name) => !Object.hasOwn(sent, name));
  return named[masked.indexOf(key)] ?? key;
}

function child(value: Json | undefined, step: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isJsonObject(value) ? getOwn(value, String(step)) : undefined;
}
