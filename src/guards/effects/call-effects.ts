import { lazyConstant } from "../../core/index.ts";
import type { CallEffects, CallLine, DeclaredEffect, EffectKind } from "../../core/index.ts";
import { isRecord } from "../../matching/index.ts";
import type { Payload } from "../../matching/index.ts";
import { nameIn, readCall } from "./call-reading.ts";
import type { CallReading, CallText, ReaderDeps } from "./call-reading.ts";
import { ANYTHING, EffectList, givenPath, isAddress } from "./effect-list.ts";
import type { EffectDetails } from "./effect-list.ts";
import { isPatch, patchEffects } from "./patch-files.ts";
import { readCode } from "../languages/languages.ts";
import { ToolWords } from "./tool-words.ts";
import type { ArgumentName, ToolWord } from "./tool-words.ts";

/** A longer path cannot be opened. */
const LONGEST_PATH = 4096;
/** Of a glob with braces, which stands for several globs. */
const MOST_GLOBS = 64;

/** Create a function that lists what a call of any tool does: its command lines, and its other arguments. */
export function callEffects(deps: ReaderDeps): (payload: Payload, call?: object) => CallEffects {
  const tables = lazyConstant(() => new ToolWords());
  return (payload, call) => new CallReader(payload, tables(), deps, call).read();
}

class CallReader {
  readonly #payload: Payload;
  readonly #tables: ToolWords;
  readonly #deps: ReaderDeps;
  /** For what files are looked at once. */
  readonly #caller: object | undefined;
  readonly #home: string | undefined;
  readonly #call: CallReading;
  readonly #found: EffectList;
  readonly #lines: CallLine[] = [];
  #unread: string | undefined;

  constructor(payload: Payload, tables: ToolWords, deps: ReaderDeps, of: object | undefined) {
    this.#payload = payload;
    this.#tables = tables;
    this.#deps = deps;
    this.#caller = of;
    this.#home = deps.home();
    this.#call = readCall(payload, tables, deps.root, this.#home);
    this.#found = new EffectList({ argv: [], cwd: this.#call.cwd, program: "" });
  }

  read(): CallEffects {
    const { malformed } = this.#call;
    const { unread } = this.#payload;
    const declared = this.#deps.declared?.(nameIn(this.#payload) ?? "");
    if (declared) this.#declared(declared);
    else this.#tool();
    const why = malformed ?? this.#unread ?? (typeof unread === "string" ? unread : undefined);
    return {
      effects: this.#found.list,
      ...(this.#lines.length > 0 && { lines: this.#lines }),
      ...(why !== undefined && { unread: why }),
      ...(malformed !== undefined && { malformed: true }),
    };
  }

  #declared(effects: readonly DeclaredEffect[]): void {
    const { args } = this.#payload;
    for (const { kind, target, arg, sure = true, recursive } of effects) {
      const details = { sure, ...(recursive && { recursive }) };
      if (arg === undefined) {
        this.#of(kind, target, details);
        continue;
      }
      const value = isRecord(args) ? args[arg] : undefined;
      for (const each of Array.isArray(value) ? value : [value]) {
        if (each === undefined || each === null) continue;
        if (typeof each !== "string")
          this.#unread ??= `${arg} is a ${typeof each}, which is not a string`;
        else if (kind === "run") this.#line(each);
        else this.#of(kind, each, details);
      }
    }
  }

