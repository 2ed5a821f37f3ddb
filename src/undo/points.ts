import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isPlainObject, messageOf, objectAt, stated, textAt } from "../core/index.ts";
import type {
  EffectReader,
  Hook,
  HookContext,
  Json,
  JsonObject,
  ToolAnswer,
} from "../core/index.ts";
import { realpath, sha256 } from "../machine/index.ts";
import { NotKept } from "./area.ts";
import type { CallAreas } from "./call-areas.ts";
import { AreaReader } from "./call-areas.ts";
import { repositoryOf } from "./repository.ts";
import type { KeptArea, Limits, Point, PointStore } from "./store.ts";
import { isReported, LIMITS, MB, storeAt } from "./store.ts";

/** How long a work tree may take before a call: then only what the call names is kept. In milliseconds. */
const TREE_MS = 300;
/** The same for what a call names, and in the background. */
const NAMED_MS = 2000;
const BACKGROUND_MS = 60_000;
/** A call waits no longer than this, however busy the machine is, in milliseconds. */
const MOST_MS = 3000;
/** The thread is free for others after this many milliseconds. */
const SLICE_MS = 12;

/** What taking a point needs. */
export interface UndoDeps {
  readonly effects: EffectReader;
  redact(text: string): string;
  /** Where calls start that name no folder. */
  readonly root: string;
}

/** Who asks: the context of the dispatch, and the hook. */
interface UndoAsker {
  readonly ctx: HookContext;
  readonly hook: Pick<Hook, "rank"> | undefined;
}

/**
 * Run what pauses, and let others run in between.
 * @param withinMs processor time: a busy machine alone is no reason to give up, unless it takes longer than MOST_MS
 * @throws NotKept if it takes longer
 */
async function sliced<T>(steps: Generator<undefined, T>, withinMs: number): Promise<T> {
  const started = performance.now();
  let spent = 0;
  for (;;) {
    const begun = performance.now();
    const used = process.cpuUsage();
    let step = steps.next();
    while (!step.done && performance.now() - begun <= SLICE_MS) step = steps.next();
    if (step.done) return step.value;
    const { user, system } = process.cpuUsage(used);
    spent += (user + system) / 1000;
    if (spent > withinMs || performance.now() - started > Math.max(MOST_MS, withinMs))
      throw new NotKept(`it would take longer than ${withinMs} ms`);
    await setImmediate();
  }
}

/** Takes undo points for the calls of an engine. */
export class UndoPoints {
  readonly #deps: UndoDeps;
  readonly #stores = new Map<string, PointStore>();
  /** The newest points, by the call that they were taken for. */
  readonly #taken = new Map<string, { readonly answer: ToolAnswer; readonly rank: number }>();

  constructor(deps: UndoDeps) {
    this.#deps = deps;
  }

