import { RunContext, tool as openaiTool, Agent } from "@openai/agents-core";
import type { FunctionTool } from "@openai/agents-core";
import { jsonSchema, tool as sdkTool } from "ai";
import { ToolMessage } from "langchain";
import type { AgentMiddleware, ToolCallRequest } from "langchain";
import { createOrcs } from "orcs";
import type { Orcs } from "orcs";
import { governed as governedTools } from "orcs/ai-sdk";
import { orcsHooks } from "orcs/claude-agent-sdk";
import { orcsMiddleware } from "orcs/langchain";
import { governed as governedAgent } from "orcs/openai-agents";
import { orcsPlugin } from "orcs/opencode";
import { timings } from "./measure.ts";
import type { Subject } from "./measure.ts";
import type { Row } from "./report.ts";

/** Three hooks that read three fields of a call of a tool. */
const READ = `local a, b, c = ctx.payload.tool, ctx.payload.args.command, ctx.payload.tool_use_id`;
const CONFIG = {
  hooks: [1, 2, 3].map(() => ({ point: "tool.pre_execute", handler_inline: READ })),
};
const ARGS = { command: "git status --short", timeout: 30_000 };

/** What one call costs with an adapter, and what it costs in the library without one. */
interface Pair {
  readonly key: string;
  readonly name: string;
  readonly with: () => unknown;
  readonly without: () => unknown;
}

/** One call of a tool through each adapter, less the library's own call, against `orcs.call` with the same hooks. */
export async function adapterRows(): Promise<Row[]> {
  const orcs = await createOrcs({ config: CONFIG });
  const pairs: readonly Pair[] = [
    aiSdk(orcs),
    openaiAgents(orcs),
    langchain(orcs),
    claudeAgentSdk(orcs),
    await opencode(),
  ];
  const fn = async () => "clean";
  const call: Subject = {
    name: "call",
    run: () => orcs.call("exec", ARGS, { fn, tool_use_id: "1" }),
  };
  const subjects = pairs.flatMap((pair) => [
    { name: `${pair.name} with`, run: pair.with },
    { name: `${pair.name} without`, run: pair.without },
  ]);
  const [base = NaN, ...us] = await timings([call, ...subjects]);
  await orcs.close();
  const rows = pairs.map(({ key, name }, i) => {
    const added = (us[2 * i] ?? NaN) - (us[2 * i + 1] ?? NaN);
    const what = `${name}, 3 Lua hooks: added to a call, against orcs.call`;
    return { key, what, us: added, baseline: base, ratio: added / base, absolute: added };
  });
  return [{ key: "adapter_call", what: "orcs.call, 3 Lua hooks", us: base }, ...rows];
}

/** The SDK asks whether a call needs approval, and executes it. */
function aiSdk(orcs: Orcs): Pair {
  const inputSchema = jsonSchema<typeof ARGS>({ type: "object" });
  const plain = sdkTool({ inputSchema, execute: async () => "clean" });
  const { exec } = governedTools(orcs, { exec: plain });
  const options = { toolCallId: "1", messages: [{ role: "user" as const, content: "go" }] };
  const needsApproval = exec.needsApproval as (input: unknown, given: object) => Promise<boolean>;
  return {
    key: "adapter_ai_sdk",
    name: "AI SDK",
    with: async () => {
      if (await needsApproval(ARGS, options)) throw new Error("asks");
      return exec.execute?.(ARGS, options);
    },
    without: async () => plain.execute?.(ARGS, options),
  };
}

/** The same, with arguments as JSON. */
function openaiAgents(orcs: Orcs): Pair {
  const plain = openaiTool({
    name: "exec",
    description: "Run a command.",
    strict: false,
    parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
    execute: async () => "clean",
  });
  const agent = new Agent({ name: "agent", tools: [plain] });
  const context = new RunContext({});
  const input = JSON.stringify(ARGS);
  const toolCall = {
    type: "function_call" as const,
    callId: "1",
    name: "exec",
    arguments: input,
    status: "completed" as const,
  };
  const through = (tool: FunctionTool) => async () => {
    if (await tool.needsApproval(context, ARGS as never, "1")) throw new Error("asks");
    return tool.invoke(context, input, { toolCall });
  };
  const [exec] = governedAgent(orcs, agent).tools;
  return {
    key: "adapter_openai_agents",
    name: "OpenAI Agents",
    with: through(exec as FunctionTool),
    without: through(plain as unknown as FunctionTool),
  };
}

function langchain(orcs: Orcs): Pair {
  const { wrapToolCall } = orcsMiddleware(orcs) as AgentMiddleware;
  const request = {
    toolCall: { name: "exec", args: ARGS, id: "1", type: "tool_call" },
    tool: undefined,
    state: { messages: [] },
    runtime: {
      configurable: {
        thread_id: "t",
        __pregel_scratchpad: { currentTaskInput: { lg_tool_call: {} } },
      },
    },
  } as unknown as ToolCallRequest;
  const handler = async () =>
    new ToolMessage({ content: "clean", tool_call_id: "1", name: "exec" });
  if (!wrapToolCall) throw new Error("no wrapToolCall");
  return {
    key: "adapter_langchain",
    name: "LangChain",
    with: () => wrapToolCall(request, handler),
    without: () => handler(),
  };
}

/** A callback before the call and one behind it. */
function claudeAgentSdk(orcs: Orcs): Pair {
  const { PreToolUse, PostToolUse } = orcsHooks(orcs);
  const [pre] = PreToolUse?.[0]?.hooks ?? [];
  const [post] = PostToolUse?.[0]?.hooks ?? [];
  if (!pre || !post) throw new Error("no callbacks");
  const common = {
    session_id: "s1",
    transcript_path: "/tmp/s1.jsonl",
    cwd: "/tmp",
    tool_name: "Bash",
    tool_input: ARGS,
    tool_use_id: "1",
  };
  const before = { ...common, hook_event_name: "PreToolUse" as const };
  const after = { ...common, hook_event_name: "PostToolUse" as const, tool_response: "clean" };
  const { signal } = new AbortController();
  const none = async () => ({});
  return {
    key: "adapter_claude_agent_sdk",
    name: "Claude Agent SDK",
    with: async () => {
      await pre(before, "1", { signal });
      return post(after, "1", { signal });
    },
    without: async () => {
      await none();
      return none();
    },
  };
}

/** A hook before the call and one behind it. */
async function opencode(): Promise<Pair> {
  const plugin = orcsPlugin({ config: CONFIG, selfGuard: false });
  const hooks = await plugin({ directory: process.cwd() });
  const call = { tool: "bash", sessionID: "s1", callID: "1" };
  const none = async () => undefined;
  return {
    key: "adapter_opencode",
    name: "opencode",
    with: async () => {
      await hooks["tool.execute.before"](call, { args: { ...ARGS } });
      await hooks["tool.execute.after"]({ ...call, args: ARGS }, { output: "clean" });
    },
    without: async () => {
      await none();
      await none();
    },
  };
}