  /** An effect on a target as it is written; undefined if it is unknown. */
  #of(kind: EffectKind, target: string | undefined, details: EffectDetails): void {
    if (target === undefined) this.#found.add(kind, { ...ANYTHING, text: "" }, details);
    else if (kind === "connect") this.#found.connect(target, details);
    else if (/^(?:read|write|remove|attributes)$/.test(kind)) this.#file(kind, target, details);
    else this.#found.add(kind, target, details);
  }

  #file(kind: EffectKind, text: string, details: EffectDetails = {}): void {
    this.#found.file(kind, givenPath(text, this.#home), details);
  }

  #line(text: string, isScript = false): void {
    const { lineCwd, dialect, variables } = this.#call;
    const line = dialect === undefined ? variables + text : text;
    this.#lines.push({
      line,
      cwd: lineCwd,
      ...(dialect && { dialect }),
      ...(isScript && { script: true }),
    });
    const wanted = { files: true, dialect, call: this.#caller };
    const { commands, unread } = this.#deps.shell.read(line, lineCwd, wanted);
    // A script may be code in another language, of which only what is certain counts.
    if (!isScript) this.#unread ??= unread;
    for (const effect of commands.flatMap(({ effects = [] }) => effects)) {
      const isDoubtful =
        effect.target === undefined || (unread !== undefined && effect.kind === "run");
      if (!isScript || !isDoubtful) this.#found.list.push(effect);
    }
  }

  /** A text that the tool runs: code in some language, or perhaps a command line. */
  #script(text: string, isCode: boolean): void {
    const { lineCwd: cwd } = this.#call;
    if (isCode) this.#lines.push({ line: text, cwd, code: true });
    else this.#line(text, true);
    const found = new EffectList({ argv: [], cwd, program: "" });
    readCode("program", text, { found, prints: false, run: () => undefined });
    this.#found.list.push(...found.list);
  }

  #tool(): void {
    const { lines, scripts, texts, words } = this.#call;
    const said = this.#said();
    // The value of an argument such as `command` may be a patch, or one of several things to do.
    const isOther = (text: string): boolean =>
      this.#tables.commandValue(text) !== undefined || isBarePatch(text);
    for (const line of lines) if (words.has("runs") || !isOther(line)) this.#line(line);
    for (const script of scripts)
      if (!lines.includes(script)) this.#script(script, words.has("code"));
    const isPatched = this.#patches(lines);
    const writing = this.#writing(said);
    for (const each of texts) {
      if (lines.length > 0 && this.#is(each.key, "folder")) continue;
      const { list } = this.#found;
      const before = list.length;
      if (writing !== undefined) this.#writes(each, said, writing);
      if (!isPatched) this.#reads(each, said, writing !== undefined);
      for (const effect of list.splice(before)) list.push({ ...effect, arg: each.name });
    }
    if (said.has("searches") && !said.has("lists") && !isPatched) this.#searchesHere();
    this.#connects(said);
    this.#hints(said, writing !== undefined);
  }

  /** What the tool does, by the words of its name, and of an argument that says which of several things. */
  #said(): ReadonlySet<ToolWord> {
    const { texts, words } = this.#call;
    for (const { key, text } of texts) {
      const word = key === "command" ? this.#tables.commandValue(text) : undefined;
      if (word !== undefined) return this.#tables.ofName(word);
    }
    const said = new Set(words);
    for (const { key, text } of texts) {
      if (!this.#is(key, "command", "action") || /\s/.test(text)) continue;
      const word = /^[a-z]+/i.exec(text)?.[0].toLowerCase() ?? "";
      const meant = this.#tables.ofName(word);
      for (const each of ["writes", "mayWrite", "removes", "moves"] as const)
        if (meant.has(each)) said.add(each);
    }
    return said;
  }

  #is(key: string, ...meanings: ArgumentName[]): boolean {
    return meanings.some((meaning) => this.#tables.is(key, meaning));
  }

  /** Whether the tool writes to its paths, or may; undefined if not. */
  #writing(said: ReadonlySet<ToolWord>): "writes" | "mayWrite" | undefined {
    const { texts } = this.#call;
    if (said.has("comments")) return undefined;
    const hasContent = texts.some(
      ({ key, top }) =>
        this.#is(key, "content") ||
        this.#is(top, "content") ||
        (this.#is(key, "perhapsContent") && !said.has("speaks")),
    );
    if (hasContent) return "writes";
    const isView = texts.some(
      ({ key, text }) =>
        this.#is(key, "command", "action") &&
        this.#tables.views(/^[a-z]+$/i.exec(text)?.[0].toLowerCase() ?? ""),
    );
    if (isView) return undefined;
    return said.has("writes") ? "writes" : said.has("mayWrite") ? "mayWrite" : undefined;
  }

  #writes(
    { key, isPath, text }: CallText,
    said: ReadonlySet<ToolWord>,
    writing: "writes" | "mayWrite",
  ): void {
    if (!isPath || text === "" || isAddress(text) || this.#is(key, "onlyRead")) return;
    if (said.has("copies") && this.#is(key, "source")) return;
    const sure = writing === "writes";
    if (said.has("moves") && this.#is(key, "destination"))
      this.#file("write", text, { sure, unfollowed: true });
    else if (said.has("removes"))
      this.#file("remove", text, { sure, recursive: true, unfollowed: true });
    else if (said.has("attributes")) this.#file("attributes", text, { sure });
    else this.#file("write", text, { sure, ...(said.has("unpacks") && { recursive: true }) });
  }

  /** The files of patches; returns whether there is one. */
  #patches(lines: readonly string[]): boolean {
    let any = false;
    for (const { key, text } of this.#call.texts) {
      // What a command line patches is among its effects.
      const isLine = lines.length > 0 && this.#is(key, "command");
      if (isLine && !(isBarePatch(text) && lines.includes(text))) continue;
      if ((key !== "" && !this.#is(key, "patch")) || !isPatch(text)) continue;
      any = true;
      patchEffects(text, (kind, path, details) => this.#file(kind, path, details));
    }
    return any;
  }

  #reads(each: CallText, said: ReadonlySet<ToolWord>, isWriting: boolean): void {
    const { key, top, text, isPath } = each;
    const shows = said.has("shows") && !(said.has("looksUp") && said.has("gets"));
    if (said.has("lists") && !shows) return;
    if (this.#is(key, "text", "command") || top === "env") return;
    const searches = said.has("searches");
    if (searches && this.#is(key, "pattern")) return;
    if (said.has("overwrites") && !said.has("edits")) {
      const hasContent = this.#call.texts.some((other) => this.#is(other.key, "anyContent"));
      if (hasContent || said.has("takesAway") || !this.#is(top, "taken")) return;
    }
    if (text === "" || text.length > LONGEST_PATH || isAddress(text)) return;
    if (!isPath) return this.#mentions(text);
    // A negated glob leaves files out.
    if (text.startsWith("!")) return;
    const sure =
      shows || said.has("changes") || searches || said.has("moves") || said.has("overwrites");
    const brings = said.has("copies") || said.has("moves");
    if (isWriting && brings && this.#is(key, "destination")) return;
    const isGlob = this.#is(key, "glob");
    const limits = (other: CallText): boolean =>
      this.#is(other.key, "glob") && !/^!|^$/.test(other.text);
    if (searches && !isGlob && this.#call.texts.some(limits)) return;
    for (const glob of globsOf(text)) {
      const place = isGlob && searches ? this.#searched(glob) : glob;
      this.#file("read", place, { sure, ...(searches && !isGlob && { recursive: true }) });
    }
    if (/[=@:,;<\\]/.test(text) && !/^file:/i.test(text)) this.#mentions(text);
  }

  /** A search of files that names none is one of the working directory. */
  #searchesHere(): void {
    const { texts, lines } = this.#call;
    if (lines.length > 0 || !texts.some(({ key }) => key === "pattern")) return;
    if (!texts.some(({ isPath, text }) => isPath && text !== "" && !text.startsWith("!")))
      this.#file("read", ".", { recursive: true });
  }

  /** A glob of a search is below the folder that is searched. */
  #searched(glob: string): string {
    const { texts } = this.#call;
    const folder = texts.find(({ key, isPath }) => isPath && !this.#is(key, "glob"))?.text;
    const below = glob.includes("/") ? glob : `**/${glob}`;
    return folder === undefined || glob.startsWith("/") ? below : `${folder}/${below}`;
  }

  /** Files that a text may be about: `HEAD:.env`. */
  #mentions(text: string): void {
    if (/\n|^[^/\\]*\s/.test(text)) return;
    const parts = new Set([text, ...text.split(/[=@:,;<]+/), text.replaceAll("\\", "/")]);
    for (const part of parts)
      if (/[/\\]|^[.~]|\.[a-z]\w*$/i.test(part)) this.#file("read", part, { sure: false });
  }

  #connects(said: ReadonlySet<ToolWord>): void {
    const { texts, lines } = this.#call;
    const sure = said.has("connects");
    let any = false;
    const sent = said.has("sends")
      ? this.#found.list.find(({ kind, target }) => kind === "read" && target !== undefined)
      : undefined;
    const from = sent?.target === undefined ? {} : { from: sent.target };
    for (const { key, text, isPath } of texts) {
      const isHost = this.#is(key, "host") && sure;
      if (!isHost && !((isPath || this.#is(key, "address")) && isAddress(text))) continue;
      any = true;
      this.#of("connect", text, { sure, ...from });
    }
    if (any || lines.length > 0 || texts.length === 0) return;
    if (sure || sent) this.#of("connect", undefined, { sure, ...from });
  }

  /** What the definition of an MCP server's tool says. It can only add something: nobody vouches for it. */
  #hints(said: ReadonlySet<ToolWord>, isWriting: boolean): void {
    const { annotations } = this.#payload;
    if (!isRecord(annotations)) return;
    if (annotations["openWorldHint"] === true && !said.has("connects"))
      this.#of("connect", undefined, { sure: false });
    if (annotations["readOnlyHint"] === true || isWriting) return;
    const kinds: EffectKind[] = [];
    if (annotations["readOnlyHint"] === false) kinds.push("write");
    if (annotations["destructiveHint"] === true) kinds.push("remove");
    for (const { isPath, text } of this.#call.texts)
      if (isPath && text !== "" && !isAddress(text))
        for (const kind of kinds) this.#file(kind, text, { sure: false, recursive: true });
  }
}

/** Whether a text is a patch from its beginning on, not a line that contains one. */
function isBarePatch(text: string): boolean {
  return /^\s*(?:\*\*\* Begin Patch|--- \S|diff --git )/.test(text);
}

/** The globs that one with braces stands for: `*.{env,pem}`. */
function globsOf(text: string): readonly string[] {
  const list = [text];
  for (let at = 0; at < list.length && list.length <= MOST_GLOBS;) {
    const glob = list[at] ?? "";
    const end = glob.indexOf("}");
    const begin = end < 0 ? -1 : glob.lastIndexOf("{", end);
    const parts = begin < 0 ? [] : glob.slice(begin + 1, end).split(",");
    if (parts.length === 0) at++;
    else
      list.splice(at, 1, ...parts.map((part) => glob.slice(0, begin) + part + glob.slice(end + 1)));
  }
  return list;
}
