import { Agent, run, setTracingDisabled, tool } from "@openai/agents-core";
import type { Tool } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { createOrcs } from "orcs";
import { governed } from "orcs/openai-agents";

// An agent of OpenAI Agents, with orcs as a user installs it. It compiles with the types of the library, and prints what
// held when it ran: JSON, by name.

setTracingDisabled(true);
const SECRET = `ghp_${"a1B2".repeat(9)}`;
const ran: string[] = [];
const parameters = {
  type: "object" as const,
  properties: {},
  required: [],
  additionalProperties: true as const,
};

/** A tool that notes the arguments and the call that it gets. */
function noting(name: string, result: unknown): Tool {
  return tool({
    name,
    description: name,
    strict: false,
    parameters,
    execute: (args, _context, details) => {
      ran.push(`${name} ${JSON.stringify(args)} ${details?.toolCall?.callId}`);
      return result;
    },
  }) as Tool;
}

const tools = [
  noting("leak", { at: new Date(0), token: SECRET }),
  noting("date", new Date(0)),
  noting("rm", "removed"),
];

/** The outputs of an agent that makes these calls, one after the other, with each question answered with yes. */
async function outputs(
  orcs: Parameters<typeof governed>[0],
  ...calls: readonly (readonly [name: string, args: Record<string, unknown>])[]
) {
  const model = new ScriptedModel([
    ...calls.map(([name, args], i) => [functionCall(name, args, { callId: `c${i}` })]),
    [assistantMessage("done")],
  ]);
  const agent = governed(orcs, new Agent({ name: "agent", model, tools }));
  ran.length = 0;
  let questions = 0;
  let result = await run(agent, "go");
  while (result.interruptions.length > 0) {
    questions += result.interruptions.length;
    for (const question of result.interruptions) result.state.approve(question);
    result = await run(agent, result.state);
  }
  const told = result.history.flatMap((item) =>
    item.type === "function_call_result" ? [JSON.stringify(item.output)] : [],
  );
  return { told, questions, all: JSON.stringify(result.history) };
}

const held: Record<string, boolean> = {};
const orcs = await createOrcs({
  config: {
    hooks: [
      { script: "orcs:mask-secrets" },
      { script: "orcs:budget", options: { session: { calls: 2 }, warn_at: 1 } },
      {
        point: "tool.pre_execute",
        match: { tool: "rm" },
        handler_inline: 'orcs.ask("sure?")',
        priority: 1,
      },
      {
        point: "tool.pre_execute",
        priority: 2,
        handler_inline: 'if ctx.payload.args.path == "old" then ctx.payload.args.path = "new" end',
      },
    ],
  },
});

{
  const { told, all } = await outputs(
    orcs.session({ session_id: "a" }),
    ["leak", {}],
    ["date", {}],
  );
  held["a secret beside a Date is masked"] =
    !all.includes(SECRET) && told[0]?.includes("1970-01-01T00:00:00.000Z") === true;
  held["a Date stays what it was"] = told[1]?.includes("1970-01-01T00:00:00.000Z") === true;
}
{
  const rms = ["old", "b", "c"].map((path) => ["rm", { path }] as const);
  const { told, questions } = await outputs(orcs.session({ session_id: "b" }), ...rms);
  held["questions are the SDK's own; approved, the calls run with the call as second argument"] =
    questions >= 2 && ran.join() === 'rm {"path":"new"} c0,rm {"path":"b"} c1';
  held["an approved call is one call of the session's budget"] =
    told[2]?.includes("denied by hook budget") === true;
}
{
  const { told } = await outputs(orcs.session({ session_id: "c" }), ["date", {}]);
  held["another session has a budget of its own"] = told[0]?.includes("denied") === false;
}

await orcs.close();
process.stdout.write(JSON.stringify(held));
