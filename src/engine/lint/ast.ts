/** The place of a node in the text: UTF-16 offsets, the end exclusive. `placesIn` converts them to lines. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A name where it is declared or used. */
export interface Name extends Range {
  readonly kind: "name";
  readonly name: string;
}

export interface StringLiteral extends Range {
  readonly kind: "string";
  /** Escapes of bytes beyond ASCII become characters with that number. */
  readonly value: string;
}

/** `function (…) … end`, also the one of `function name (…)`, with `self` in front for `function a:b (…)`. */
export interface FunctionLiteral extends Range {
  readonly kind: "function";
  readonly parameters: readonly Name[];
  readonly isVararg: boolean;
  readonly body: readonly Statement[];
}

/** `object.key` or `object[key]`. */
export interface IndexExpression extends Range {
  readonly kind: "index";
  readonly object: Expression;
  /** A string literal when written with a dot. */
  readonly key: Expression;
}

export interface CallExpression extends Range {
  readonly kind: "call";
  readonly callee: Expression;
  readonly args: readonly Expression[];
}

/** `object:name(…)`. */
export interface MethodCall extends Range {
  readonly kind: "method";
  readonly object: Expression;
  readonly name: Name;
  readonly args: readonly Expression[];
}

export interface BinaryExpression extends Range {
  readonly kind: "binary";
  readonly operator: string;
  /** Offset of the operator. */
  readonly operatorAt: number;
  readonly left: Expression;
  readonly right: Expression;
}

/** One field: `value`, `name = value` (then the key is a string literal) or `[key] = value`. */
export interface TableField {
  readonly key: Expression | undefined;
  readonly value: Expression;
}

export interface TableLiteral extends Range {
  readonly kind: "table";
  readonly fields: readonly TableField[];
}

export type Expression =
  | Name
  | StringLiteral
  | FunctionLiteral
  | IndexExpression
  | CallExpression
  | MethodCall
  | BinaryExpression
  | TableLiteral
  | (Range & { readonly kind: "nil" | "vararg" })
  | (Range & { readonly kind: "boolean"; readonly value: boolean })
  | (Range & { readonly kind: "number"; readonly text: string })
  | (Range & { readonly kind: "unary"; readonly operator: string; readonly operand: Expression })
  | (Range & { readonly kind: "paren"; readonly inner: Expression });

/** A declared local, with its `<const>` or `<close>`. */
export interface LocalName {
  readonly name: Name;
  readonly attribute: string | undefined;
}

export type Statement = Range &
  (
    | {
        readonly kind: "local";
        readonly names: readonly LocalName[];
        readonly values: readonly Expression[];
      }
    | {
        readonly kind: "assign";
        readonly targets: readonly Expression[];
        readonly values: readonly Expression[];
      }
    | { readonly kind: "call"; readonly call: Expression }
    | { readonly kind: "do"; readonly body: readonly Statement[] }
    | {
        readonly kind: "while" | "repeat";
        readonly condition: Expression;
        readonly body: readonly Statement[];
      }
    | {
        readonly kind: "if";
        readonly clauses: readonly {
          readonly condition: Expression;
          readonly body: readonly Statement[];
        }[];
        readonly otherwise: readonly Statement[] | undefined;
      }
    | {
        /** Both kinds of `for`; the numeric one has one name and two or three values. */
        readonly kind: "for";
        readonly names: readonly Name[];
        readonly values: readonly Expression[];
        readonly body: readonly Statement[];
      }
    | { readonly kind: "function"; readonly target: Expression; readonly value: FunctionLiteral }
    | { readonly kind: "localFunction"; readonly name: Name; readonly value: FunctionLiteral }
    | { readonly kind: "return"; readonly values: readonly Expression[] }
    | { readonly kind: "goto" | "label"; readonly label: Name }
    | { readonly kind: "break" }
  );