  /**
   * Take a point before a call, if it may lose something. With a reason, in any case, and of the whole work tree.
   * Behind the call: note what it has changed. At the start of a session: read the work tree in the background; at its
   * end: count its points.
   */
  async take(asker: UndoAsker, reason?: string, given: JsonObject = {}): Promise<ToolAnswer> {
    const limits = limitsOf(given);
    let answer: ToolAnswer;
    try {
      const call = this.#callOf(asker.ctx);
      if (call.at === "session.on_start") return await this.#warm(call, limits);
      if (call.at === "tool.post_execute" || call.at === "tool.on_failure")
        return await this.#after(call);
      if (call.at === "session.on_end") return this.#count(call);
      answer = await this.#before(call, reason, limits);
    } catch (thrown) {
      answer = { ok: false, error: `no undo point: ${messageOf(thrown)}` };
    }
    this.#taken.set(callKey(asker), { answer, rank: asker.hook?.rank ?? 0 });
    if (this.#taken.size > 32) this.#taken.delete(this.#taken.keys().next().value ?? "");
    return answer;
  }

  /** Remove the point of a call that was denied: it is not the one that the next undo is about. Never throws. */
  forget(ctx: HookContext): void {
    const { undo_point: id } = ctx.metadata;
    try {
      if (typeof id === "string") this.#callOf(ctx).store.drop(id);
    } catch {
      // It stays, and `orcs undo` shows what it would change.
    }
  }

  /** The point of this call, if a hook took one that is not of a weaker configuration than the one that asks. */
  taken(asker: UndoAsker): ToolAnswer {
    const found = this.#taken.get(callKey(asker));
    if (found && found.rank <= (asker.hook?.rank ?? 0)) return found.answer;
    return { ok: false, error: "no hook took an undo point for this call" };
  }

  #callOf(ctx: HookContext): Call {
    const call = callOf(ctx, this.#deps.root);
    const store = this.#stores.get(call.store.root) ?? call.store;
    this.#stores.set(store.root, store);
    return { ...call, store };
  }

  async #before(call: Call, reason: string | undefined, limits: Limits): Promise<ToolAnswer> {
    const { store, cwd, who } = call;
    const { effects } = this.#deps;
    const touched = who.session === undefined ? undefined : store.touched(who.session);
    const isWritten = (path: string): boolean => touched?.has(path) === true;
    const reader = new AreaReader(store.root);
    let needed: CallAreas = { areas: [], loses: false };
    const judged = judgedCall(call);
    if (judged) needed = reader.read(effects.ofCall(judged), effects.shell, isWritten);
    const { run_in_background, is_background } = objectAt(judged ?? {}, "args");
    // What happens behind the call is not what was there before it.
    if (run_in_background === true || is_background === true)
      needed = { ...needed, missing: needed.missing ?? "it runs in the background" };
    if (reason !== undefined) needed = reader.everything(cwd);
    if (!needed.loses) return { ok: true, complete: needed.missing === undefined };
    if (needed.areas.length === 0) throw new NotKept(needed.missing ?? "there is nothing to keep");
    store.open();
    for (let tries = 0; tries < 3; tries++) {
      const point = await this.#keep(call, needed, reason, limits);
      if (!point) continue;
      const { id, missing } = point;
      return { ok: true, id, complete: missing === undefined, ...stated({ missing }) };
    }
    throw new NotKept("old points are being removed");
  }

  /** @returns undefined if objects were removed meanwhile */
  async #keep(
    { store, who, payload, id = randomBytes(4).toString("hex") }: Call,
    { areas, missing }: CallAreas,
    reason: string | undefined,
    limits: Limits,
  ): Promise<Point | undefined> {
    const { sweeps } = store.counts;
    const budget = { bytes: 0, most: limits.point_mb * MB, keeps: true };
    const done: KeptArea[] = [];
    let why = missing;
    for (const area of areas) {
      try {
        const withinMs = area.kind === "files" ? NAMED_MS : TREE_MS;
        done.push(await sliced(store.state(area, budget), withinMs));
      } catch (thrown) {
        why ??= `${area.kind === "files" ? "what it names" : area.base} cannot be kept: ${messageOf(thrown)}`;
      }
    }
    if (budget.bytes > REMEMBERED_BYTES) store.remember();
    if (why !== missing && budget.bytes > 0) store.count(budget.bytes, { failed: true });
    if (done.length === 0) throw new NotKept(why ?? "nothing could be kept");
    if (store.counts.bytes + budget.bytes > limits.project_mb * MB) {
      store.prune(limits.days, true);
      if (store.counts.bytes <= limits.project_mb * MB) return undefined;
      store.count(0, { full: true });
      throw new NotKept(FULL);
    }
    const point: Point = {
      ...who,
      id,
      at: Date.now(),
      reason: reason ?? "call",
      call: who.tool === undefined ? undefined : this.#shown(payload["args"]),
      areas: done,
      bytes: budget.bytes,
      missing: why,
    };
    return store.locked(() => {
      if (store.counts.sweeps !== sweeps) return undefined;
      // Some agents count their calls from the start again.
      const same = store.point(id);
      if (same && isReported(same)) store.save({ ...same, id: randomBytes(4).toString("hex") });
      store.save(point);
      store.count(budget.bytes, { full: false });
      return point;
    });
  }

  #shown(args: Json | undefined): string {
    const { command, file_path } = isPlainObject(args) ? args : {};
    const text =
      [command, file_path].find((each) => typeof each === "string") ?? JSON.stringify(args) ?? "";
    return this.#deps.redact(text).slice(0, SHOWN);
  }

  /** Note what a call has changed, so that what others change later is told apart. */
  async #after({ store, who, id = "", noted }: Call): Promise<ToolAnswer> {
    const point = store.point(typeof noted === "string" ? noted : id);
    if (!point || Boolean(point.undone)) return { ok: true };
    const areas: KeptArea[] = [];
    for (const area of point.areas) {
      // Without it, all that differs later counts as changed by the call.
      const found = await sliced(store.now(area, false), NAMED_MS).catch(() => undefined);
      areas.push({ ...area, after: found?.manifest });
    }
    store.locked(() => store.save({ ...point, areas, undone: undefined, isReported: true }));
    // Only now: a call that was denied has written nothing.
    if (who.session !== undefined) store.touch(who.session, namedIn(point));
    return { ok: true, id: point.id };
  }

  /** How many points there are of a session that has ended. */
  #count({ store, who }: Call): ToolAnswer {
    const points = who.session === undefined ? [] : store.points();
    const own = points.filter((each) => each.session === who.session && each.undone === undefined);
    return { ok: true, points: own.length };
  }

  async #warm({ store, cwd }: Call, limits: Limits): Promise<ToolAnswer> {
    // A home, or a folder without a repository, may be anything.
    const repository = repositoryOf(cwd);
    if (typeof repository !== "object" || repository.top === homedir()) return { ok: true };
    const { areas } = new AreaReader(store.root).everything(cwd);
    store.open();
    const budget = { bytes: 0, most: limits.point_mb * MB, keeps: true };
    let failed = true;
    try {
      for (const area of areas) await sliced(store.state(area, budget), BACKGROUND_MS);
      store.remember();
      failed = false;
    } finally {
      store.locked(() => store.count(budget.bytes, failed ? { failed } : {}));
      store.prune(limits.days);
    }
    return { ok: true };
  }
}

