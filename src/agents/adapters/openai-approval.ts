import type { FunctionTool, RunContext } from "@openai/agents-core";

type Details = Parameters<FunctionTool["invoke"]>[2];
type FunctionCall = NonNullable<NonNullable<Details>["toolCall"]>;

/** Whether somebody has approved this call, in this process or before the state of the run was saved. */
export function isApproved(
  context: RunContext,
  tool: Pick<FunctionTool, "name" | "deferLoading">,
  call: FunctionCall | undefined,
): boolean {
  if (!call) return false;
  const { name, deferLoading } = tool;
  const { callId, namespace = name } = call;
  let toolName = name;
  // As the SDK names tools in the state of a run.
  if (namespace !== name) toolName = JSON.stringify(["namespaced", namespace, name]);
  else if (deferLoading) toolName = JSON.stringify(["deferred_top_level", name]);
  return context.isToolApproved({ toolName, callId }) === true;
}
