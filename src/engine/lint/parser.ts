import type { Expression, LocalName, Name, Range, Statement } from "./ast.ts";
import { NotParsed } from "./lexer.ts";
import { ExpressionParser } from "./parser-expressions.ts";

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

class Parser extends ExpressionParser {
  chunk(): Statement[] {
    const statements = this.block();
    this.expect("end of file");
    return statements;
  }

  protected block(): Statement[] {
    const statements: Statement[] = [];
    while (!BLOCK_ENDS.has(this.type)) {
      if (this.accept(";")) continue;
      const isReturn = this.type === "return";
      statements.push(this.nested(() => this.#statement()));
      if (isReturn) break;
    }
    return statements;
  }

  #statement(): Statement {
    const { start } = this;
    switch (this.type) {
      case "if":
        return this.#if(start);
      case "while": {
        this.take();
        const condition = this.expression();
        return { kind: "while", condition, body: this.#doBlock(), ...this.#from(start) };
      }
      case "do":
        return { kind: "do", body: this.#doBlock(), ...this.#from(start) };
      case "for":
        return this.#for(start);
      case "repeat": {
        this.take();
        const body = this.block();
        this.expect("until");
        const condition = this.expression();
        return { kind: "repeat", condition, body, ...this.#from(start) };
      }
      case "function":
        return this.#function(start);
      case "local":
        this.take();
        return this.accept("function") ? this.#localFunction(start) : this.#local(start);
      case "return":
        return this.#return(start);
      case "break":
        this.take();
        return { kind: "break", ...this.#from(start) };
      case "goto": {
        this.take();
        const label = this.name();
        return { kind: "goto", label, ...this.#from(start) };
      }
      case "::": {
        this.take();
        const label = this.name();
        this.expect("::");
        return { kind: "label", label, ...this.#from(start) };
      }
      default:
        return this.#expressionStatement(start);
    }
  }

  #from(start: number): Range {
    return { start, end: this.end };
  }

  #doBlock(): Statement[] {
    this.expect("do");
    const body = this.block();
    this.expect("end");
    return body;
  }

  #if(start: number): Statement {
    const clauses: { condition: Expression; body: Statement[] }[] = [];
    do {
      this.take();
      const condition = this.expression();
      this.expect("then");
      clauses.push({ condition, body: this.block() });
    } while (this.type === "elseif");
    const otherwise = this.accept("else") ? this.block() : undefined;
    this.expect("end");
    return { kind: "if", clauses, otherwise, ...this.#from(start) };
  }

  #for(start: number): Statement {
    this.take();
    const names = [this.name()];
    const isNumeric = this.accept("=");
    if (!isNumeric) {
      while (this.accept(",")) names.push(this.name());
      this.expect("in");
    }
    const values = this.expressions();
    if (isNumeric && values.length !== 2 && values.length !== 3) throw new NotParsed();
    return { kind: "for", names, values, body: this.#doBlock(), ...this.#from(start) };
  }

  #function(start: number): Statement {
    this.take();
    let target: Expression = this.name();
    let self: Name | undefined;
    while (self === undefined && (this.type === "." || this.type === ":")) {
      const isMethod = this.take().type === ":";
      const { name, start: from, end } = this.name();
      const key = { kind: "string", value: name, start: from, end } as const;
      target = { kind: "index", object: target, key, start: target.start, end: this.end };
      if (isMethod) self = { kind: "name", name: "self", start: from, end };
    }
    const value = this.functionBody(start, self);
    return { kind: "function", target, value, ...this.#from(start) };
  }

  #localFunction(start: number): Statement {
    const name = this.name();
    const value = this.functionBody(start);
    return { kind: "localFunction", name, value, ...this.#from(start) };
  }

  #local(start: number): Statement {
    const names: LocalName[] = [];
    do {
      const name = this.name();
      let attribute: string | undefined;
      if (this.accept("<")) {
        attribute = this.name().name;
        this.expect(">");
      }
      names.push({ name, attribute });
    } while (this.accept(","));
    const values = this.accept("=") ? this.expressions() : [];
    return { kind: "local", names, values, ...this.#from(start) };
  }

  #return(start: number): Statement {
    this.take();
    const isBare = BLOCK_ENDS.has(this.type) || this.type === ";";
    const values = isBare ? [] : this.expressions();
    this.accept(";");
    // It must be the last one of its block.
    if (!BLOCK_ENDS.has(this.type)) throw new NotParsed();
    return { kind: "return", values, ...this.#from(start) };
  }

  #expressionStatement(start: number): Statement {
    const first = this.suffixed();
    if (this.type !== "=" && this.type !== ",") {
      if (first.kind !== "call" && first.kind !== "method") throw new NotParsed();
      return { kind: "call", call: first, ...this.#from(start) };
    }
    const targets = [first];
    while (this.accept(",")) targets.push(this.suffixed());
    this.expect("=");
    if (targets.some(({ kind }) => kind !== "name" && kind !== "index")) throw new NotParsed();
    return { kind: "assign", targets, values: this.expressions(), ...this.#from(start) };
  }
}
