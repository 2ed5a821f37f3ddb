import { addTo } from "../../core/index.ts";
import type { Expression, FunctionLiteral, Name, Statement, TableLiteral } from "./ast.ts";

/** A local variable or parameter. */
export interface Local {
  /** Its declaration. */
  readonly name: Name;
  /** Its initial value, if that is a single expression. */
  readonly value: Expression | undefined;
  /** Whether it is assigned again. */
  isReassigned: boolean;
}

/** A chunk with its names resolved, and its parts in lists, so that checks need not walk the tree. */
export interface ResolvedChunk {
  readonly statements: readonly Statement[];
  /** Every expression, including nested ones, approximately in the order of the text. */
  readonly expressions: readonly Expression[];
  /** Uses and declarations of locals; other names are globals. */
  readonly localOf: ReadonlyMap<Name, Local>;
  /** Calls that are statements: what they return is dropped. */
  readonly callStatements: readonly Expression[];
  readonly globalReads: readonly Name[];
  readonly globalWrites: readonly Name[];
  /** Assignments to fields: `a.b = …`, `function a.b() … end`. */
  readonly writtenFields: ReadonlySet<Expression>;
  /** Functions by the last part of the name under which they are declared: `function a.b() … end`. */
  readonly functions: ReadonlyMap<string, FunctionLiteral>;
  /** The value lists that each function returns; undefined is the chunk itself. */
  readonly returns: ReadonlyMap<FunctionLiteral | undefined, readonly (readonly Expression[])[]>;
}

/** Resolve the names of a chunk, in one pass and linear time. */
export function resolve(statements: readonly Statement[]): ResolvedChunk {
  return new Resolver(statements);
}

interface Scope {
  readonly names: Map<string, Local>;
  readonly outer: Scope | undefined;
}

class Resolver implements ResolvedChunk {
  readonly statements: readonly Statement[];
  readonly expressions: Expression[] = [];
  readonly localOf = new Map<Name, Local>();
  readonly callStatements: Expression[] = [];
  readonly globalReads: Name[] = [];
  readonly globalWrites: Name[] = [];
  readonly writtenFields = new Set<Expression>();
  readonly functions = new Map<string, FunctionLiteral>();
  readonly returns = new Map<FunctionLiteral | undefined, (readonly Expression[])[]>();
  #scope: Scope = { names: new Map(), outer: undefined };
  #function: FunctionLiteral | undefined;

  constructor(statements: readonly Statement[]) {
    this.statements = statements;
    this.#block(statements);
  }

  #block(statements: readonly Statement[]): void {
    this.#inScope(() => {
      for (const statement of statements) this.#statement(statement);
    });
  }

  #inScope(visit: () => void): void {
    const outer = this.#scope;
    this.#scope = { names: new Map(), outer };
    visit();
    this.#scope = outer;
  }

  #statement(statement: Statement): void {
    switch (statement.kind) {
      case "local":
        this.#visit(statement.values);
        statement.names.forEach(({ name }, i) => this.#declare(name, statement.values[i]));
        return;
      case "localFunction":
        this.#declare(statement.name, statement.value);
        this.#visit([statement.value]);
        return;
      case "function": {
        const { target, value } = statement;
        const name = target.kind === "index" ? textOf(target.key) : undefined;
        const declared = target.kind === "name" ? target.name : name;
        if (declared !== undefined) this.functions.set(declared, value);
        this.#write(target);
        this.#visit([value]);
        return;
      }
      case "assign":
        for (const target of statement.targets) this.#write(target);
        this.#visit(statement.values);
        return;
      case "call":
        this.callStatements.push(statement.call);
        this.#visit([statement.call]);
        return;
      case "do":
        this.#block(statement.body);
        return;
      case "while":
        this.#visit([statement.condition]);
        this.#block(statement.body);
        return;
      case "repeat":
        // The condition sees the locals of the body.
        this.#inScope(() => {
          for (const each of statement.body) this.#statement(each);
          this.#visit([statement.condition]);
        });
        return;
      case "if":
        for (const { condition, body } of statement.clauses) {
          this.#visit([condition]);
          this.#block(body);
        }
        if (statement.otherwise) this.#block(statement.otherwise);
        return;
      case "for":
        this.#visit(statement.values);
        this.#inScope(() => {
          for (const name of statement.names) this.#declare(name, undefined);
          this.#block(statement.body);
        });
        return;
      case "return":
        this.#visit(statement.values);
        addTo(this.returns, this.#function, statement.values);
        return;
      case "goto":
      case "label":
      case "break":
    }
  }

  #declare(name: Name, value: Expression | undefined): void {
    const local = { name, value, isReassigned: false };
    this.#scope.names.set(name.name, local);
    this.localOf.set(name, local);
  }

  #write(target: Expression): void {
    if (target.kind !== "name") {
      this.writtenFields.add(target);
      this.#visit([target]);
      return;
    }
    const local = this.#find(target);
    if (local) local.isReassigned = true;
    else this.globalWrites.push(target);
  }

  /** A list instead of recursion: a chain of operators or calls may be long. */
  #visit(list: readonly Expression[]): void {
    const waiting = [...list].reverse();
    for (let at = waiting.pop(); at; at = waiting.pop()) {
      this.expressions.push(at);
      if (at.kind === "name") {
        if (!this.#find(at)) this.globalReads.push(at);
      } else if (at.kind === "function") this.#functionLiteral(at);
      else for (const child of childrenOf(at).reverse()) waiting.push(child);
    }
  }

  #functionLiteral(literal: FunctionLiteral): void {
    const outer = this.#function;
    this.#function = literal;
    this.#inScope(() => {
      for (const parameter of literal.parameters) this.#declare(parameter, undefined);
      this.#block(literal.body);
    });
    this.#function = outer;
  }

  #find(name: Name): Local | undefined {
    for (let scope: Scope | undefined = this.#scope; scope; scope = scope.outer) {
      const local = scope.names.get(name.name);
      if (!local) continue;
      this.localOf.set(name, local);
      return local;
    }
    return undefined;
  }
}

