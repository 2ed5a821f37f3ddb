import { ATTRIBUTES } from "../../src/daemon/otel/attributes.ts";
import { METERS } from "../../src/daemon/otel/meters.ts";
import {
  INNOCENT_BEFORE_TOKEN,
  INNOCENT_NAMES,
  TELLING_ENDS,
  TELLING_WORDS,
} from "../../src/guards/redact/key-names.ts";
import { tokenForms, tokenKinds as secretKinds } from "../../src/guards/redact/token-kinds.ts";
import type { ActionName, Verdict } from "../../src/core/actions.ts";
import { ACTION_NAMES, ACTIONS } from "../../src/core/actions.ts";
import type { SignalKind } from "../../src/core/component.ts";
import { SIGNALS } from "../../src/core/component.ts";
import { ERROR_CODES } from "../../src/core/errors.ts";
import type { DocumentedKey, KeySpec, PointRow } from "../../src/core/point-table.ts";
import { ORCS_POINTS, POINT_ALIASES, POINT_TABLE } from "../../src/core/point-table.ts";
import { RUNTIME_VERBS } from "../../src/core/runtime-verbs.ts";
import type { ToolSpec } from "../../src/core/tools.ts";
import { EFFECT_KINDS } from "../../src/core/effects.ts";
import { EFFECT_CONDITIONS } from "../../src/core/hook.ts";
import { programs } from "../../src/matching/programs/dictionary.ts";
import { ROLES } from "../../src/matching/programs/notation.ts";
import { BUILTIN_TOOLS } from "../../src/core/tools.ts";
import { ALLOWED_GLOBALS } from "../../src/core/lua-globals.ts";
import { agentTable, otherAgentTable } from "./agent-table.ts";
import { EVENT_PARTS } from "./event-tables.ts";
import { FIELD_PARTS } from "./field-tables.ts";
import { FEATURES, LIBRARY_FEATURES } from "./library-features.ts";
import { failureTable } from "./failure-table.ts";
import { LIMIT_PARTS, waitTable } from "./limit-tables.ts";
import { ahpDecisions, ahpEvents } from "./ahp-tables.ts";
import { shellPacks, shellRuleLists } from "./shell-rules.ts";
import { list, table } from "./table.ts";
import { WIRE_PARTS } from "./wire-tables.ts";

/** What of the documentation is made from tables of the code. */

const NOTE = "<!-- Generated from the code by npm run generate -->";

/** docs/reference/hook-points.md */
export function hookPointsPage(): string {
  const families = familiesOf(Object.entries<PointRow>(POINT_TABLE));
  return [
    "# Hook points",
    NOTE,
    "A hook point is a named place in the life cycle of an agent, in the form `family.phase_verb`. At a **pre** point a hook can rewrite the input, skip the operation or deny it; at a **post** point it can replace or deny the result; at an **on** point it can only observe, unless the point is a _question_, whose value it can replace ([actions](actions.md)).",
    `orcs dispatches these itself: \`tool.pre_execute\`, \`tool.post_execute\` and \`tool.on_failure\` around every tool call, \`llm.pre_generate\` and \`llm.post_generate\` around every call of a model, the family \`auth\` where commands are checked and granted, and, in the [runtime](runtime.md), the families ${runtimeFamilies()}. All others are dispatched by the program that embeds orcs, with \`orcs.dispatch\` and \`orcs.invoke\` ([embedding](embedding.md)).`,
    "**Bold** keys of a payload are always present, an asterisk marks names and ids, which a hook must not change, and `&` marks capability bits, which a hook can only remove. A payload can contain further keys. These are common to many points, which only list their names:",
    keyList(COMMON_KEYS),
    ...families.flatMap(familySections),
    "## Aliases",
    'The names of other systems (`PreToolUse`, after "Also" in each section) are accepted wherever a point is expected, in upper or lower case and with or without underscores: `pre_tool_use` and `PRE_TOOL_USE` are the same.',
    'An alias of `host.pre_event` is one event of a coding agent. A hook at `ConfigChange` is a hook at `host.pre_event` with `match.event = "ConfigChange"`, and a dispatch of `ConfigChange` has `payload.event = "ConfigChange"`.',
  ]
    .join("\n\n")
    .concat("\n");
}

