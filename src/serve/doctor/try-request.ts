import type { HttpPlace } from "../http-place.ts";
import { TOKEN_VARIABLE } from "../install/host-settings.ts";
import { whoListens } from "../sessions/who-listens.ts";
import { note, problem } from "./report.ts";
import type { EntryReport } from "./report.ts";

/** An entry whose host sends events over HTTP. */
export interface RequestTrial {
  readonly url: string;
  /** What the host finds in its environment; undefined when nothing. */
  readonly token: string | undefined;
  /** Where the HTTP side of this user listens; undefined where nobody knows. */
  readonly http: HttpPlace | undefined;
  /** An event of a session that no agent has. */
  readonly body: string;
  /** What to do when it cannot work. */
  readonly hint: string;
}

const ANSWER_MS = 5000;
/** That it is of no session which an agent has begun is the answer that shows that it is heard. */
const HEARD = "ORCS7009";

/**
 * Look whether what a host sends would be heard. Nothing listens while no agent is at work, which is as it should be.
 * Never rejects.
 */
export async function tryRequest({
  url,
  token,
  http,
  body,
  hint,
}: RequestTrial): Promise<Pick<EntryReport, "tried" | "works" | "findings">> {
  const failed = (text: string) => ({
    tried: null,
    works: false,
    findings: [problem(text, hint)],
  });
  const port = Number(new URL(url).port);
  if (http === undefined) return failed("it is not known any more where the HTTP side listens");
  if (http.port !== port)
    return failed(`the HTTP side listens on port ${http.port}, not on ${port}`);
  if (token === undefined) {
    const text = `${TOKEN_VARIABLE} is not set where an agent is started: each request is refused without it`;
    return failed(text);
  }
  if (token !== http.token) return failed(`${TOKEN_VARIABLE} is not the token of the HTTP side`);
  const who = await whoListens(http);
  if (who === "another") return failed(`port ${port} is another program's`);
  if (who === "silent") return failed(`what listens on port ${port} does not answer`);
  if (who === "nobody") {
    const text = "nothing listens now: the next session of an agent starts it";
    return { tried: null, works: true, findings: [note(text)] };
  }
  const began = performance.now();
  const said = await ask(url, token, body);
  const ms = Math.round(performance.now() - began);
  if (said.includes(HEARD)) return { tried: { ms, answer: "refusal" }, works: true, findings: [] };
  return {
    ...failed(`it does not answer as it should: ${said}`),
    tried: { ms, answer: undefined },
  };
}

async function ask(url: string, token: string, body: string): Promise<string> {
  try {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(url, { method: "POST", headers, body, signal });
    return (await response.text()).slice(0, 500);
  } catch (thrown) {
    return String(thrown);
  }
}
