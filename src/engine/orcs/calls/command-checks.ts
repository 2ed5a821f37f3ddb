import { checkCommand, GrantBook, hardLimits, readPermission } from "../../auth/index.ts";
import {
  type Authority,
  callerIn,
  DEFAULT_COMPONENT,
  denialText,
  type GrantKind,
  type Hook,
  type HookContext,
  isPlainObject,
  type JsonObject,
  OrcsError,
  type Outcome,
  type Permission,
  type Principal,
  resolvePoint,
  withCaller,
} from "../../../core/index.ts";
import { invoke } from "../../registry/index.ts";
import type { Engine } from "../engine.ts";
import type { Asked } from "./approval.ts";
import type { CallOptions } from "../options.ts";

/** The result of a check. */
export interface CheckedCommand {
  /** The command as the hooks left it; the permission is for this command. */
  readonly command: string;
  readonly permission: Permission;
  /** Whether a hook allowed what capabilities, sandbox, session and grants would not. */
  readonly byHook: boolean;
}

const CHECK_POINTS = ["auth.pre_check", "auth.post_check"] as const;

/** Permission checks of commands, with `auth.pre_check` and `auth.post_check` around them, and grants. */
export class CommandChecks {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * The permission of a command. A hook can decide instead of session and grants. It cannot allow what capabilities or
   * the sandbox deny, and a later hook cannot allow what an earlier one denied. No grant is used up.
   * @param cwd where it will run
   */
  async check(command: string, call: CallOptions, cwd?: string): Promise<CheckedCommand> {
    const authority = this.#authority(call);
    if (this.#engine.registry.isQuiet(CHECK_POINTS, call.depth)) {
      return { command, permission: checkCommand(command, authority, cwd), byHook: false };
    }
    const { capabilities, session } = authority;
    const asked = { command, capabilities, session: { ...session } };
    const payload = this.#withCaller("auth.pre_check", asked, call);
    const { signal: _, ...options } = call;
    let pre: Outcome | undefined;
    let own: Permission | undefined;
    const policy = (left: Readonly<Record<string, unknown>>): Permission => {
      const narrower = capabilities & Number(left["capabilities"] ?? capabilities);
      own = checkCommand(String(left["command"]), { ...authority, capabilities: narrower }, cwd);
      return own;
    };
    const final = (permission: Permission): Permission => {
      if (permission.status === "denied") own = permission;
      return permission;
    };
    const outcome = await invoke(
      this.#engine,
      "auth.check",
      payload,
      (left) => final(decided(pre, policy(left))),
      options,
      (allowed) => {
        pre = allowed;
        return undefined;
      },
      {
        after: ({ command: checked }, permission_result) =>
          this.#withCaller("auth.post_check", { command: checked, permission_result }, call),
        settled: (early) => {
          const permission = policy(early.ctx.payload);
          return { result: final(this.#mayLift(early) ? settled(early) : permission) };
        },
      },
    );
    const checked = String(outcome.ctx.payload["command"]);
    const permitted =
      outcome.action === "continue"
        ? read(outcome.result)
        : denied(outcome.action === "abort" ? outcome.reason : "a hook returned nothing");
    const permission =
      own?.status === "denied" && permitted.status !== "denied"
        ? own
        : (hardLimits(checked, authority, cwd) ?? permitted);
    const byHook = permission.status === "allowed" && own?.status !== "allowed";
    // Hooks after a check that could have been lifted may belong to an owner that needs grants itself.
    if (byHook && own && pre?.action === "continue" && pre.decision !== "allow") {
      const after = this.#engine.registry.list("auth.post_check");
      if (after.some(isBound)) return { command: checked, permission: own, byHook: false };
    }
    return { command: checked, permission, byHook };
  }

  /**
   * Why a command may not run now, or undefined when it may. A one-time grant that covers it is used up, and approval
   * is requested where needed.
   * @param given the arguments of the tool, which itself rejects a value that is not a command
   * @param ctx of the call that wants to run it
   */
  async objection(
    { command, cwd, env: variables }: JsonObject,
    call: CallOptions,
    ctx: HookContext,
  ): Promise<string | undefined> {
    if (typeof command !== "string") return undefined;
    const env =
      isPlainObject(variables) && Object.keys(variables).length > 0 ? variables : undefined;
    const own = this.#authority(call);
    // What a command runs can depend on its variables, for example `PATH`. A grant of the words does not cover them.
    const authority = env ? { ...own, grants: new GrantBook() } : own;
    const asking = { ...callerIn(ctx.payload), ...call, metadata: ctx.metadata, authority };
    const where = typeof cwd === "string" ? cwd : undefined;
    const { command: checked, permission, byHook } = await this.check(command, asking, where);
    if (checked !== command) {
      return "a hook at auth.pre_check changed the command; commands can be rewritten at tool.pre_execute only";
    }
    if (permission.status === "denied") return permission.reason;
    const { session, grants } = authority;
    let reason = "its one-time grant has already been used";
    if (permission.status === "allowed") {
      if (byHook || session.elevated || grants.use(command)) return undefined;
    } else reason = permission.reason;
    if (env) reason += "; grants do not cover commands with their own environment variables";
    const args = { command, ...(env && { env }) };
    const asked = { tool: "exec", args, reason, hook: undefined, ctx };
    return this.#engine.approvals.refusal(asked, call.signal);
  }

  /**
   * Allow commands that begin with certain words to run without asking. Approval is requested first, unless the
   * caller's session is elevated; `auth.on_grant` is dispatched.
   * @throws OrcsError ORCS6008 (denied), ORCS6012 (not a plain prefix of words)
   */
  async grant(pattern: string, kind: GrantKind, call: CallOptions): Promise<void> {
    const { grants, session } = this.#authority(call);
    // An error is reported before anybody is asked.
    grants.below().add(pattern, kind);
    let granted_by = call.principal ?? HOST;
    if (!session.elevated) {
      const reason = "it requests to run such commands without asking";
      const about = { point: "auth.on_grant", tool: "grant_command", args: { pattern, kind } };
      const refused = await this.#ask({ ...about, reason }, call);
      if (refused !== undefined) {
        const why = `${JSON.stringify(pattern)} was not granted: ${refused}`;
        throw new OrcsError("ORCS6008", why, { pattern });
      }
      granted_by = { type: "User", id: "approval" };
    }
    grants.add(pattern, kind);
    const { signal: _, ...options } = call;
    const given = { pattern, granted_by: { ...granted_by } };
    const payload = this.#withCaller("auth.on_grant", given, call);
    await this.#engine.registry.dispatch("auth.on_grant", payload, options);
  }

  /**
   * Ask for the approval of something that is no call of a tool. It is asked about as `request_approval`, so that a
   * question about a tool cannot be imitated.
   * @returns why it was denied; undefined when it was approved
   */
  async approval(
    operation: string,
    description: string,
    call: CallOptions,
  ): Promise<string | undefined> {
    const args = { operation, description };
    const about = { point: "auth.pre_check", tool: "request_approval", args };
    return this.#ask({ ...about, reason: description }, call);
  }

  /** Ask a question that has no dispatch of its own. @returns why it was denied */
  #ask(
    { point, tool, args, reason }: Pick<Asked, "tool" | "args" | "reason"> & { point: string },
    call: CallOptions,
  ): Promise<string | undefined> {
    const { component = DEFAULT_COMPONENT, channel = "main", depth = 0, metadata = {} } = call;
    const ctx: HookContext = {
      hook_point: point,
      component_id: component,
      channel_id: channel,
      principal: call.principal ?? HOST,
      timestamp_ms: 0,
      payload: args,
      metadata,
      depth,
      max_depth: depth + 1,
    };
    const asked = { tool, args, reason, hook: undefined, ctx };
    return this.#engine.approvals.refusal(asked, call.signal);
  }

  /** Whether the decision of a hook may allow more than the grants do. */
  #mayLift(outcome: Outcome): boolean {
    if (outcome.action !== "skip" || read(outcome.result).status !== "allowed") return true;
    const hook = this.#engine.registry.get(outcome.hook);
    return hook === undefined || !isBound(hook);
  }

