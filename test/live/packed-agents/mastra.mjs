import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { createOrcs } from "orcs";
import { z } from "zod";
import { commands, shell } from "./commands.mjs";
import { governed } from "./orcs-mastra.mjs";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const turn = (parts, unified) => ({
  stream: simulateReadableStream({
    chunks: [
      { type: "stream-start", warnings: [] },
      ...parts,
      { type: "finish", finishReason: { unified }, usage },
    ],
  }),
});
const model = new MockLanguageModelV3({
  doStream: [
    ...commands.map((command, i) =>
      turn(
        [
          {
            type: "tool-call",
            toolCallId: `${i}`,
            toolName: "exec",
            input: JSON.stringify({ command }),
          },
        ],
        "tool-calls",
      ),
    ),
    turn(
      [
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "finished" },
        { type: "text-end", id: "t" },
      ],
      "stop",
    ),
  ],
});
const orcs = await createOrcs({ config: "orcs.toml" });
const exec = createTool({
  id: "exec",
  description: "Run a command.",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => shell(command),
});
const tools = governed(orcs.session({ session_id: "s1" }), { exec });
const agent = new Agent({
  id: "publisher",
  name: "publisher",
  instructions: "Publish.",
  model,
  tools,
});

const stream = await agent.stream("Do what is to be done.", { maxSteps: 20 });
const text = await stream.text;
console.log(JSON.stringify(model.doStreamCalls.map(({ prompt }) => prompt)), text);
await orcs.close();
