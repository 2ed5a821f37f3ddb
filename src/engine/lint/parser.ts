import type {
  Expression,
  FunctionLiteral,
  IndexExpression,
  LocalName,
  Name,
  Range,
  Statement,
  TableField,
} from "./ast.ts";
import { Lexer, NotParsed, type Token } from "./lexer.ts";

/**
 * The statements of a Lua 5.4 chunk. Errors beyond the grammar (an unknown label, a write to a constant) are accepted:
 * the VM reports them.
 * @returns undefined when the text is not Lua, or is nested deeper than Lua's own compiler allows
 */
export function parseLua(text: string): readonly Statement[] | undefined {
  try {
    return new Parser(text).chunk();
  } catch (thrown) {
    if (thrown instanceof NotParsed) return undefined;
    throw thrown;
  }
}

const BLOCK_ENDS: ReadonlySet<string> = new Set(["end of file", "end", "else", "elseif", "until"]);

/** The nesting limit of Lua's own compiler (LUAI_MAXCCALLS); deeper code does not compile there either. */
const MAX_DEPTH = 200;

/** Left and right priority of the binary operators; a higher right one makes them left associative. */
const PRIORITY: Readonly<Record<string, readonly [left: number, right: number]>> = {
  or: [1, 1],
  and: [2, 2],
  "<": [3, 3],
  ">": [3, 3],
  "<=": [3, 3],
  ">=": [3, 3],
  "~=": [3, 3],
  "==": [3, 3],
  "|": [4, 4],
  "~": [5, 5],
  "&": [6, 6],
  "<<": [7, 7],
  ">>": [7, 7],
  "..": [9, 8],
  "+": [10, 10],
  "-": [10, 10],
  "*": [11, 11],
  "/": [11, 11],
  "//": [11, 11],
  "%": [11, 11],
  "^": [14, 13],
};
const UNARY: ReadonlySet<string> = new Set(["not", "-", "~", "#"]);
const UNARY_PRIORITY = 12;

/** Reads a text from its first token to its last. @throws NotParsed */
class Parser {
  readonly #lexer: Lexer;
  #next: Token;
  /** The end of the last token. */
  #end = 0;
  #depth = 0;

  constructor(text: string) {
    this.#lexer = new Lexer(text);
    this.#next = this.#lexer.next();
  }

