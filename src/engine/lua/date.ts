import { type JsonObject, words } from "../../core/index.ts";

/** The date with the seconds of a day, and the parts that formats show, as numbers in one time zone. */
type Write = (date: Date) => string;

const DAYS = words("Sunday Monday Tuesday Wednesday Thursday Friday Saturday");
const MONTHS = words(
  `January February March April May June July August September October November December`,
);
const DAY_MS = 86_400_000;

const two = (value: number): string => String(value).padStart(2, "0");
const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;
const yearDay = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
const text = (names: readonly string[], at: number): string => names[at] ?? "";

/** The conversions of `os.date` that are the same in every locale. */
const CONVERSIONS: Readonly<Record<string, Write>> = {
  "%": () => "%",
  A: (date) => text(DAYS, date.getUTCDay()),
  B: (date) => text(MONTHS, date.getUTCMonth()),
  D: (date) => `${two(date.getUTCMonth() + 1)}/${two(date.getUTCDate())}/${shortYear(date)}`,
  F: (date) => date.toISOString().slice(0, 10),
  H: (date) => two(date.getUTCHours()),
  I: (date) => two(hour12(date)),
  M: (date) => two(date.getUTCMinutes()),
  R: (date) => date.toISOString().slice(11, 16),
  S: (date) => two(date.getUTCSeconds()),
  T: (date) => date.toISOString().slice(11, 19),
  Y: (date) => String(date.getUTCFullYear()),
  a: (date) => text(DAYS, date.getUTCDay()).slice(0, 3),
  b: (date) => text(MONTHS, date.getUTCMonth()).slice(0, 3),
  d: (date) => two(date.getUTCDate()),
  j: (date) => String(yearDay(date)).padStart(3, "0"),
  m: (date) => two(date.getUTCMonth() + 1),
  p: (date) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  u: (date) => String(date.getUTCDay() || 7),
  w: (date) => String(date.getUTCDay()),
  y: shortYear,
};

const DEFAULT_FORMAT = "%Y-%m-%d %H:%M:%S";

/** The last second of the year 9999, and the first of the year 0. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
const EARLIEST = Date.UTC(-1, 11, 31, 24) / 1000;

/**
 * A date as text, or its parts for the format `*t`, as `os.date` of Lua: a leading `!` means UTC.
 * @param seconds since 1970
 * @param isUtc whether UTC is used without `!`, too
 * @returns undefined for a time without a date; `wrong` is a conversion that does not exist
 */
export function formatDate(
  format: string | undefined,
  seconds: number,
  isUtc: boolean,
): string | { readonly parts: JsonObject } | { readonly wrong: string } | undefined {
  if (!(seconds >= EARLIEST && seconds <= LATEST)) return undefined;
  const [, bang, rest = ""] = /^(!?)(.*)$/s.exec(format ?? DEFAULT_FORMAT) ?? [];
  const ms = Math.floor(seconds) * 1000;
  const offset = isUtc || bang === "!" ? 0 : -new Date(ms).getTimezoneOffset() * 60_000;
  // Shifted, so that its parts in UTC are those of the time zone.
  const date = new Date(ms + offset);
  if (rest === "*t") return { parts: partsOf(date) };
  let wrong: string | undefined;
  const written = rest.replaceAll(/%(.?)/gsu, (conversion, letter: string) => {
    if (letter === "z") return zone(offset);
    if (Object.hasOwn(CONVERSIONS, letter)) return CONVERSIONS[letter]?.(date) ?? "";
    wrong ??= conversion;
    return "";
  });
  return wrong === undefined ? written : { wrong };
}

function partsOf(date: Date): JsonObject {
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    min: date.getUTCMinutes(),
    sec: date.getUTCSeconds(),
    wday: date.getUTCDay() + 1,
    yday: yearDay(date),
  };
}

function shortYear(date: Date): string {
  return two(date.getUTCFullYear() % 100);
}

function zone(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000;
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}
