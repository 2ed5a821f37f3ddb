import { isContainer, ownData, shown } from "./visible-value.ts";

/** Keys that say what an event is about, in arguments and in payloads, the most descriptive first. */
const SUBJECT_KEYS = [
  "command",
  "file_path",
  "path",
  "notebook_path",
  "url",
  "pattern",
  "query",
  "prompt",
  "from",
  "operation",
  "event",
  "message",
] as const;

/** What an event is about: the command, the path, … */
export interface Subject {
  readonly key: (typeof SUBJECT_KEYS)[number];
  /** Whether it is one of the arguments. */
  readonly isArgument: boolean;
  readonly text: string;
}

/** What an event with this payload is about, as hooks read it. Never throws. */
export function subjectIn(payload: Readonly<Record<string, unknown>>): Subject | undefined {
  try {
    const args = shown(ownData(payload, "args"));
    const inArgs = isContainer(args) ? found(args, true) : undefined;
    return inArgs ?? found(payload, false);
  } catch {
    // Thrown by the trap of a proxy.
    return undefined;
  }
}

/** As `subjectIn`, the text alone. */
export function subjectOf(payload: Readonly<Record<string, unknown>>): string | undefined {
  return subjectIn(payload)?.text;
}

function found(from: Parameters<typeof ownData>[0], isArgument: boolean): Subject | undefined {
  for (const key of SUBJECT_KEYS) {
    const text = shown(ownData(from, key));
    if (typeof text === "string" && text !== "") return { key, isArgument, text };
  }
  return undefined;
}
