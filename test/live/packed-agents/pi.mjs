import { Agent } from "@earendil-works/pi-agent-core";
import {
  createFauxCore,
  fauxAssistantMessage,
  fauxText,
  fauxToolCall,
} from "@earendil-works/pi-ai";
import { createOrcs } from "orcs";
import { commands, shell } from "./commands.mjs";
import { governed } from "./orcs-pi.mjs";

const faux = createFauxCore({});
faux.setResponses([
  ...commands.map((command, i) =>
    fauxAssistantMessage(fauxToolCall("exec", { command }, { id: `${i}` }), {
      stopReason: "toolUse",
    }),
  ),
  fauxAssistantMessage(fauxText("finished")),
]);
const orcs = await createOrcs({ config: "orcs.toml" });
const exec = {
  name: "exec",
  label: "exec",
  description: "Run a command.",
  parameters: {
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
  },
  execute: async (_id, { command }) => ({
    content: [{ type: "text", text: shell(command) }],
    details: {},
  }),
};
const tools = governed(orcs.session({ session_id: "s1" }), [exec]);
const agent = new Agent({
  initialState: { systemPrompt: "Publish.", model: faux.getModel(), tools },
  streamFn: faux.streamSimple,
});

await agent.prompt("Do what is to be done.");
console.log(JSON.stringify(agent.state.messages));
await orcs.close();
