import { Agent, run, setTracingDisabled, tool } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { createOrcs } from "orcs";
import { governed } from "orcs/openai-agents";
import { commands, shell } from "./commands.mjs";

setTracingDisabled(true);
const model = new ScriptedModel([
  ...commands.map((command, i) => [functionCall("exec", { command }, { callId: `${i}` })]),
  [assistantMessage("finished")],
]);
const orcs = await createOrcs({ config: "orcs.toml" });
const exec = tool({
  name: "exec",
  description: "Run a command.",
  strict: false,
  parameters: {
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
    additionalProperties: true,
  },
  execute: ({ command }) => shell(command),
});
const agent = governed(
  orcs.session({ session_id: "s1" }),
  new Agent({ name: "publisher", model, tools: [exec] }),
);

const { history, finalOutput } = await run(agent, "Do what is to be done.", { maxTurns: 20 });
console.log(JSON.stringify(history), finalOutput);
await orcs.close();