  /** The payload with the session and the agent of the call. */
  #withCaller<P extends object>(point: string, payload: P, call: CallOptions): P {
    return withCaller(resolvePoint(point, this.#engine.points), payload, call);
  }

  #authority({ authority }: CallOptions): Authority {
    return authority ?? this.#engine.authority;
  }
}

/** Whether the owner of a hook needs grants. */
function isBound({ limit }: Hook): boolean {
  return limit?.elevated === false;
}

/** The permission that follows from a hook's decision. */
function decided(pre: Outcome | undefined, permission: Permission): Permission {
  if (pre?.action !== "continue" || permission.status === "denied") return permission;
  const { decision, reason, hook } = pre;
  const why = reason ?? `hook ${hook} requires it`;
  switch (decision) {
    case "allow":
      return { status: "allowed" };
    case "ask":
      return {
        status: "requires_approval",
        reason: why,
        grant_pattern: permission.status === "requires_approval" ? permission.grant_pattern : "",
      };
    case "defer":
      return denied(`deferred, but nobody decided it: ${why}`);
    default:
      return permission;
  }
}

/** `skip` and `abort` at `auth.pre_check` are decisions like any other. */
function settled(pre: Outcome): Permission {
  if (pre.action === "skip") return read(pre.result);
  if (pre.action !== "abort") return denied("decided by a hook");
  return denied(denialText(pre));
}

function read(result: unknown): Permission {
  return readPermission(result) ?? denied("a hook returned with no permission");
}

function denied(reason: string): Permission {
  return { status: "denied", reason };
}

const HOST: Principal = { type: "Host", id: "main" };