/** The files that a point names, each by itself. */
function namedIn({ areas }: Point): string[] {
  const files = areas.filter(({ kind }) => kind === "files");
  return files.flatMap(({ base, targets = [] }) =>
    targets.flatMap(({ path, glob, recursive }) => ((glob ?? recursive) ? [] : [join(base, path)])),
  );
}

/** The limits that a hook gives, or the defaults. */
function limitsOf(given: JsonObject): Limits {
  const valid = Object.entries(given).filter(([, value]) => typeof value === "number" && value > 0);
  return { ...LIMITS, ...(Object.fromEntries(valid) as Partial<Limits>) };
}

const FULL =
  "the points of this project take all the space that they may have, and are too young to be removed";

/** What is wrong with the points of the project of a folder, for people. */
export function undoProblem(cwd: string): string | undefined {
  const { counts, root } = storeAt(cwd);
  if (!counts.full) return undefined;
  return `orcs undo keeps nothing more of ${root}: ${FULL} (options project_mb and days of orcs:undo)`;
}

/** Bytes of a call that are shown. */
const SHOWN = 500;
/** What is known of files is written for other processes when this many bytes were read. */
const REMEMBERED_BYTES = 2 ** 20;

type Call = ReturnType<typeof callOf>;

/** What a context says: where it is, and whose call it is about. */
function callOf(
  { hook_point: at, payload: given, metadata, component_id }: HookContext,
  root: string,
) {
  const payload = given as JsonObject;
  const text = (key: string): string | undefined => textAt(payload, key) || undefined;
  const [session, callId, tool] = ["session_id", "tool_use_id", "tool_name"].map(text);
  const named = text("cwd");
  const cwd = realpath(named?.startsWith("/") ? named : root);
  const agent = text("agent_id") ?? /^agent::(.+)$/.exec(component_id)?.[1];
  // Of its point, where the call has an id: always the same.
  const id = callId === undefined ? undefined : sha256(`${session}\0${callId}`).slice(0, 8);
  const { undo_point: noted } = metadata;
  const who = { session, agent, tool, callId };
  return { at, payload, store: storeAt(cwd), cwd, who, id, noted };
}

/** The tool call that is judged. */
function judgedCall({ at, payload }: Call): JsonObject | undefined {
  if (at === "tool.pre_execute") return payload;
  const { command = "", args, ...rest } = payload;
  if (at !== "auth.pre_check") return undefined;
  return { ...rest, tool_name: command, args: args ?? { command } };
}

/** Tells a call of one dispatch from every other, also from the same call with other arguments. */
function callKey({ ctx }: UndoAsker): string {
  const { tool_name, args, session_id, cwd } = ctx.payload as Readonly<Record<string, Json>>;
  const told = [ctx.hook_point, ctx.timestamp_ms, ctx.depth, tool_name, args, session_id, cwd];
  return sha256(JSON.stringify(told));
}