/** The direct subexpressions, without the body of a function. */
export function childrenOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case "index":
      return [expression.object, expression.key];
    case "call":
      return [expression.callee, ...expression.args];
    case "method":
      return [expression.object, ...expression.args];
    case "binary":
      return [expression.left, expression.right];
    case "unary":
      return [expression.operand];
    case "paren":
      return [expression.inner];
    case "table":
      return expression.fields.flatMap(({ key, value }) => (key ? [key, value] : [value]));
    default:
      return [];
  }
}

/** How far aliases and keys are followed: `local args = ctx.payload.args` and below. */
const MAX_STEPS = 12;

/** The value of an expression: itself, or the only value of a local that is never reassigned. */
export function valueOf(expression: Expression, program: ResolvedChunk): Expression {
  let at = expression;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (at.kind === "paren") at = at.inner;
    else if (at.kind === "name") {
      const local = program.localOf.get(at);
      if (!local?.value || local.isReassigned) return at;
      at = local.value;
    } else return at;
  }
  return at;
}

/** The literal text of an expression, if it has one. */
export function textOf(expression: Expression | undefined): string | undefined {
  return expression?.kind === "string" ? expression.value : undefined;
}

/** The field of a table literal, by name. */
export function fieldOf(table: TableLiteral, name: string): Expression | undefined {
  return table.fields.find(({ key }) => textOf(key) === name)?.value;
}

/** The parts of a path such as `orcs.state.get`, if it begins with a global. */
export function globalPath(expression: Expression, program: ResolvedChunk): string[] | undefined {
  const keys: string[] = [];
  let at = expression;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (at.kind === "name") {
      return program.localOf.has(at) ? undefined : [at.name, ...keys.reverse()];
    }
    const key = at.kind === "index" ? textOf(at.key) : undefined;
    if (at.kind !== "index" || key === undefined) return undefined;
    keys.push(key);
    at = at.object;
  }
  return undefined;
}

/** The name of the global that an expression calls, such as `orcs.hook`; undefined for any other expression. */
export function calledName(expression: Expression, program: ResolvedChunk): string | undefined {
  return expression.kind === "call" ? globalName(expression.callee, program) : undefined;
}

/** The dotted name of a global: `orcs.state.get`. */
export function globalName(expression: Expression, program: ResolvedChunk): string | undefined {
  return globalPath(expression, program)?.join(".");
}

/** A path of names from a local: `ctx.payload.args.command`, with aliases resolved. */
interface LocalPath {
  readonly root: Local;
  readonly keys: readonly string[];
}

/** The path of an expression from a local without a value of its own, such as a parameter. */
export function localPath(expression: Expression, program: ResolvedChunk): LocalPath | undefined {
  const path = pathTo(expression, program, (local) => !local.value);
  return path?.keys.every((key) => key !== undefined) === true ? (path as LocalPath) : undefined;
}

/** The path of an expression from the first local that is a root, with aliases resolved; unknown keys are undefined. */
export function pathTo(
  expression: Expression,
  program: ResolvedChunk,
  isRoot: (local: Local) => boolean,
): { readonly root: Local; readonly keys: readonly (string | undefined)[] } | undefined {
  const keys: (string | undefined)[] = [];
  let at = expression;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (at.kind === "paren") at = at.inner;
    else if (at.kind === "index") {
      keys.push(textOf(at.key));
      at = at.object;
    } else if (at.kind === "name") {
      const local = program.localOf.get(at);
      if (!local || local.isReassigned) return undefined;
      if (isRoot(local)) return { root: local, keys: keys.reverse() };
      if (!local.value) return undefined;
      at = local.value;
    } else return undefined;
  }
  return undefined;
}
