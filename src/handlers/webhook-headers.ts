import { OrcsError } from "../core/errors.ts";
import { expandTemplate } from "./env-template.ts";
import type { Variables } from "./env-template.ts";

/** What is sent unless the hook says otherwise. */
const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  accept: "application/json",
  "user-agent": "orcs",
};

/** Headers that say how the message is framed and carried; whoever could set them could add one to it. */
export const OWN_HEADERS = [
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
] as const;

/** RFC 9110, 5.6.2: token. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/**
 * The headers of a webhook's requests, names in lower case, variables expanded.
 *
 * @throws OrcsError ORCS1004 for a name that is no header name or not to be set, for a variable that is
 *   not allowed or not set, and for a value with a line break or anything else that is not printable
 *   ASCII; ORCS1017 for a name given twice. The value is never told.
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
  // Asking for no compression keeps the size of what is read the size of what was sent.
  return { ...DEFAULT_HEADERS, ...Object.fromEntries(headers), "accept-encoding": "identity" };
}

function checkedName(name: string): string {
  if (!NAME.test(name)) {
    throw mistake(`${JSON.stringify(name)} is not the name of a header`, name);
  }
  const key = name.toLowerCase();
  if ((OWN_HEADERS as readonly string[]).includes(key)) {
    throw mistake(`the header ${name} is not to be set: orcs sends its own`, name);
  }
  return key;
}

function checkedValue(name: string, template: string, variables: Variables): string {
  const value = expandTemplate(template, variables, `the webhook's header ${name}`);
  if (VALUE.test(value)) return value;
  throw mistake(
    `the value of the header ${name} holds a line break or another character that is not printable ASCII`,
    name,
  );
}

function mistake(why: string, name: string): OrcsError {
  return new OrcsError("ORCS1004", `webhook: ${why}`, { name });
}