/** docs/reference/errors.md */
export function errorsPage(): string {
  const families: Record<string, string> = {
    1: "Definitions and configuration",
    2: "Dispatch",
    3: "Lua",
    4: "Tools",
    5: "Command line",
    6: "Runtime",
    7: "Coding agents",
    8: "Trust, audit log, records",
    9: "Sharing, and the documentation",
  };
  const codes = Object.entries(ERROR_CODES);
  const unlisted = codes.find(([code]) => !Object.hasOwn(families, code.charAt("ORCS".length)));
  if (unlisted) throw new Error(`docs/reference/errors.md has no section for ${unlisted[0]}`);
  return [
    "# Errors",
    NOTE,
    "Every error that orcs throws is an `OrcsError`. It has a stable `code`, `fields` for programs and, if several errors were found at once, `diagnostics` with the position of each. The message starts with the code, and contains the cause.",
    ...Object.entries(families).flatMap(([digit, title]) => [
      `## ${title}`,
      list(codes.filter(([code]) => code.startsWith(`ORCS${digit}`))),
    ]),
  ]
    .join("\n\n")
    .concat("\n");
}

const SHELL_PACKS = await shellPacks();

/** Parts of pages, between `<!-- made: name -->` and `<!-- /made -->`. */
export const PARTS: Readonly<Record<string, () => string>> = {
  ...EVENT_PARTS,
  ...FIELD_PARTS,
  ...LIMIT_PARTS,
  ...WIRE_PARTS,
  "action-table": actionTable,
  agents: agentTable,
  "ahp-decisions": ahpDecisions,
  "ahp-events": ahpEvents,
  "allow-list": allowList,
  "effect-kinds": effectKinds,
  "library-features": libraryFeatures,
  "program-names": programNames,
  "program-roles": programRoles,
  "protocol-failures": failureTable,
  "otel-attributes": otelAttributes,
  "otel-metrics": otelMetrics,
  "other-agents": otherAgentTable,
  "runtime-verbs": verbTable,
  "shell-rules": () => shellRuleLists(SHELL_PACKS),
  signals: signalTable,
  "telling-names": tellingNames,
  "token-kinds": tokenKinds,
  tools: toolTable,
  waits: waitTable,
};

function effectKinds(): string {
  return table(
    ["kind", "the call", "condition"],
    Object.entries(EFFECT_KINDS).map(([kind, does]) => {
      const keys = Object.entries(EFFECT_CONDITIONS).filter(([, about]) => about === kind);
      return [`\`${kind}\``, does, keys.map(([key]) => `\`${key}\``).join(", ")];
    }),
  );
}

function programNames(): string {
  const { names, row } = programs();
  return names()
    .filter((name) => !name.includes("/") && row(name)?.names[0] === name)
    .map((name) => `\`${name}\``)
    .join(" ");
}

function programRoles(): string {
  return list(Object.entries(ROLES));
}

function tellingNames(): string {
  const quoted = (names: readonly string[]): string =>
    names.map((name) => `\`${name}\``).join(", ");
  return table(
    ["a name that", "examples"],
    [
      [`ends with ${quoted(TELLING_ENDS)}`, "`PGPASSWORD`, `x-api-key`, `AWS_SECRET_ACCESS_KEY`"],
      [
        `has as its last word ${quoted(TELLING_WORDS)}`,
        "`GITHUB_TOKEN`, `clientSecret`, `DB_PASS`",
      ],
      [
        `is an exception, and is not masked: \`token\` after ${quoted(INNOCENT_BEFORE_TOKEN)}, and ${quoted(INNOCENT_NAMES)}`,
        "`max_token`, `nextPageToken`; `max_tokens`, `token_count` and `tokenizer` do not have such an ending",
      ],
    ],
  );
}

