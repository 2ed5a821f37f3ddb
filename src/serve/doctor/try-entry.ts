import { isPlainObject } from "../../core/json.ts";
import type { ProcessResult } from "../../spawn/run-process.ts";
import { runProcess } from "../../spawn/run-process.ts";
import type { HttpPlace } from "../http-place.ts";
import { TOKEN_VARIABLE } from "../install/settings-places.ts";
import { whoListens } from "../sessions/who-listens.ts";
import type { EntryReport, Finding, Tried } from "./report.ts";
import { note, problem } from "./report.ts";

/** A command to run as a host does. */
interface Trial {
  /** A line for a shell. */
  readonly command: string;
  /** What reads it; default `sh -c`. */
  readonly shell?: readonly [file: string, ...args: string[]] | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Milliseconds. */
  readonly withinMs: number;
}

const MAX_OUTPUT_BYTES = 2 ** 20;

/** Run a command and judge what it said as a host would. Never rejects. */
export async function tryCommand(
  trial: Trial,
): Promise<{ readonly tried: Tried; readonly findings: readonly Finding[] }> {
  const { result, ms } = await run(trial);
  const judged = judge(result, trial.withinMs);
  return "finding" in judged
    ? { tried: { ms, answer: undefined }, findings: [judged.finding] }
    : { tried: { ms, answer: judged.answer }, findings: [] };
}

/**
 * The version that a program of an entry says it is, or what is wrong with it.
 * @param program as a shell reads it
 * @param hint what to do when it is none
 */
export async function programVersion(
  program: string,
  around: Pick<Trial, "cwd" | "env">,
  hint: string,
): Promise<
  | { readonly version: string }
  | { readonly finding: Finding; readonly isDead: boolean; readonly isMissing: boolean }
> {
  const withinMs = VERSION_MS;
  const trial = { ...around, command: `${program} --version`, stdin: "", withinMs };
  const { result } = await run(trial);
  const said = textOf(result, "stdout").trim();
  if (result.kind === "exited" && result.code === 0) {
    if (/^\d+\.\d+\.\d+\S*$/.test(said)) return { version: said };
    const text = `${program} is not orcs: --version says ${quoted(said)}`;
    return { finding: problem(text, hint), isDead: false, isMissing: false };
  }
  const isMissing = result.kind === "exited" && result.code === 127;
  const text = `${program}: ${failureOf(result, withinMs)}`;
  return { finding: problem(text, hint), isDead: true, isMissing };
}

const VERSION_MS = 5_000;

async function run({ withinMs, command, shell = ["sh", "-c"], ...trial }: Trial) {
  const began = performance.now();
  const [file, ...args] = shell;
  const result = await runProcess({
    ...trial,
    file,
    args: [...args, command],
    timeoutMs: withinMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  return { result, ms: Math.round(performance.now() - began) };
}

type Judged = { readonly answer: Tried["answer"] } | { readonly finding: Finding };

function judge(result: ProcessResult, withinMs: number): Judged {
  if (result.kind !== "exited" || (result.code !== 0 && result.code !== 2)) {
    return { finding: problem(failureOf(result, withinMs)) };
  }
  const stdout = textOf(result, "stdout").trim();
  const stderr = textOf(result, "stderr").trim();
  if (result.code === 2) {
    if (stderr === "")
      return { finding: problem("it refuses with exit code 2 and gives no reason") };
    return failedOr([stderr.replaceAll(LOGGED, "")], "refusal");
  }
  if (stdout === "") return { answer: "nothing" };
  const output = objectOf(stdout);
  if (!output) {
    return { finding: problem(`stdout is not one JSON object: ${quoted(stdout)}`) };
  }
  return failedOr(stringsOf(output), REFUSES.test(JSON.stringify(output)) ? "refusal" : "object");
}

/** How the hosts are told no. */
const REFUSES =
  /"(?:permissionDecision|decision|permission|behavior)":"(?:deny|block)"|"continue":false|"action":"decline"/;
/** What orcs itself says when it could not ask the hooks; a hook's own words come after its id. */
const FAILED = /^(?!blocked by hook ).*?(\bORCS\d{4}\b.*|\borcs failed:.*|\borcs hook:.*)$/m;

/** What the log says besides, such as that a project is not trusted. */
const LOGGED = /^orcs (?:debug|info|warn): .*$/gm;

/** A refusal by a hook is an answer; one for want of hooks that can be asked is none. */
function failedOr(texts: readonly string[], answer: Tried["answer"]): Judged {
  for (const text of texts) {
    const [, failed] = FAILED.exec(text) ?? [];
    if (failed !== undefined) return { finding: problem(shortened(failed)) };
  }
  return { answer };
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

function failureOf(result: ProcessResult, withinMs: number): string {
  const words = firstLine(textOf(result, "stderr"));
  const why = words === "" ? "" : `: ${words}`;
  switch (result.kind) {
    case "timeout":
      return `no answer within ${withinMs / 1000} s`;
    case "output_limit":
      return `it writes more than ${MAX_OUTPUT_BYTES} bytes to ${result.stream}`;
    case "not_started":
      return `it cannot be started: ${result.error}`;
    case "signalled":
      return `it was ended by ${result.signal}${why}`;
    case "aborted":
      return "it was aborted";
    case "exited":
      if (result.code === 127) return `the command was not found${why}`;
      if (result.code === 126) return `the command cannot be executed${why}`;
      return `exit code ${result.code}, which lets everything pass at most hosts${why}`;
  }
}

function textOf(result: ProcessResult, stream: "stdout" | "stderr"): string {
  return result.kind === "not_started" ? "" : Buffer.from(result[stream]).toString("utf8");
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Of what Node says of a failure, the first line is where, and a later one is what. */
function firstLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const told = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.find((line) => line !== "");
  return shortened(told ?? "");
}

function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/** An entry whose host sends events over HTTP. */
interface RequestTrial {
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
