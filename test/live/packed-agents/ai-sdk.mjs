import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createOrcs } from "orcs";
import { governed } from "orcs/ai-sdk";
import { commands, shell } from "./commands.mjs";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const turn = (content, unified) => ({
  content: [content],
  finishReason: { unified },
  usage,
  warnings: [],
});
const model = new MockLanguageModelV3({
  doGenerate: [
    ...commands.map((command, i) =>
      turn(
        {
          type: "tool-call",
          toolCallId: `${i}`,
          toolName: "exec",
          input: JSON.stringify({ command }),
        },
        "tool-calls",
      ),
    ),
    turn({ type: "text", text: "finished" }, "stop"),
  ],
});
const orcs = await createOrcs({ config: "orcs.toml" });
const exec = tool({
  inputSchema: jsonSchema({ type: "object" }),
  execute: ({ command }) => shell(command),
});

const { text } = await generateText({
  model,
  prompt: "Do what is to be done.",
  tools: governed(orcs.session({ session_id: "s1" }), { exec }),
  stopWhen: stepCountIs(20),
});
console.log(JSON.stringify(model.doGenerateCalls.map(({ prompt }) => prompt)), text);
await orcs.close();
