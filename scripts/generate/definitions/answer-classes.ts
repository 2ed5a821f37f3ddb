import {
  ACTION_NAMES,
  ACTION_TABLE,
  ACTIONS,
  DECISIONS,
  INJECT_STRATEGIES,
} from "../../../src/core/actions.ts";
import type { ActionName } from "../../../src/core/actions.ts";
import type { LuaField } from "../../../src/core/orcs-api.ts";
import { aliasText, classText, oneOf, pascal } from "./lua-writer.ts";

/** What handlers answer: a class per action, and which ones may be given where. */
export function answerClasses(): string[] {
  return [
    aliasText("orcs.Decision", "A permission decision.", oneOf([...DECISIONS, "deny"])),
    aliasText(
      "orcs.Injection",
      "A text for the model.",
      `string|{ content: string, strategy?: ${oneOf(INJECT_STRATEGIES)} }`,
    ),
    ...ACTION_NAMES.map((action) =>
      classText({
        name: className(action),
        doc: `Result: ${ACTIONS[action].effect.replaceAll("`", "")}.`,
        fields: Object.fromEntries(
          ACTIONS[action].keys.map((key) => [key, fieldOf(action, key)] as const),
        ),
      }),
    ),
    aliasText(
      "orcs.Answer",
      "What a handler may return at some point.",
      ACTION_NAMES.map(className).join("|"),
    ),
    ...Object.entries(ACTION_TABLE).map(([phase, verdicts]) =>
      aliasText(
        answerName(phase),
        `What a handler may return at ${phase === "question" ? "questions" : `${phase} points`}.`,
        ACTION_NAMES.filter((action) => verdicts[action] === "legal")
          .map(className)
          .join("|"),
      ),
    ),
  ];
}

/** The answers that are legal in a phase. */
export function answerName(phase: string): string {
  return `orcs.answer.${phase}`;
}

const OPTIONAL: Readonly<Record<string, LuaField>> = {
  action: { type: "string", doc: "The action.", optional: true },
  ctx: {
    type: "orcs.Context",
    doc: "The context, unchanged or changed.",
    optional: true,
  },
  decision: { type: "orcs.Decision", doc: "The permission decision.", optional: true },
  reason: { type: "string", doc: "The reason.", optional: true },
  inject: {
    type: "orcs.Injection|orcs.Injection[]",
    doc: "Text for the model, in order.",
    optional: true,
  },
  stop: {
    type: "boolean",
    doc: "Skip the remaining hooks; the operation continues.",
    optional: true,
  },
  result: { type: "any", doc: "The result.", optional: true },
  delay_ms: { type: "number", doc: "Milliseconds to wait first.", optional: true },
};

function className(action: ActionName): string {
  return `orcs.${pascal(action)}`;
}

function fieldOf(action: ActionName, key: string): LuaField {
  const field = OPTIONAL[key];
  if (!field) throw new Error(`the key ${key} of answers has no line`);
  // Only what continues may leave out what it is.
  if (key === "action") {
    return {
      ...field,
      type: `"${action}"`,
      ...(action !== "continue" && { optional: undefined }),
    } as LuaField;
  }
  if (key === "result" && action === "replace") return { type: field.type, doc: field.doc };
  return field;
}
