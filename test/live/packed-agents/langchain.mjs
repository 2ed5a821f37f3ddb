import { AIMessage, createAgent, fakeModel, tool } from "langchain";
import { createOrcs } from "orcs";
import { orcsMiddleware } from "orcs/langchain";
import { commands, shell } from "./commands.mjs";

const model = fakeModel();
for (const command of commands) model.respondWithTools([{ name: "exec", args: { command } }]);
model.respond(new AIMessage("finished"));
const orcs = await createOrcs({ config: "orcs.toml" });
const exec = tool(({ command }) => shell(command), {
  name: "exec",
  description: "Run a command.",
  schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
});
const agent = createAgent({
  model,
  tools: [exec],
  middleware: [orcsMiddleware(orcs.session({ session_id: "s1" }))],
});

const { messages } = await agent.invoke(
  { messages: [{ role: "user", content: "Do what is to be done." }] },
  { recursionLimit: 100 },
);
console.log(messages.map(({ text }) => text).join("\n"));
await orcs.close();
