import { OrcsError } from "../core/errors.ts";
import { expandTemplate, hasPlaceholder, percentEncoded } from "./env-template.ts";
import type { Variables } from "./env-template.ts";

/** Scheme and authority, as they are written. `URL` itself reads far more than that as a URL. */
const ORIGIN = /^https?:\/\/[^/?#\\\s]+/i;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * The URL of a webhook with its variables expanded. They stand in path and query alone and are
 * percent-encoded there, so that no value can lead to another host, or out of its place in the path.
 *
 * @throws OrcsError ORCS1004 when it is not a URL of http(s), holds credentials, or has a variable
 *   elsewhere, one that is not allowed or not set, or one whose value would be read as `.` or `..`
 */
export function webhookUrl(template: string, variables: Variables): URL {
  const [origin] = ORIGIN.exec(template) ?? [];
  if (hasPlaceholder(origin ?? template.slice(0, 2))) {
    throw mistake("a ${NAME} may stand in its path and query only");
  }
  // `URL` drops tabs and line breaks: the segments below would not be the ones that are requested.
  if (origin === undefined || /\s/.test(template)) {
    throw mistake("expected http:// or https://, a host, and no white space");
  }
  const text = origin + expandRest(template.slice(origin.length), variables);
  if (!URL.canParse(text)) throw mistake("it is not a URL");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw mistake("it holds credentials; send them in a header");
  }
  return url;
}

/** What comes behind the host, segment by segment. */
function expandRest(rest: string, variables: Variables): string {
  return rest.replace(/[^/\\?#]+/g, (segment) => {
    const expanded = expandTemplate(segment, variables, "the webhook's url", written);
    if (expanded !== segment && DOT_SEGMENT.test(expanded)) {
      throw mistake("a variable's value would be read as a step in the path");
    }
    return expanded;
  });
}

function written(value: string): string {
  const text = percentEncoded(value);
  if (text === undefined) throw mistake("a variable's value is not Unicode text");
  return text;
}

function mistake(why: string): OrcsError {
  return new OrcsError("ORCS1004", `the webhook's url: ${why}`);
}
