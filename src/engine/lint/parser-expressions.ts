import type { Expression, FunctionLiteral, Name, Statement, TableField } from "./ast.ts";
import { Lexer, NotParsed, type Token } from "./lexer.ts";

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

/** Parses expressions; a subclass parses statements. @throws NotParsed */
export abstract class ExpressionParser {
  readonly #lexer: Lexer;
  #token: Token;
  #lastEnd = 0;
  #depth = 0;

  constructor(text: string) {
    this.#lexer = new Lexer(text);
    this.#token = this.#lexer.next();
  }

  protected abstract block(): Statement[];

  /** The type of the next token. */
  protected get type(): Token["type"] {
    return this.#token.type;
  }

  /** Offset of the next token. */
  protected get start(): number {
    return this.#token.start;
  }

  /** The end of the last token. */
  protected get end(): number {
    return this.#lastEnd;
  }

  protected take(): Token {
    const token = this.#token;
    this.#lastEnd = token.end;
    this.#token = this.#lexer.next();
    return token;
  }

  protected accept(type: string): boolean {
    if (this.#token.type !== type) return false;
    this.take();
    return true;
  }

  protected expect(type: string): Token {
    if (this.#token.type !== type) throw new NotParsed();
    return this.take();
  }

  protected name(): Name {
    const { text, start, end } = this.expect("name");
    return { kind: "name", name: text, start, end };
  }

  protected nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new NotParsed();
    const result = read();
    this.#depth -= 1;
    return result;
  }

  protected expressions(): Expression[] {
    const list = [this.expression()];
    while (this.accept(",")) list.push(this.expression());
    return list;
  }

  /** @param limit operators of no higher priority end it */
  protected expression(limit = 0): Expression {
    return this.nested(() => {
      let left = this.#operand();
      for (;;) {
        const operator = this.type;
        const priority = PRIORITY[operator];
        if (!priority || priority[0] <= limit) return left;
        const { start: operatorAt } = this.take();
        const right = this.expression(priority[1]);
        const { start } = left;
        left = { kind: "binary", operator, operatorAt, left, right, start, end: right.end };
      }
    });
  }

  /** A name, an index or a call, with which a statement can begin. */
  protected suffixed(): Expression {
    let left = this.#primary();
    const { start } = left;
    for (;;) {
      switch (this.type) {
        case ".": {
          this.take();
          const { name, start: from, end } = this.name();
          const key = { kind: "string", value: name, start: from, end } as const;
          left = { kind: "index", object: left, key, start, end: this.end };
          break;
        }
        case "[": {
          this.take();
          const key = this.expression();
          this.expect("]");
          left = { kind: "index", object: left, key, start, end: this.end };
          break;
        }
        case ":": {
          this.take();
          const name = this.name();
          const args = this.#arguments();
          left = { kind: "method", object: left, name, args, start, end: this.end };
          break;
        }
        case "(":
        case "{":
        case "string": {
          const args = this.#arguments();
          left = { kind: "call", callee: left, args, start, end: this.end };
          break;
        }
        default:
          return left;
      }
    }
  }

  /** Parameters, body and `end`. @param start offset of the function */
  protected functionBody(start: number, self?: Name): FunctionLiteral {
    const parameters = self ? [self] : [];
    let isVararg = false;
    this.expect("(");
    if (this.type !== ")") {
      do {
        isVararg = this.accept("...");
        if (!isVararg) parameters.push(this.name());
      } while (!isVararg && this.accept(","));
    }
    this.expect(")");
    const body = this.block();
    this.expect("end");
    return { kind: "function", parameters, isVararg, body, start, end: this.end };
  }

  #operand(): Expression {
    const { start, type } = this;
    if (!UNARY.has(type)) return this.#simple();
    this.take();
    const operand = this.expression(UNARY_PRIORITY);
    return { kind: "unary", operator: type, operand, start, end: this.end };
  }

  #simple(): Expression {
    const { start } = this;
    switch (this.type) {
      case "number": {
        const { text } = this.take();
        return { kind: "number", text, start, end: this.end };
      }
      case "string":
        return this.#string();
      case "nil":
        this.take();
        return { kind: "nil", start, end: this.end };
      case "...":
        this.take();
        return { kind: "vararg", start, end: this.end };
      case "true":
      case "false": {
        const value = this.take().type === "true";
        return { kind: "boolean", value, start, end: this.end };
      }
      case "{":
        return this.#table();
      case "function":
        this.take();
        return this.functionBody(start);
      default:
        return this.suffixed();
    }
  }

  #primary(): Expression {
    const { start } = this;
    if (!this.accept("(")) return this.name();
    const inner = this.expression();
    this.expect(")");
    return { kind: "paren", inner, start, end: this.end };
  }

  #string(): Expression {
    const { text, start, end } = this.take();
    return { kind: "string", value: text, start, end };
  }

  #arguments(): Expression[] {
    if (this.type === "string") return [this.#string()];
    if (this.type === "{") return [this.#table()];
    this.expect("(");
    if (this.accept(")")) return [];
    const args = this.expressions();
    this.expect(")");
    return args;
  }

  #table(): Expression {
    const { start } = this.expect("{");
    const fields: TableField[] = [];
    while (this.type !== "}") {
      fields.push(this.#field());
      if (!this.accept(",") && !this.accept(";")) break;
    }
    this.expect("}");
    return { kind: "table", fields, start, end: this.end };
  }

  #field(): TableField {
    if (this.accept("[")) {
      const key = this.expression();
      this.expect("]");
      this.expect("=");
      return { key, value: this.expression() };
    }
    const value = this.expression();
    if (value.kind !== "name" || this.type !== "=") return { key: undefined, value };
    this.take();
    const { name, start, end } = value;
    return { key: { kind: "string", value: name, start, end }, value: this.expression() };
  }
}
