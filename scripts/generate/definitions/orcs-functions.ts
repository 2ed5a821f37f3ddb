import { ORCS_FUNCTIONS, ORCS_VALUES } from "../../../src/core/orcs-api.ts";
import type { LuaField, LuaParameter, OrcsFunction } from "../../../src/core/orcs-api.ts";
import { RUNTIME_VERBS } from "../../../src/core/runtime-verbs.ts";
import type { RuntimeVerb } from "../../../src/core/runtime-verbs.ts";
import { BATCH_REQUEST, VERB_SHAPES } from "./verb-shapes.ts";
import { TOOLS } from "../../../src/core/tools.ts";
import type { ArgKind, ToolSpec } from "../../../src/core/tools.ts";
import { classText, functionText, pascal } from "./lua-writer.ts";
import { hookClassNames } from "./point-classes.ts";
import { shellClasses } from "./shell-classes.ts";

/** The table `orcs`: its values, then its functions with the classes of what they take and give. */
export function orcsFunctions(): string[] {
  const functions: Readonly<Record<string, OrcsFunction>> = ORCS_FUNCTIONS;
  return [
    classText({ name: "orcs.Null", doc: "The type of orcs.null.", fields: {} }),
    classText({
      name: "orcs.CallOptions",
      doc: "Options of a tool call.",
      fields: CALL_OPTIONS,
    }),
    classText({
      name: "orcs.ExecArgvOptions",
      doc: "Options of orcs.exec_argv.",
      fields: { ...argFields(ARGV_OPTIONS), ...CALL_OPTIONS },
    }),
    classText({
      name: "orcs.BatchRequest",
      doc: "A request of orcs.request_batch.",
      fields: BATCH_REQUEST,
    }),
    classText({ name: "orcs.Date", doc: "The result of orcs.date for *t.", fields: DATE }),
    classText({ name: "orcs.ToolAnswer", doc: "The result of a tool.", fields: TOOL_ANSWER }),
    ...shellClasses(),
    `${classText({ name: "orcs", doc: "The functions of the engine for scripts.", fields: ORCS_VALUES })}\norcs = {}`,
    `---Values that scripts share.\n---@class orcs.State\norcs.state = {}`,
    ...Object.entries(functions).map(([name, fn]) =>
      functionText(`orcs.${name}`, name === "hook" ? withOverloads(fn) : fn),
    ),
    ...Object.entries<ToolSpec>(TOOLS).flatMap(([name, spec]) => toolTexts(name, spec)),
    ...(Object.keys(RUNTIME_VERBS) as RuntimeVerb[]).flatMap(verbTexts),
  ];
}

const CALL_OPTIONS: Readonly<Record<string, LuaField>> = {
  metadata: {
    type: "table<string, any>",
    doc: "ctx.metadata of the call's hooks.",
    optional: true,
  },
};

const DATE: Readonly<Record<string, LuaField>> = {
  year: { type: "integer", doc: "The year, for example 2026." },
  month: { type: "integer", doc: "The month, 1 to 12." },
  day: { type: "integer", doc: "The day of the month, 1 to 31." },
  hour: { type: "integer", doc: "The hour, 0 to 23." },
  min: { type: "integer", doc: "The minute, 0 to 59." },
  sec: { type: "integer", doc: "The second, 0 to 59." },
  wday: { type: "integer", doc: "The day of the week, 1 is Sunday." },
  yday: { type: "integer", doc: "The day of the year, 1 is the first of January." },
};

const TOOL_ANSWER: Readonly<Record<string, LuaField>> = {
  ok: { type: "boolean", doc: "Whether the call succeeded." },
  error: { type: "string", doc: "The error message, when it failed." },
  "[string]": { type: "any", doc: "Other fields of the result." },
};

function withOverloads(hook: OrcsFunction): OrcsFunction {
  const ofPoints = hookClassNames().map((name) => `fun(hook: ${name}): string`);
  return { ...hook, overloads: [...ofPoints, ...(hook.overloads ?? [])] };
}

const ARG_TYPES: Readonly<Record<ArgKind, string>> = {
  string: "string",
  text: "string",
  path: "string",
  milliseconds: "integer",
  strings: "table<string, string>",
  flag: "boolean",
};

/** The arguments of `exec` that `orcs.exec_argv` takes as options. */
const { command: _, shell: __, ...ARGV_OPTIONS } = TOOLS.exec.args;

function argFields(args: ToolSpec["args"]): Record<string, LuaField> {
  const fields = Object.entries(args).map(([key, { kind, required, doc }]) => {
    const field: LuaField = { type: ARG_TYPES[kind], doc, ...(!required && { optional: true }) };
    return [key, field] as const;
  });
  return Object.fromEntries(fields);
}

function toolTexts(name: string, { doc, short, args, answers }: ToolSpec): string[] {
  const [argsName, answerName] = [`orcs.${pascal(name)}Args`, `orcs.${pascal(name)}Answer`];
  const own = argFields(args);
  const params = short.map((key): LuaParameter => {
    const field = own[key];
    if (!field) throw new Error(`${name} has no argument ${key}`);
    return Object.assign({ name: key }, field);
  });
  const options: LuaParameter = {
    name: "options",
    type: "orcs.CallOptions",
    doc: "Options of the call.",
    optional: true,
  };
  const open =
    name === "llm"
      ? { "[string]": { type: "any", doc: "Other options of the program's `llm` function." } }
      : {};
  return [
    classText({ name: argsName, doc: `All arguments of ${name}.`, fields: { ...own, ...open } }),
    classText({
      name: answerName,
      parent: "orcs.ToolAnswer",
      doc: `What ${name} answers.`,
      fields: answers,
    }),
    functionText(`orcs.${name}`, {
      doc,
      params: [...params, options],
      returns: { type: answerName, doc: "ok says whether the call succeeded." },
      overloads: [`fun(args: ${argsName}, options?: orcs.CallOptions): ${answerName}`],
    }),
  ];
}

function verbTexts(name: RuntimeVerb): string[] {
  const { params, options, answers } = VERB_SHAPES[name];
  const answerName = `orcs.${pascal(name)}Answer`;
  // The doc begins with the call and its colon, which the definition says itself.
  const doc = RUNTIME_VERBS[name].doc.replace(/^`[^`]*`: /, "").replaceAll("`", "");
  return [
    ...(options
      ? [
          classText({
            name: `orcs.${pascal(name)}Options`,
            doc: `The table that ${name} takes.`,
            fields: options,
          }),
        ]
      : []),
    classText({
      name: answerName,
      parent: "orcs.ToolAnswer",
      doc: `What ${name} answers.`,
      fields: {
        code: { type: "string", doc: "Code of the error, such as ORCS6001.", optional: true },
        ...answers,
      },
    }),
    functionText(`orcs.${name}`, {
      doc: `In the runtime: ${doc}.`,
      params,
      returns: { type: answerName, doc: "ok says whether the call succeeded." },
    }),
  ];
}
