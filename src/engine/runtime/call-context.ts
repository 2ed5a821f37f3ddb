import { setMaxListeners } from "node:events";
import { CAPABILITIES, OrcsError } from "../../core/index.ts";
import type {
  Approval,
  BatchRequest,
  CheckedPermission,
  Child,
  ChildConfig,
  ChildContext,
  GetOptions,
  GrantKind,
  Json,
  RequestOptions,
  Signal,
  SignalKind,
  SignalResponse,
  Spawned,
  ToolAnswer,
} from "../../core/index.ts";
import { keyOf, nameOf, optionsFor } from "./caller-identity.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { APPROVAL } from "./approvals.ts";
import { checkedBatchRequest } from "./check-input.ts";
import { TOOL } from "./component-tools.ts";
import type { ChildSpawner } from "./child-spawner.ts";
import type { EventBus } from "./event-bus.ts";
import { linkedAbort } from "./with-timeout.ts";
import type { CallFor, RuntimeHost } from "./runtime-host.ts";
import { callRuntimeFunction, type VerbCall } from "./runtime-functions.ts";

/** What a context needs from the runtime. */
export interface ContextHost {
  readonly host: RuntimeHost;
  readonly bus: EventBus;
  readonly children: ChildSpawner;
}

/** How long a call is wanted. The signal is created on first use, since most callers do not need it. */
export interface Wanted {
  readonly signal: AbortSignal;
}

/** The operations available to an actor while it serves one call. */
export class CallContext implements ChildContext {
  readonly component: string;
  readonly child: string | undefined;
  readonly channel: string;
  readonly capabilities: number;
  readonly elevated: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly depth: number;
  readonly mayHook: boolean;
  readonly #wanted: Wanted;
  readonly #actor: CallerIdentity;
  readonly #call: CallState;
  readonly #around: ContextHost;

  /**
   * @param wanted its signal aborts when nobody waits for the call any more
   * @param mayHook whether hooks can be registered; default: with the capability SPAWN
   */
  constructor(
    actor: CallerIdentity,
    call: CallState,
    around: ContextHost,
    wanted: Wanted,
    mayHook = hasCapability(actor, "SPAWN"),
  ) {
    this.#actor = actor;
    this.#call = call;
    this.#around = around;
    this.#wanted = wanted;
    this.component = actor.component;
    this.child = actor.child;
    this.channel = actor.channel;
    this.capabilities = actor.authority.capabilities;
    this.elevated = actor.authority.session.elevated;
    this.metadata = call.metadata;
    this.depth = call.depth;
    this.mayHook = mayHook;
    // Whoever is called must not become somebody else.
    Object.freeze(this);
  }

  get signal(): AbortSignal {
    return this.#wanted.signal;
  }

