import { createRequire } from "node:module";
import { newQuickJSWASMModule } from "quickjs-emscripten";
import { LuaFactory } from "wasmoon";
import { CONTEXT, READ_THREE } from "./context.ts";

/** wasmoon's own way: the context converted whole, a table back. */
export async function wasmoonConversion(): Promise<() => unknown> {
  const engine = await new LuaFactory().createEngine({ enableProxy: false });
  await engine.doString(`hook = ${READ_THREE}`);
  const hook = engine.global.get("hook") as (ctx: unknown) => unknown;
  return () => hook(CONTEXT);
}

/** The same question to QuickJS, the context and the answer as JSON. */
export async function quickjs(): Promise<() => unknown> {
  const module = await newQuickJSWASMModule();
  const vm = module.newContext();
  const code = `(json) => {
    const ctx = JSON.parse(json);
    const a = ctx.payload.tool, b = ctx.payload.args.command, c = ctx.payload.args.env.A;
    return JSON.stringify(ctx);
  }`;
  const hook = vm.unwrapResult(vm.evalCode(code));
  return () => {
    const json = vm.newString(JSON.stringify(CONTEXT));
    const result = vm.unwrapResult(vm.callFunction(hook, vm.undefined, json));
    const answer: unknown = JSON.parse(vm.getString(result));
    json.dispose();
    result.dispose();
    return answer;
  };
}

interface Cedar {
  preparsePolicySet(id: string, policies: { staticPolicies: string }): { type: string };
  statefulIsAuthorized(call: object): { type: string };
}

/** The same question to a policy engine: may this command run? The policies are parsed beforehand. */
export function cedar(): () => unknown {
  const engine = createRequire(import.meta.url)("@cedar-policy/cedar-wasm/nodejs") as Cedar;
  const policies = `
    permit(principal, action, resource);
    forbid(principal, action == Action::"exec", resource)
    when { context.command like "*push --force*" };`;
  const parsed = engine.preparsePolicySet("guard", { staticPolicies: policies });
  if (parsed.type !== "success") throw new Error("the Cedar policies do not parse");
  const { args } = CONTEXT.payload;
  return () => {
    const answer = engine.statefulIsAuthorized({
      principal: { type: "Component", id: CONTEXT.component_id },
      action: { type: "Action", id: CONTEXT.payload.tool },
      resource: { type: "Tool", id: CONTEXT.payload.tool },
      context: { command: args.command, cwd: args.cwd, timeout_ms: args.timeout_ms, env: args.env },
      preparsedPolicySetId: "guard",
      entities: [],
    });
    if (answer.type !== "success") throw new Error(`Cedar: ${JSON.stringify(answer)}`);
    return answer;
  };
}