  #take(): Token {
    const token = this.#next;
    this.#end = token.end;
    this.#next = this.#lexer.next();
    return token;
  }

  #accept(type: string): boolean {
    if (this.#next.type !== type) return false;
    this.#take();
    return true;
  }

  #expect(type: string): Token {
    if (this.#next.type !== type) throw new NotParsed();
    return this.#take();
  }

  #name(): Name {
    const { text, start, end } = this.#expect("name");
    return { kind: "name", name: text, start, end };
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new NotParsed();
    const result = read();
    this.#depth -= 1;
    return result;
  }

  chunk(): Statement[] {
    const statements = this.#block();
    this.#expect("end of file");
    return statements;
  }

  #block(): Statement[] {
    const statements: Statement[] = [];
    while (!BLOCK_ENDS.has(this.#next.type)) {
      if (this.#accept(";")) continue;
      const isReturn = this.#next.type === "return";
      statements.push(this.#nested(() => this.#statement()));
      if (isReturn) break;
    }
    return statements;
  }

  #statement(): Statement {
    const { start } = this.#next;
    switch (this.#next.type) {
      case "if":
        return this.#if(start);
      case "while": {
        this.#take();
        const condition = this.#expression();
        return { kind: "while", condition, body: this.#doBlock(), ...this.#from(start) };
      }
      case "do":
        return { kind: "do", body: this.#doBlock(), ...this.#from(start) };
      case "for":
        return this.#for(start);
      case "repeat": {
        this.#take();
        const body = this.#block();
        this.#expect("until");
        const condition = this.#expression();
        return { kind: "repeat", condition, body, ...this.#from(start) };
      }
      case "function":
        return this.#function(start);
      case "local":
        this.#take();
        return this.#accept("function") ? this.#localFunction(start) : this.#local(start);
      case "return":
        return this.#return(start);
      case "break":
        this.#take();
        return { kind: "break", ...this.#from(start) };
      case "goto": {
        this.#take();
        const label = this.#name();
        return { kind: "goto", label, ...this.#from(start) };
      }
      case "::": {
        this.#take();
        const label = this.#name();
        this.#expect("::");
        return { kind: "label", label, ...this.#from(start) };
      }
      default:
        return this.#expressionStatement(start);
    }
  }

  #from(start: number): Range {
    return { start, end: this.#end };
  }

  #doBlock(): Statement[] {
    this.#expect("do");
    const body = this.#block();
    this.#expect("end");
    return body;
  }

  #if(start: number): Statement {
    const clauses: { condition: Expression; body: Statement[] }[] = [];
    do {
      this.#take();
      const condition = this.#expression();
      this.#expect("then");
      clauses.push({ condition, body: this.#block() });
    } while (this.#next.type === "elseif");
    const otherwise = this.#accept("else") ? this.#block() : undefined;
    this.#expect("end");
    return { kind: "if", clauses, otherwise, ...this.#from(start) };
  }

  #for(start: number): Statement {
    this.#take();
    const names = [this.#name()];
    const isNumeric = this.#accept("=");
    if (!isNumeric) {
      while (this.#accept(",")) names.push(this.#name());
      this.#expect("in");
    }
    const values = this.#expressions();
    if (isNumeric && values.length !== 2 && values.length !== 3) throw new NotParsed();
    return { kind: "for", names, values, body: this.#doBlock(), ...this.#from(start) };
  }

  #function(start: number): Statement {
    this.#take();
    let target: Expression = this.#name();
    let self: Name | undefined;
    while (self === undefined && (this.#next.type === "." || this.#next.type === ":")) {
      const isMethod = this.#next.type === ":";
      const { key, end } = (target = this.#member(target));
      if (isMethod) self = { kind: "name", name: "self", start: key.start, end };
    }
    const value = this.#functionBody(start, self);
    return { kind: "function", target, value, ...this.#from(start) };
  }

  #localFunction(start: number): Statement {
    const name = this.#name();
    const value = this.#functionBody(start);
    return { kind: "localFunction", name, value, ...this.#from(start) };
  }

  #local(start: number): Statement {
    const names: LocalName[] = [];
    do {
      const name = this.#name();
      let attribute: string | undefined;
      if (this.#accept("<")) {
        attribute = this.#name().name;
        this.#expect(">");
      }
      names.push({ name, attribute });
    } while (this.#accept(","));
    const values = this.#accept("=") ? this.#expressions() : [];
    return { kind: "local", names, values, ...this.#from(start) };
  }

  #return(start: number): Statement {
    this.#take();
    const isBare = BLOCK_ENDS.has(this.#next.type) || this.#next.type === ";";
    const values = isBare ? [] : this.#expressions();
    this.#accept(";");
    // It must be the last one of its block.
    if (!BLOCK_ENDS.has(this.#next.type)) throw new NotParsed();
    return { kind: "return", values, ...this.#from(start) };
  }

  #expressionStatement(start: number): Statement {
    const first = this.#suffixed();
    if (this.#next.type !== "=" && this.#next.type !== ",") {
      if (first.kind !== "call" && first.kind !== "method") throw new NotParsed();
      return { kind: "call", call: first, ...this.#from(start) };
    }
    const targets = [first];
    while (this.#accept(",")) targets.push(this.#suffixed());
    this.#expect("=");
    if (targets.some(({ kind }) => kind !== "name" && kind !== "index")) throw new NotParsed();
    return { kind: "assign", targets, values: this.#expressions(), ...this.#from(start) };
  }

  #expressions(): Expression[] {
    const list = [this.#expression()];
    while (this.#accept(",")) list.push(this.#expression());
    return list;
  }

  /** @param limit operators of no higher priority end it */
  #expression(limit = 0): Expression {
    return this.#nested(() => {
      let left = this.#operand();
      for (;;) {
        const operator = this.#next.type;
        const priority = PRIORITY[operator];
        if (!priority || priority[0] <= limit) return left;
        const { start: operatorAt } = this.#take();
        const right = this.#expression(priority[1]);
        const { start } = left;
        left = { kind: "binary", operator, operatorAt, left, right, start, end: right.end };
      }
    });
  }

  /** A name, an index or a call, with which a statement can begin. */
  #suffixed(): Expression {
    let left = this.#primary();
    const { start } = left;
    for (;;) {
      switch (this.#next.type) {
        case ".":
          left = this.#member(left);
          break;
        case "[": {
          this.#take();
          const key = this.#expression();
          this.#expect("]");
          left = { kind: "index", object: left, key, start, end: this.#end };
          break;
        }
        case ":": {
          this.#take();
          const name = this.#name();
          const args = this.#arguments();
          left = { kind: "method", object: left, name, args, start, end: this.#end };
          break;
        }
        case "(":
        case "{":
        case "string": {
          const args = this.#arguments();
          left = { kind: "call", callee: left, args, start, end: this.#end };
          break;
        }
        default:
          return left;
      }
    }
  }

  /** `object.name`, and the `object:name` of a declaration. */
  #member(object: Expression): IndexExpression {
    this.#take();
    const { name: value, start, end } = this.#name();
    const key = { kind: "string", value, start, end } as const;
    return { kind: "index", object, key, start: object.start, end };
  }

  /** Parameters, body and `end`. @param start offset of the function */
  #functionBody(start: number, self?: Name): FunctionLiteral {
    const parameters = self ? [self] : [];
    let isVararg = false;
    this.#expect("(");
    if (this.#next.type !== ")") {
      do {
        isVararg = this.#accept("...");
        if (!isVararg) parameters.push(this.#name());
      } while (!isVararg && this.#accept(","));
    }
    this.#expect(")");
    const body = this.#block();
    this.#expect("end");
    return { kind: "function", parameters, isVararg, body, start, end: this.#end };
  }

  #operand(): Expression {
    const { start, type } = this.#next;
    if (!UNARY.has(type)) return this.#simple();
    this.#take();
    const operand = this.#expression(UNARY_PRIORITY);
    return { kind: "unary", operator: type, operand, start, end: this.#end };
  }

  #simple(): Expression {
    const { start } = this.#next;
    switch (this.#next.type) {
      case "number": {
        const { text } = this.#take();
        return { kind: "number", text, start, end: this.#end };
      }
      case "string":
        return this.#string();
      case "nil":
        this.#take();
        return { kind: "nil", start, end: this.#end };
      case "...":
        this.#take();
        return { kind: "vararg", start, end: this.#end };
      case "true":
      case "false": {
        const value = this.#take().type === "true";
        return { kind: "boolean", value, start, end: this.#end };
      }
      case "{":
        return this.#table();
      case "function":
        this.#take();
        return this.#functionBody(start);
      default:
        return this.#suffixed();
    }
  }

  #primary(): Expression {
    const { start } = this.#next;
    if (!this.#accept("(")) return this.#name();
    const inner = this.#expression();
    this.#expect(")");
    return { kind: "paren", inner, start, end: this.#end };
  }

  #string(): Expression {
    const { text, start, end } = this.#take();
    return { kind: "string", value: text, start, end };
  }

  #arguments(): Expression[] {
    if (this.#next.type === "string") return [this.#string()];
    if (this.#next.type === "{") return [this.#table()];
    this.#expect("(");
    if (this.#accept(")")) return [];
    const args = this.#expressions();
    this.#expect(")");
    return args;
  }

  #table(): Expression {
    const { start } = this.#expect("{");
    const fields: TableField[] = [];
    while (this.#next.type !== "}") {
      fields.push(this.#field());
      if (!this.#accept(",") && !this.#accept(";")) break;
    }
    this.#expect("}");
    return { kind: "table", fields, start, end: this.#end };
  }

  #field(): TableField {
    if (this.#accept("[")) {
      const key = this.#expression();
      this.#expect("]");
      this.#expect("=");
      return { key, value: this.#expression() };
    }
    const value = this.#expression();
    if (value.kind !== "name" || this.#next.type !== "=") return { key: undefined, value };
    this.#take();
    const { name, start, end } = value;
    return { key: { kind: "string", value: name, start, end }, value: this.#expression() };
  }
}