  get(kind: string, arg?: Json, { metadata, signal }: GetOptions = {}): Promise<ToolAnswer> {
    return this.#until(signal, (until) => {
      const options = this.#options(until);
      const all = { ...options.metadata, ...metadata };
      return this.#around.host.tools.get(kind, arg, { ...options, metadata: all });
    });
  }

  verb(...asked: VerbCall): Promise<Json> {
    return callRuntimeFunction(this, ...asked);
  }

  request(
    target: string,
    operation: string,
    payload: Json = null,
    options: RequestOptions = {},
  ): Promise<Json> {
    const { category = "Request", timeout_ms, signal } = options;
    const source = nameOf(this.#actor);
    if (isReserved(category)) return Promise.reject(reserved(source, category));
    const asked = { category, operation, source, payload, target, timeout_ms };
    return this.#until(signal, (until) => this.#around.bus.request(asked, this.#from(), until));
  }

  async requestBatch(
    requests: readonly BatchRequest[],
    { signal }: Pick<RequestOptions, "signal"> = {},
  ): Promise<readonly PromiseSettledResult<Json>[]> {
    const checked = requests.map((request, at) => checkedBatchRequest(request, at));
    const sent = checked.map(({ target, operation, payload, ...options }) =>
      this.request(target, operation, payload, { ...options, signal }),
    );
    return Promise.allSettled(sent);
  }

  emit(category: string, operation: string, payload: Json = null): Promise<number> {
    const source = nameOf(this.#actor);
    if (isReserved(category)) return Promise.reject(reserved(source, category));
    const event = { category, operation, source, payload };
    return this.#around.bus.broadcast(event, this.#call, this.#actor);
  }

  spawnChild(config: ChildConfig, child?: Child): Promise<Spawned> {
    // A hook may serve a call with less authority than its component has.
    return this.#around.children.spawn(config, child, this.#call, this.#actor.authority);
  }

  runChild(id: string, input: Json = null, { signal }: { signal?: AbortSignal | undefined } = {}) {
    return this.#until(signal, (until) =>
      this.#around.children.run(id, input, this.#from(), until),
    );
  }

  sendToChild(id: string, input: Json = null): void {
    this.#around.children.send(id, input, this.#call);
  }

  stopChild(id: string): Promise<boolean> {
    return this.#around.children.stop(id);
  }

  async checkCommand(command: string): Promise<CheckedPermission> {
    const checked = await this.#around.host.checks.check(command, this.#options());
    return { ...checked.permission, command: checked.command };
  }

  grantCommand(pattern: string, kind: GrantKind = "persistent"): Promise<void> {
    return this.#around.host.checks.grant(pattern, kind, this.#options());
  }

  async requestApproval(operation: string, description: string): Promise<Approval> {
    const { checks } = this.#around.host;
    const reason = await checks.approval(operation, description, this.#options());
    return reason === undefined ? { approved: true } : { approved: false, reason };
  }

  async sendSignal(
    target: string,
    kind: SignalKind,
    more: Pick<Signal, "reason" | "approval_id"> = {},
  ): Promise<SignalResponse> {
    const source = nameOf(this.#actor);
    if (!this.#isOwn(target, kind) && !hasCapability(this.#actor, "SPAWN")) {
      const why = `${source} needs the capability SPAWN to signal ${kind} to ${target}`;
      throw new OrcsError("ORCS6007", why, { component: source, target });
    }
    return this.#around.bus.signal(target, { ...more, kind, source }, this.#from());
  }

  /** Whether a signal concerns only the actor itself: answers to approvals concern others. */
  #isOwn(target: string, kind: SignalKind): boolean {
    if (kind === "approve" || kind === "reject") return false;
    return this.#actor.child === undefined && target === keyOf(this.#actor);
  }

  #options(signal = this.signal): CallFor {
    return { ...optionsFor(this.#actor, this.#call), signal };
  }

  /** The call as one that this channel waits for; a call for a child is waited for if the child is. */
  #from(): CallState {
    if (this.#actor.child !== undefined) return this.#call;
    return { ...this.#call, via: [...this.#call.via, keyOf(this.#actor)] };
  }

  /** Run a task that ends with the call, or with a signal of its own. */
  #until<T>(signal: AbortSignal | undefined, task: (until: AbortSignal) => Promise<T>): Promise<T> {
    // Each pending call adds a listener; many at a time are not a leak.
    setMaxListeners(0, this.signal);
    if (!signal || signal === this.signal) return task(this.signal);
    const both = linkedAbort([this.signal, signal]);
    return task(both.signal).finally(() => both.end());
  }
}

/** Categories that only the runtime sends, and what it sends by them. */
const RESERVED: Readonly<Record<string, string>> = {
  // Otherwise the approver could be deceived.
  [APPROVAL]: "ask for approval",
  [TOOL]: "call a tool, with orcs.get",
};

function isReserved(category: string): boolean {
  return Object.hasOwn(RESERVED, category);
}

function reserved(source: string, category: string): OrcsError {
  const why = `${source} cannot send events of the category ${category}: only the runtime may ${RESERVED[category]}`;
  return new OrcsError("ORCS6010", why, { category });
}

function hasCapability({ authority }: CallerIdentity, name: keyof typeof CAPABILITIES): boolean {
  return (authority.capabilities & CAPABILITIES[name]) !== 0;
}
