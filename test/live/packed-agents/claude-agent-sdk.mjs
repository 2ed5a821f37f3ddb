import { query } from "@anthropic-ai/claude-agent-sdk";
import { createOrcs } from "orcs";
import { orcsHooks } from "orcs/claude-agent-sdk";

const orcs = await createOrcs({ config: "orcs.toml" });
const options = { hooks: orcsHooks(orcs), allowedTools: ["Bash"] };
for await (const message of query({ prompt: "Do what is to be done.", options })) {
  if (message.type === "result") console.log(message.result);
}
await orcs.close();
