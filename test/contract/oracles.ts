import type { HookEvent } from "@anthropic-ai/claude-agent-sdk";
import type { HostName } from "../../src/core/hosts.ts";
import type { HostAnswer } from "../../src/formats/host-protocol.ts";
import { codexReads } from "../unit/formats/codex-reads.ts";
import * as claude from "./claude-code-answers.ts";
import * as copilot from "./copilot-answers.ts";
import * as cursor from "./cursor-answers.ts";
import * as gemini from "./gemini-answers.ts";
import type { Shown } from "./noticed.ts";
import * as qwen from "./qwen-answers.ts";

/** How an agent takes an answer, written by hand. */
interface Oracle {
  /** What of it the agent would not take. */
  faults: (event: string, answer: HostAnswer) => string[];
  /** Whether what the event is about does not happen, or what happened is hidden. */
  refuses: (event: string, answer: HostAnswer) => boolean;
  /** Whether a denial of a hook denies an event, or withholds its result; undefined if there is no such list. */
  isRefusable?: (event: string) => boolean;
  /** Where its user is shown a notice. */
  shown: (event: string) => Shown;
}

const stderr: Shown = { keys: [], way: "stderr" };
const message = { keys: ["systemMessage"], way: "output" } as const;

export const ORACLES: Readonly<Record<HostName, Oracle>> = {
  "claude-code": {
    faults: (event, answer) => (isUnknown(event) ? [] : claude.faults(event as HookEvent, answer)),
    refuses: (event, answer) => claude.refuses(event as HookEvent, answer),
    shown: () => message,
  },
  codex: {
    faults: (event, answer) => codexReads(event, answer).rejected?.split("\n") ?? [],
    refuses: (event, answer) => codexReads(event, answer).blocked !== undefined,
    shown: (event) => (event === "SessionEnd" || isUnknown(event) ? stderr : message),
  },
  gemini: {
    faults: gemini.faults,
    refuses: gemini.refuses,
    shown(event) {
      if (event === "BeforeToolSelection") return { keys: [], way: "nowhere" };
      return isUnknown(event) ? stderr : message;
    },
  },
  cursor: {
    faults: cursor.faults,
    refuses: cursor.refuses,
    isRefusable: cursor.isRefusable,
    shown: (event) =>
      Object.hasOwn(cursor.TAKES[event] ?? {}, "user_message")
        ? { keys: ["user_message", "userMessage"], way: "output and stderr" }
        : stderr,
  },
  copilot: {
    faults: copilot.faults,
    refuses: copilot.refuses,
    isRefusable: copilot.isRefusable,
    shown: (event) => (copilot.warns(event) ? { keys: [], way: "code" } : stderr),
  },
  qwen: {
    faults: (event, answer) => (isUnknown(event) ? [] : qwen.faults(event, answer)),
    refuses: qwen.refuses,
    isRefusable: qwen.isRefusable,
    shown: (event) => (event === "Stop" ? message : stderr),
  },
};

function isUnknown(event: string): boolean {
  return ["BeforeLunch", "x", "constructor", "__proto__"].includes(event);
}
