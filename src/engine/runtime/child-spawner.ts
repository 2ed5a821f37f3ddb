import {
  CAPABILITIES,
  capabilityBits,
  capabilityNames,
  messageOf,
  OrcsError,
  suggestion,
} from "../../core/index.ts";
import type { Authority, Child, ChildConfig, Json, Spawned } from "../../core/index.ts";
import { narrowed } from "../auth/index.ts";
import { keyOf, nameOf, optionsFor, ownerOf } from "./caller-identity.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { withPoints } from "./with-points.ts";
import { checkedChildConfig } from "./check-input.ts";
import { asJson } from "./component-life.ts";
import type { EventBus } from "./event-bus.ts";
import type { RuntimeHost } from "./runtime-host.ts";
import { LogThrottle } from "./log-throttle.ts";
import { SpawnedChild } from "./spawned-child.ts";

/** The children of one component or child. */
export class ChildSpawner {
  readonly #host: RuntimeHost;
  readonly #bus: EventBus;
  readonly #parent: CallerIdentity;
  /** The spawner of the component that all of them belong to. */
  readonly #root: ChildSpawner;
  /** Live children; undefined while one is being started or ended. */
  readonly #children = new Map<string, SpawnedChild | undefined>();
  /** Runs that were rejected because too many others waited. */
  readonly #refused = new LogThrottle();
  #closed = false;

  /** @param above undefined for the children of a component */
  constructor(host: RuntimeHost, bus: EventBus, parent: CallerIdentity, above?: ChildSpawner) {
    this.#host = host;
    this.#bus = bus;
    this.#parent = parent;
    this.#root = above ? above.#root : this;
  }

