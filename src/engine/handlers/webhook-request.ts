import { type Environment, isKnown, OrcsError, variableOf, words } from "../../core/index.ts";

/** Scheme and authority as written. `URL` accepts far more than that. */
const ORIGIN = /^https?:\/\/[^/?#\\\s]+/i;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * The URL of a webhook with its variables expanded. They are allowed only in path and query, and percent-encoded there,
 * so that no value can lead to another host or leave its place in the path.
 * @throws OrcsError ORCS1004 when it is not an http(s) URL, contains credentials, or has a variable elsewhere, one that
 * is not allowed or not set, or one whose value would be read as `.` or `..`
 */
export function webhookUrl(template: string, variables: Variables): URL {
  const [origin] = ORIGIN.exec(template) ?? [];
  if ((origin ?? template.slice(0, 2)).includes("${")) {
    throw urlError("a ${NAME} is allowed in the path and the query only");
  }
  // `URL` drops tabs and line breaks: the segments below would not be the requested ones.
  if (origin === undefined || /\s/.test(template)) {
    throw urlError("expected http:// or https://, a host, and no white space");
  }
  const text = origin + expandRest(template.slice(origin.length), variables);
  if (!URL.canParse(text)) throw urlError("it is not a valid URL");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw urlError("it contains credentials; send them in a header");
  }
  return url;
}

/** The part after the host, segment by segment. */
function expandRest(rest: string, variables: Variables): string {
  return rest.replace(/[^/\\?#]+/g, (segment) => {
    const expanded = expandTemplate(segment, variables, "the webhook's url", written);
    if (expanded !== segment && DOT_SEGMENT.test(expanded)) {
      throw urlError("the value of a variable would change the path");
    }
    return expanded;
  });
}

function written(value: string): string {
  const text = percentEncoded(value);
  if (text === undefined) throw urlError("the value of a variable is not valid Unicode");
  return text;
}

function urlError(why: string): OrcsError {
  return new OrcsError("ORCS1004", `the webhook's url: ${why}`);
}

/** Headers that are sent by default. */
const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  accept: "application/json",
  "user-agent": "orcs",
};

/** Headers that determine framing and connection; setting them could smuggle a second message. */
export const OWN_HEADERS =
  words(`accept-encoding connection content-encoding content-length expect host keep-alive
  proxy-authorization proxy-connection te trailer transfer-encoding upgrade`);

/** RFC 9110, 5.6.2: token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/**
 * The headers of a webhook's requests, names in lower case, variables expanded.
 * @throws OrcsError ORCS1004 for an invalid or reserved name, for a variable that is not allowed or not set, and for a
 * value that is not printable ASCII; ORCS1017 for a duplicate name. The value is never shown.
 */
export function webhookHeaders(
  written: Readonly<Record<string, string>>,
  variables: Variables,
): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const [name, template] of Object.entries(written)) {
    const key = checkedName(name);
    if (headers.has(key)) {
      throw new OrcsError("ORCS1017", `the webhook's header ${key} is given twice`, { name: key });
    }
    headers.set(key, checkedValue(name, template, variables));
  }
  // Without compression, the size that is read is the size that was sent.
  return { ...DEFAULT_HEADERS, ...Object.fromEntries(headers), "accept-encoding": "identity" };
}

function checkedName(name: string): string {
  if (!HEADER_NAME.test(name)) {
    throw headerError(`${JSON.stringify(name)} is not a valid header name`, name);
  }
  const key = name.toLowerCase();
  if (OWN_HEADERS.includes(key)) {
    throw headerError(`the header ${name} cannot be set: orcs sets it`, name);
  }
  return key;
}

function checkedValue(name: string, template: string, variables: Variables): string {
  const value = expandTemplate(template, variables, `the webhook's header ${name}`);
  if (VALUE.test(value)) return value;
  const why = `the value of the header ${name} contains a line break or another character that is not printable ASCII`;
  throw headerError(why, name);
}

function headerError(why: string, name: string): OrcsError {
  return new OrcsError("ORCS1004", `webhook: ${why}`, { name });
}

/** The variables for `${NAME}`. */
export interface Variables {
  /** Allowed names; no other variable is read. */
  readonly allowed: readonly string[];
  readonly environment: Environment;
}

/**
 * In place of the values, to check all but them: those of an event are known when it comes.
 * @param names the allowed variables
 */
export function anyValues(names: readonly string[]): Environment {
  return { variables: Object.fromEntries(names.map((name) => [name, "x"])) };
}

const PLACEHOLDER = /\$\{([^}]*)(\}?)/g;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Expand `${NAME}` in a template. Once: values are not expanded again. An empty variable counts as not set, since that
 * is how a missing secret looks on many systems.
 * @param where a description of the template for messages, which never show its values
 * @param write encodes a value for its place
 * @throws OrcsError ORCS1019 for a `${NAME}` that is not allowed, not set or malformed; ORCS7022 for one that is not
 *   known
 */
export function expandTemplate(
  template: string,
  variables: Variables,
  where: string,
  write: (value: string) => string = (value) => value,
): string {
  return template.replace(PLACEHOLDER, (_, name: string, end: string) => {
    if (end === "" || !VARIABLE_NAME.test(name)) {
      throw new OrcsError("ORCS1019", `${where}: \${ must be followed by a name and }`);
    }
    return write(valueOf(name, variables, where));
  });
}

/** A value in the form of a URL; undefined when it is not valid Unicode. */
function percentEncoded(value: string): string | undefined {
  try {
    return encodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/** Shorter values are words that occur in any message. */
const SHORTEST_SECRET = 6;

/** The values of variables in all encodings in which they may be sent (plain, URL, JSON), the longest first. */
export function secretsOf({ allowed, environment }: Variables): readonly string[] {
  const known = allowed.filter((name) => isKnown(environment, name));
  const values = known.map((name) => variableOf(environment, name) ?? "");
  const forms = values.flatMap((value) => [
    value,
    percentEncoded(value) ?? "",
    JSON.stringify(value).slice(1, -1),
  ]);
  return [...new Set(forms)]
    .filter((text) => text.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
}

function valueOf(name: string, { allowed, environment }: Variables, where: string): string {
  if (!allowed.includes(name)) {
    throw new OrcsError("ORCS1019", `${where}: \${${name}} is not listed in allow_env`, { name });
  }
  const value = variableOf(environment, name);
  if (value !== undefined && value !== "") return value;
  const why = `${where}: the environment variable ${name} is not set`;
  throw new OrcsError("ORCS1019", why, { name });
}

/** A text without secrets. @param secrets the longest first */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text);
}
