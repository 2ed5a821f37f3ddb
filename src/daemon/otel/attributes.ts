/** A value of a span, a metric or a log record. */
type AttributeKind = "string" | "number" | "boolean";

interface AttributeRow {
  readonly kind: AttributeKind;
  readonly text: string;
  /** Only sent when the program asks for content. */
  readonly isContent?: true;
}

/**
 * The attributes of spans and metrics. The names with `gen_ai` are those of the semantic conventions of OpenTelemetry
 * for generative AI. Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
export const ATTRIBUTES = {
  "gen_ai.operation.name": row(
    "string",
    "`execute_tool` for a tool call, `chat` for a model call.",
  ),
  "gen_ai.tool.name": row("string", "The tool."),
  "gen_ai.tool.call.id": row("string", "The agent's id of the call."),
  "gen_ai.tool.call.arguments": content("The arguments as JSON, with secrets masked."),
  "gen_ai.tool.call.result": content("The result as JSON, with secrets masked."),
  "gen_ai.conversation.id": row("string", "The session of the agent."),
  "gen_ai.agent.id": row("string", "The agent."),
  "gen_ai.request.model": row("string", "The model of a model call."),
  "gen_ai.provider.name": row("string", "Its provider."),
  "error.type": row("string", "The kind of a failure, or the name of the error that was thrown."),
  "orcs.point": row("string", "The hook point."),
  "orcs.component": row("string", "The component, `namespace::name`."),
  "orcs.child": row("string", "The path of the child."),
  "orcs.dispatch_id": row("string", "As in [events](events.md#ids)."),
  "orcs.action": row(
    "string",
    "The outcome, or what a hook returned: `continue`, `skip`, `abort`, …",
  ),
  "orcs.decision": row("string", "`allow`, `ask`, `deny` or `defer`, if a hook decided."),
  "orcs.reason": row("string", "Its reason, with secrets masked."),
  "orcs.hook.id": row("string", "The hook; on the span of a call, the one that decided."),
  "orcs.hook.source": row("string", "Its file and line."),
  "orcs.hook.status": row("string", "What became of it: `ran`, `failed` or `timed_out`."),
  "orcs.hook.changes": row("number", "How many values it changed."),
  "orcs.hook.async": row("boolean", "True for an asynchronous hook."),
} as const satisfies Record<`${string}.${string}`, AttributeRow>;

export type AttributeName = keyof typeof ATTRIBUTES;

/** Attributes of one span, metric or record; undefined values are left out. */
export type AttributeValues = {
  readonly [K in AttributeName]?: string | number | boolean | undefined;
};

/**
 * The attributes that have a value. In a loop: with `Object.entries` and `fromEntries`, it took several times as long.
 */
export function present(values: AttributeValues): Record<string, string | number | boolean> {
  const found: Record<string, string | number | boolean> = {};
  for (const key in values) {
    const value = values[key as AttributeName];
    if (value !== undefined) found[key] = value;
  }
  return found;
}

function row(kind: AttributeKind, text: string): AttributeRow {
  return { kind, text };
}

function content(text: string): AttributeRow {
  return { kind: "string", text, isContent: true };
}