function tokenKinds(): string {
  const begins = new Map<string, string[]>();
  for (const kind of secretKinds()) {
    begins.set(kind.name, [...(begins.get(kind.name) ?? []), ...kind.begins]);
  }
  return [
    ...[...begins].map(
      ([name, known]) => `- ${name}: ${known.map((begin) => `\`${begin.trim()}\``).join(", ")}`,
    ),
    ...tokenForms().map(({ name, looks }) => `- ${name}: \`${looks}\``),
  ].join("\n");
}

function otelAttributes(): string {
  return list(
    Object.entries(ATTRIBUTES).map(([name, row]) => [
      name,
      "isContent" in row ? `${row.text} Only with \`content: true\`.` : row.text,
    ]),
  );
}

function otelMetrics(): string {
  return table(
    ["metric", "kind", "meaning", "attributes"],
    Object.entries(METERS).map(([name, { kind, unit, text, attributes }]) => [
      `\`${name}\``,
      `${kind}, \`${unit}\``,
      text,
      attributes.map((attribute) => `\`${attribute}\``).join(", "),
    ]),
  );
}

function libraryFeatures(): string {
  return table(
    ["library", ...FEATURES],
    LIBRARY_FEATURES.map(({ label, cells }) => {
      const link = `[${label}](#${label.toLowerCase().replaceAll(" ", "-")})`;
      return [link].concat(FEATURES.map((feature) => cells[feature].text ?? "yes"));
    }),
  );
}

/** A page with its made parts as they should be. */
export function withParts(text: string): string {
  return text.replaceAll(
    /(<!-- made: ([\w-]+) -->\n)[\s\S]*?(<!-- \/made -->)/g,
    (_all, begin: string, name: string, end: string) => {
      const part = PARTS[name];
      if (!part) throw new Error(`no part is named ${name}`);
      return `${begin}\n${part()}\n\n${end}`;
    },
  );
}

/** The families of points that only a runtime dispatches. */
function runtimeFamilies(): string {
  return familiesOf(Object.entries<PointRow>(ORCS_POINTS))
    .map(([name]) => name)
    .filter((name) => name !== "tool" && name !== "auth")
    .map((name) => `\`${name}\``)
    .join(", ");
}

function familySections([family, points]: readonly [string, [string, PointRow][]]): string[] {
  const sections = points.map((point, i) => pointSection(point, points.slice(0, i)));
  return [`## ${family}`, ...sections];
}

type Key = readonly [string, DocumentedKey];

/** The keys that at least five points share. */
const COMMON_KEYS: readonly Key[] = (() => {
  const keys = Object.values<PointRow>(POINT_TABLE).flatMap((row) => Object.entries(row.keys));
  const shared = new Map(keys.map(([key, spec]) => [spec, [key, spec] as const]));
  return [...shared.values()].filter(
    ([, spec]) => keys.filter(([, other]) => other === spec).length >= 5,
  );
})();

/** The points by the part of their name before the dot, in the order of the table. */
function familiesOf(rows: readonly [string, PointRow][]): [string, [string, PointRow][]][] {
  const families = new Map<string, [string, PointRow][]>();
  for (const row of rows) {
    const family = row[0].slice(0, row[0].indexOf("."));
    const points = families.get(family) ?? [];
    points.push(row);
    families.set(family, points);
  }
  return [...families];
}

/** A point whose keys are those of an earlier one of its family, and more, lists only what is more. */
function pointSection(
  [name, row]: readonly [string, PointRow],
  earlier: readonly (readonly [string, PointRow])[],
): string {
  const kind = row.question ? `${row.phase}, a question` : row.phase;
  const aliases = Object.entries(POINT_ALIASES)
    .filter(([, point]) => point === name)
    .map(([alias]) => `\`${alias}\``);
  const [base, { keys: known }] = earlier.find(([, { keys }]) =>
    Object.entries(keys).every(([key, spec]) => row.keys[key] === spec),
  ) ?? ["", { keys: {} }];
  const more = Object.entries(row.keys).filter(([key]) => !Object.hasOwn(known, key));
  const named = more.filter(([, spec]) => COMMON_KEYS.some(([, common]) => common === spec));
  const own = more.filter((key) => !named.includes(key));
  const others = [
    ...(base ? [`those of \`${base}\``] : []),
    ...named.map((key) => markedName(key)),
  ];
  return [
    `### \`${name}\``,
    [
      `${row.doc} Phase: ${kind}.`,
      ...(aliases.length > 0 ? [`Also: ${aliases.join(", ")}.`] : []),
      ...(row.input !== undefined ? [`Input: \`${row.input}\`.`] : []),
      ...(row.result !== undefined || row.question
        ? [`Result: \`${row.result ?? "result"}\`.`]
        : []),
      ...(others.length > 0
        ? [`Keys: ${others.join(", ")}${own.length > 0 ? ", and:" : "."}`]
        : []),
    ].join(" "),
    ...(own.length > 0 ? [keyList(own)] : []),
  ].join("\n\n");
}