  /** Number of live children, including nested ones. */
  get size(): number {
    let count = this.#children.size;
    for (const child of this.#children.values()) count += child?.children.size ?? 0;
    return count;
  }

  /**
   * Start a child with the intersection of its parent's authority, its request, and what the hooks leave.
   * @param given the child to run; default: the script of its configuration
   * @param own authority of the spawning call, at most the parent's
   * @throws OrcsError ORCS2001, ORCS6002, ORCS6006, ORCS6007, ORCS6009, ORCS6010, ORCS6015; what loading its script
   * throws
   */
  async spawn(
    wanted: ChildConfig,
    given: Child | undefined,
    call: CallState,
    own = this.#parent.authority,
  ): Promise<Spawned> {
    const { child: above } = this.#parent;
    if ((own.capabilities & CAPABILITIES.SPAWN) === 0) {
      const why = `${nameOf(this.#parent)} needs the capability SPAWN to spawn a child`;
      throw new OrcsError("ORCS6007", why, { component: nameOf(this.#parent) });
    }
    const config = checkedChildConfig(wanted, given !== undefined);
    const path = above === undefined ? config.id : `${above}/${config.id}`;
    await this.#bury(config.id);
    this.#expectRoom(config.id, path);
    const effective = this.#effective(config, own);
    let spawned: { child: SpawnedChild; capabilities: number } | undefined;
    this.#children.set(config.id, undefined);
    try {
      const { result, skippedBy } = await withPoints(
        this.#host,
        "child.spawn",
        {
          child_config: { ...config },
          parent_id: nameOf(this.#parent),
          capabilities: effective,
          effective_capabilities: effective,
        },
        async (left) => {
          // A hook at the post point may ask for a retry; a child passed by the program is reused then.
          if (!given) await spawned?.child.close();
          spawned = await this.#make(left, config, path, given, own);
          return path;
        },
        optionsFor({ ...this.#parent, child: path, authority: own }, call),
        {
          successOnly: true,
          after: ({ parent_id }) => ({
            child_id: path,
            parent_id,
            capabilities: spawned?.capabilities ?? 0,
          }),
        },
      );
      if (skippedBy !== undefined) {
        // It may have been started before a hook asked for a retry.
        await spawned?.child.close();
        return { skipped: asJson(result, `the result of ${skippedBy}`) };
      }
      if (!spawned || this.#closed) throw this.#gone();
      this.#children.set(config.id, spawned.child);
      return { child_id: path, capabilities: spawned.capabilities };
    } catch (thrown) {
      await spawned?.child.close();
      throw thrown;
    } finally {
      if (!this.#children.get(config.id)) this.#children.delete(config.id);
    }
  }

  /**
   * Run a child and wait for its result.
   * @throws OrcsError ORCS2001, ORCS6001, ORCS6003–6006, ORCS6010, ORCS6011, ORCS6014
   */
  async run(id: string, input: Json, call: CallState, signal: AbortSignal): Promise<Json> {
    const child = this.#child(id);
    try {
      return await child.run(input, call, signal);
    } finally {
      await this.#bury(child.id);
    }
  }

  /** As `run`, without waiting. @throws OrcsError ORCS6001 */
  send(id: string, input: Json, call: CallState): void {
    this.#child(id);
    const alone = { ...call, via: [] };
    this.run(id, input, alone, new AbortController().signal).catch((thrown: unknown) => {
      const isFull = thrown instanceof OrcsError && thrown.code === "ORCS6004";
      if (isFull && this.#refused.another(this.#localId(id)) === undefined) return;
      this.#host.logger.warn(`the child ${id} of ${nameOf(this.#parent)}: ${messageOf(thrown)}`);
    });
  }

  /** End a child and its own children. Returns whether there was one. */
  async stop(id: string): Promise<boolean> {
    const name = this.#localId(id);
    const child = this.#children.get(name);
    if (!child) return false;
    await this.#end(child);
    return true;
  }

  /** End all children, and start no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.stopAll();
  }

  /** End all children. */
  async stopAll(): Promise<void> {
    const children = [...this.#children.values()].filter((child) => child !== undefined);
    await Promise.all(children.map((child) => this.#end(child)));
  }

  /** A killed child has failed, and its name is free again. */
  async #bury(id: string): Promise<void> {
    const child = this.#children.get(id);
    if (!child?.isLost) return;
    this.#host.logger.warn(`the child ${nameOf(child.actor)} was killed`);
    await this.#end(child);
  }

  /** Its name stays taken until it has ended completely: removing things by that name would affect its successor. */
  async #end(child: SpawnedChild): Promise<void> {
    this.#children.set(child.id, undefined);
    try {
      await child.close();
    } finally {
      this.#children.delete(child.id);
      this.#refused.forget(child.id);
    }
  }

  #expectRoom(id: string, path: string): void {
    if (this.#closed) throw this.#gone();
    const { children, childDepth, descendants } = this.#host.limits;
    const parent = nameOf(this.#parent);
    if (this.#children.has(id)) {
      throw new OrcsError("ORCS6002", `${parent} already has a child ${id}`, { child: id });
    }
    if (this.#children.size >= children) {
      const why = `${parent} has reached the limit of ${children} children`;
      throw new OrcsError("ORCS6009", why, { limit: children });
    }
    if (this.#root.size >= descendants) {
      const { component, instance } = this.#parent;
      const why = `${keyOf({ component, instance })} has reached the limit of ${descendants} children in total`;
      throw new OrcsError("ORCS6009", why, { limit: descendants });
    }
    if (path.split("/").length > childDepth) {
      const why = `the child ${path} is nested deeper than ${childDepth} levels`;
      throw new OrcsError("ORCS6009", why, { limit: childDepth });
    }
  }

  /** The effective authority of a child. */
  #effective({ id, capabilities }: ChildConfig, { capabilities: own }: Authority): number {
    if (!capabilities) return own;
    const asked = capabilityBits(capabilities);
    if ((asked & ~own) !== 0) {
      const more = capabilityNames(asked & ~own).join(", ");
      this.#host.logger.warn(
        `the child ${id} requests ${more}, which ${nameOf(this.#parent)} does not have; the child is started without`,
      );
    }
    return asked & own;
  }

  async #make(
    left: Record<string, unknown>,
    { id, elevated }: ChildConfig,
    path: string,
    given: Child | undefined,
    own: Authority,
  ): Promise<{ child: SpawnedChild; capabilities: number }> {
    const config = checkedChildConfig(left["child_config"], given !== undefined);
    if (config.id !== id) {
      const why = `a hook renamed the child ${id}; the id of a child cannot be changed`;
      throw new OrcsError("ORCS6010", why, { child: id });
    }
    const asked = Number(left["capabilities"]) & Number(left["effective_capabilities"]);
    const capabilities = asked & this.#effective(config, own);
    const authority = narrowed(own, {
      capabilities,
      // Elevation that the child gave up cannot be restored by a hook.
      elevated: elevated !== false && config.elevated,
      session: nameOf({ ...this.#parent, child: path }),
    });
    const place = { ...this.#parent, child: path, authority };
    const child =
      given ??
      (await this.#host.loadChild(config, {
        name: nameOf(place),
        owner: ownerOf(place),
        mayHook: (capabilities & CAPABILITIES.SPAWN) !== 0,
        limit: { capabilities, elevated: authority.session.elevated },
      }));
    const [host, bus] = [this.#host, this.#bus];
    const below = (actor: CallerIdentity) => new ChildSpawner(host, bus, actor, this);
    const spawned = new SpawnedChild(child, place, config, host, bus, below);
    return { child: spawned, capabilities };
  }

  /** @throws OrcsError ORCS6001 */
  #child(id: string): SpawnedChild {
    const child = this.#children.get(this.#localId(id));
    if (child) return child;
    const hint = suggestion(id, this.#children.keys());
    const why = `${nameOf(this.#parent)} has no child ${JSON.stringify(id)}${hint}`;
    throw new OrcsError("ORCS6001", why, { target: id });
  }

  /** A child is named by its own id, or by its full path. */
  #localId(id: string): string {
    const prefix = this.#parent.child === undefined ? "" : `${this.#parent.child}/`;
    return prefix !== "" && id.startsWith(prefix) ? id.slice(prefix.length) : id;
  }

  #gone(): OrcsError {
    return new OrcsError("ORCS6006", `${nameOf(this.#parent)} has ended`, {});
  }
}
