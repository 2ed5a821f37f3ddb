import { Agent, Model, tool } from "@strands-agents/sdk";
import { createOrcs } from "orcs";
import { z } from "zod";
import { commands, shell } from "./commands.mjs";
import { govern } from "./orcs-strands.mjs";

/** A model that plays a script. */
class Scripted extends Model {
  told = [];
  #next = 0;
  getConfig() {
    return { modelId: "scripted" };
  }
  updateConfig() {}
  async *stream(messages) {
    this.told.push(JSON.stringify(messages));
    const command = commands[this.#next++];
    const isTool = command !== undefined;
    const name = "exec";
    yield { type: "modelMessageStartEvent", role: "assistant" };
    const start = { type: "toolUseStart", name, toolUseId: `${this.#next}` };
    yield { type: "modelContentBlockStartEvent", ...(isTool && { start }) };
    const delta = isTool
      ? { type: "toolUseInputDelta", input: JSON.stringify({ command }) }
      : { type: "textDelta", text: "finished" };
    yield { type: "modelContentBlockDeltaEvent", delta };
    yield { type: "modelContentBlockStopEvent" };
    yield { type: "modelMessageStopEvent", stopReason: isTool ? "toolUse" : "endTurn" };
  }
}

const orcs = await createOrcs({ config: "orcs.toml" });
const exec = tool({
  name: "exec",
  description: "Run a command.",
  inputSchema: z.object({ command: z.string() }),
  callback: ({ command }) => shell(command),
});
const model = new Scripted();
const agent = new Agent({ model, tools: [exec], printer: false });
govern(orcs.session({ session_id: "s1" }), agent);

const result = await agent.invoke("Do what is to be done.");
console.log(model.told.at(-1), JSON.stringify(result.lastMessage));
await orcs.close();