function keyList(keys: readonly Key[]): string {
  return keys
    .map((key) => `- ${markedName(key)} (${KINDS[key[1].kind]}): ${key[1].doc}`)
    .join("\n");
}

function markedName([key, spec]: Key): string {
  const name = spec.required ? `**\`${key}\`**` : `\`${key}\``;
  return `${name}${spec.fixed ? "\\*" : ""}${spec.shrinks ? "&" : ""}`;
}

const KINDS: Readonly<Record<KeySpec["kind"], string>> = {
  string: "string",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  object: "object",
  list: "list",
  strings: "list of strings",
  any: "any",
};

const VERDICTS: Readonly<Record<Verdict, string>> = {
  legal: "yes",
  warn: "warning, treated as `continue`",
  fail: "the hook fails",
};

function actionTable(): string {
  const columns = ["pre", "post", "on", "question"] as const;
  const row = (action: ActionName): string[] => {
    const verdicts = columns.map((column) => VERDICTS[ACTIONS[action].at[column]]);
    return [`\`${action}\``, ...verdicts, ACTIONS[action].effect];
  };
  return table(["action", ...columns, "effect"], ACTION_NAMES.map(row));
}

function allowList(): string {
  return table(
    ["library", "functions and values"],
    Object.entries(ALLOWED_GLOBALS).map(([library, names]) => [
      library,
      names.map((name) => `\`${name}\``).join(" "),
    ]),
  );
}

function toolTable(): string {
  return table(
    ["tool", "arguments", "result, in addition to `ok`", "capability"],
    Object.entries<ToolSpec>(BUILTIN_TOOLS).map(([name, { args, answers, capability, doc }]) => [
      `\`${name}\`: ${doc}`,
      Object.entries(args)
        .map(([key, arg]) => `\`${key}\`${arg.required ? "" : "?"}: ${arg.doc}`)
        .join("<br>"),
      Object.entries(answers)
        .map(([key, answer]) => `\`${key}\`: ${answer.doc}`)
        .join("<br>"),
      capability,
    ]),
  );
}

/** The doc of a runtime function begins with its call, followed by a colon and its description. */
function verbTable(): string {
  return table(
    ["function", "what it does; result, in addition to `ok`"],
    Object.entries(RUNTIME_VERBS).map(([name, { doc }]) => {
      const [, call = "", rest = ""] = /^`([^`]*)`: (.*)$/s.exec(doc) ?? [];
      if (!call.startsWith(name))
        throw new Error(`the doc of ${name} does not begin with its call`);
      return [`\`orcs.${call}\` ⏳`, rest];
    }),
  );
}

const CHANNEL_ACTIONS: Readonly<Record<(typeof SIGNALS)[SignalKind], string>> = {
  stop: "ends at once: its current request fails with an error, and the component shuts down and returns its snapshot",
  cancel: "aborts its current request, which fails with `ORCS6014`, and continues",
  pause: "handles no requests and events until `resume`; they wait",
  resume: "handles requests and events again",
  approve: "approves the question with the `approval_id` of the signal",
  reject: "rejects the question with the `approval_id` of the signal",
};

function signalTable(): string {
  return table(
    ["signal", "the channel"],
    Object.entries(SIGNALS).map(([kind, action]) => [`\`${kind}\``, CHANNEL_ACTIONS[action]]),
  );
}
