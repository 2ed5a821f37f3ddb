import { createRequire } from "node:module";
import { newQuickJSWASMModule } from "quickjs-emscripten";
import { LuaFactory } from "wasmoon";
import { CONTEXT, READ_THREE } from "./context.ts";

/** What answers the same question, each started in a process of its own: what ran before decides how fast the next is. */
export const RIVALS = {
  "wasmoon, the context converted, back whole": () => wasmoon({ enableProxy: false }, READ_THREE),
  "wasmoon, the context converted, back a verdict": () => wasmoon({ enableProxy: false }, VERDICT),
  "wasmoon's proxies, back a verdict": () => wasmoon({ enableProxy: true }, VERDICT),
  "wasmoon, three strings passed by hand": threeStrings,
  "QuickJS, the context as JSON, back whole": () => quickjs(CONTEXT, "JSON.stringify(ctx)"),
  "QuickJS, the context as JSON, back a verdict": () => quickjs(CONTEXT, "'continue'"),
  "QuickJS, the payload alone as JSON, back a verdict": () =>
    quickjs({ payload: CONTEXT.payload }, "'continue'"),
  "Cedar, the policies parsed beforehand": cedar,
} as const satisfies Readonly<Record<string, () => Promise<() => unknown>>>;

/** Reads the same three fields, and says that the call may go on. */
const VERDICT = `function(ctx)
  local a, b, c = ctx.payload.tool, ctx.payload.args.command, ctx.payload.args.env.A
  return "continue"
end`;

async function wasmoon(options: { enableProxy: boolean }, code: string): Promise<() => unknown> {
  const engine = await new LuaFactory().createEngine(options);
  await engine.doString(`hook = ${code}`);
  const hook = engine.global.get("hook") as (ctx: unknown) => unknown;
  return () => hook(CONTEXT);
}

/** What a host can do that knows beforehand which fields a hook will read. */
async function threeStrings(): Promise<() => unknown> {
  const engine = await new LuaFactory().createEngine({ enableProxy: false });
  await engine.doString(`hook = function(a, b, c) return "continue" end`);
  const hook = engine.global.get("hook") as (...fields: readonly string[]) => unknown;
  const { tool, args } = CONTEXT.payload;
  return () => hook(tool, args.command, args.env.A);
}

async function quickjs(asked: object, answer: string): Promise<() => unknown> {
  const module = await newQuickJSWASMModule();
  const vm = module.newContext();
  const code = `(json) => {
    const ctx = JSON.parse(json);
    const a = ctx.payload.tool, b = ctx.payload.args.command, c = ctx.payload.args.env.A;
    return ${answer};
  }`;
  const hook = vm.unwrapResult(vm.evalCode(code));
  return () => {
    const json = vm.newString(JSON.stringify(asked));
    const result = vm.unwrapResult(vm.callFunction(hook, vm.undefined, json));
    const text = vm.getString(result);
    json.dispose();
    result.dispose();
    return text.startsWith("{") ? (JSON.parse(text) as unknown) : text;
  };
}

interface Cedar {
  preparsePolicySet(id: string, policies: { staticPolicies: string }): { type: string };
  statefulIsAuthorized(call: object): { type: string };
}

/** The same question to a policy engine: may this command run? */
async function cedar(): Promise<() => unknown> {
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
