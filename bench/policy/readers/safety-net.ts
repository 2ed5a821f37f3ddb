import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";
import type { Line } from "../corpus.ts";
import { HOME } from "../corpus.ts";
import { filesUnder } from "./files.ts";

/**
 * The command lines in the tests of cc-safety-net (`tests/**.test.ts`). Nothing is run: the syntax tree is walked, and
 * what stands in it as a constant is read, with `test.each` and `for … of` over arrays of constants.
 */
export function safetyNetLines(folder: string, corpus: string): Line[] {
  const files = filesUnder(join(folder, "tests"), ".test.ts");
  return files
    .filter((path) => !OWN_RULES.test(posix.basename(path)))
    .flatMap((path) => {
      const text = readFileSync(path, "utf8");
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      const where = posix.relative(folder, path);
      return new Walk(file).lines().map(({ at, found }): Line =>
        Object.assign({ corpus }, found, {
          source: `${where}:${file.getLineAndCharacterOfPosition(at).line + 1}`,
        }),
      );
    });
}

type Known = string | boolean | readonly Known[] | { readonly [key: string]: Known };
type Scope = ReadonlyMap<string, Known>;
interface Found {
  readonly at: number;
  readonly found: Pick<Line, "line" | "wants" | "cwd" | "shell">;
}

/** Switches that make the rival judge otherwise than by default: lines under them say nothing of its default. */
const SWITCHES = /strict|paranoid|worktree|SAFETY_NET_|overrides|policy|config|rules\b/i;
/** Tests of rules that the test itself writes. */
const OWN_RULES = /custom/;
/** Reasons of a stop that are limits of the rival's reader, and say nothing of the line. */
const OWN_LIMITS = /recursion|work limit/;
/** Places that exist only while the test runs. */
const TEMPORARY = /fixture|worktree|linked|submodule/i;
const ANALYSE = /^(analyze\w*Command\w*|analyzeTest\w*|runGuard|analyzePowerShell|analyzeCommand)$/;

class Walk {
  readonly #file: ts.SourceFile;
  readonly #found: Found[] = [];
  /** `const result = analyzeCommand(…)`: what a name stands for. */
  readonly #results = new Map<Known, ts.CallExpression>();
  /** The functions that a test file has for its own assertions. */
  readonly #helpers = new Map<string, ts.FunctionLikeDeclaration>();
  readonly #entered = new Set<string>();

  constructor(file: ts.SourceFile) {
    this.#file = file;
  }

  lines(): Found[] {
    this.#findHelpers(this.#file);
    this.#visit(this.#file, new Map());
    return this.#found;
  }

  #findHelpers(node: ts.Node): void {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined)
      this.#helpers.set(node.name.text, node);
    else if (
      ts.isVariableDeclaration(node) &&
      ts.isIdentifier(node.name) &&
      node.initializer !== undefined &&
      ts.isArrowFunction(node.initializer)
    )
      this.#helpers.set(node.name.text, node.initializer);
    ts.forEachChild(node, (child) => this.#findHelpers(child));
  }

  #visit(node: ts.Node, scope: Scope): void {
    if (ts.isFunctionDeclaration(node)) return;
    if (ts.isCallExpression(node) && this.#helped(node, scope)) return;
    if (ts.isCallExpression(node) && this.#isSwitched(node)) return;
    if (ts.isForOfStatement(node) && this.#eachOf(node, scope)) return;
    if (ts.isCallExpression(node) && this.#eachTest(node, scope)) return;
    if (ts.isCallExpression(node)) this.#assertion(node, scope);
    if (ts.isBlock(node) || ts.isSourceFile(node)) {
      let inner = scope;
      for (const statement of node.statements) {
        inner = this.#declared(statement, inner);
        this.#visit(statement, inner);
      }
      return;
    }
    ts.forEachChild(node, (child) => this.#visit(child, scope));
  }

  /** A call of a helper: its body, with what it was given. */
  #helped(node: ts.CallExpression, scope: Scope): boolean {
    const name = node.expression.getText(this.#file);
    const helper = this.#helpers.get(name);
    if (helper?.body === undefined || ANALYSE.test(name) || ASSERT.test(name)) return false;
    if (this.#entered.has(name) || typeof known(node.arguments[0] ?? node, scope) !== "string")
      return false;
    this.#entered.add(name);
    const values = node.arguments.map((argument) => known(argument, scope));
    const names = helper.parameters.map((parameter) => parameter.name);
    this.#visit(helper.body, bound(scope, names, values));
    this.#entered.delete(name);
    return true;
  }

  /** `withEnv({ SAFETY_NET_STRICT: "1" }, …)` */
  #isSwitched(node: ts.CallExpression): boolean {
    const [first] = node.arguments;
    return (
      node.expression.getText(this.#file) === "withEnv" &&
      first !== undefined &&
      (SWITCHES.test(first.getText(this.#file)) || /TMPDIR|HOME/.test(first.getText(this.#file)))
    );
  }

  #declared(statement: ts.Statement, scope: Scope): Scope {
    if (!ts.isVariableStatement(statement)) return scope;
    const inner = new Map(scope);
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name)) continue;
      if (initializer !== undefined && isAnalysis(initializer)) {
        const result: Known = {};
        this.#results.set(result, initializer);
        inner.set(name.text, result);
        continue;
      }
      const value = initializer === undefined ? undefined : known(initializer, inner);
      if (value === undefined) inner.delete(name.text);
      else inner.set(name.text, value);
    }
    return inner;
  }

  #eachOf(node: ts.ForOfStatement, scope: Scope): boolean {
    const values = known(node.expression, scope);
    if (!Array.isArray(values) || !ts.isVariableDeclarationList(node.initializer)) return false;
    const name = node.initializer.declarations[0]?.name;
    if (name === undefined) return false;
    for (const value of values as readonly Known[])
      this.#visit(node.statement, bound(scope, [name], [value]));
    return true;
  }

  /** `test.each([…])("…", (a, b) => { … })` */
  #eachTest(node: ts.CallExpression, scope: Scope): boolean {
    const each = node.expression;
    if (!ts.isCallExpression(each) || !each.expression.getText(this.#file).endsWith(".each"))
      return false;
    const [table] = each.arguments;
    const body = node.arguments.find((argument) => ts.isArrowFunction(argument));
    if (table === undefined || body === undefined) return false;
    const values = known(table, scope);
    if (!Array.isArray(values)) return false;
    const names = body.parameters.map(({ name }) => name);
    for (const value of values as readonly Known[]) {
      this.#visit(body.body, bound(scope, names, Array.isArray(value) ? value : [value]));
    }
    return true;
  }

  #assertion(node: ts.CallExpression, scope: Scope): void {
    const name = node.expression.getText(this.#file);
    const said = node.arguments[1] === undefined ? undefined : known(node.arguments[1], scope);
    // With one argument more: under an environment that is not ours.
    if (name === "assertBlocked" && node.arguments.length <= 3) {
      if (typeof said !== "string" || !OWN_LIMITS.test(said))
        this.#add(node, "stop", node.arguments[2], scope);
    } else if (name === "assertAllowed" && node.arguments.length <= 2)
      this.#add(node, "allow", node.arguments[1], scope);
    else if (name === "expect") this.#expectation(node, scope);
  }

  /** `expect(analyzeCommand(line, …)).toBeNull()`, `….not.toBeNull()`, `expect(….?.ruleId).toBe("…")` */
  #expectation(node: ts.CallExpression, scope: Scope): void {
    let asked = node.arguments[0];
    const isField = asked !== undefined && ts.isPropertyAccessExpression(asked);
    if (asked !== undefined && ts.isPropertyAccessExpression(asked)) asked = asked.expression;
    if (asked !== undefined && ts.isIdentifier(asked))
      asked = this.#results.get(scope.get(asked.text) ?? "");
    // With a third argument: under a policy or an environment that is not ours.
    if (asked === undefined || !isAnalysis(asked) || asked.arguments.length > 2) return;
    const matcher = matcherOf(node);
    if (matcher === undefined) return;
    const options = asked.arguments[1];
    if (options !== undefined && switches(options, scope)) return;
    const isNull = /^(toBeNull|toBeUndefined)$/.test(matcher.name);
    const stops = isNull ? matcher.not : !matcher.not;
    if (isField && isNull && matcher.not) return;
    // Another rule than this one, or none.
    if (!isNull && matcher.not) return;
    const cwd =
      options !== undefined && ts.isObjectLiteralExpression(options) ? undefined : options;
    this.#add(asked, stops ? "stop" : "allow", cwd, scope);
  }

  #add(
    node: ts.CallExpression,
    wants: Line["wants"],
    place: ts.Expression | undefined,
    scope: Scope,
  ): void {
    const [command] = node.arguments;
    if (command === undefined || node.arguments.some((a) => TEMPORARY.test(a.getText(this.#file))))
      return;
    const line = known(command, scope);
    if (typeof line !== "string" || line.length > MAX_LINE) return;
    const cwd = place === undefined ? undefined : known(place, scope);
    const name = node.expression.getText(this.#file);
    this.#found.push({
      at: node.getStart(this.#file),
      found: {
        line,
        wants,
        ...(typeof cwd === "string" && cwd.startsWith("/") ? { cwd } : {}),
        ...(name === "analyzePowerShell" ? { shell: "powershell" } : {}),
      },
    });
  }
}

const ASSERT = /^(assertBlocked|assertAllowed|expect)$/;

function isAnalysis(node: ts.Expression): node is ts.CallExpression {
  return ts.isCallExpression(node) && ANALYSE.test(node.expression.getText());
}

/** Whether options make the rival judge otherwise than by default. */
function switches(options: ts.Expression, scope: Scope): boolean {
  if (!ts.isObjectLiteralExpression(options)) return SWITCHES.test(options.getText());
  return options.properties.some((property) => {
    const name = property.name?.getText() ?? "";
    if (name === "cwd") return false;
    const value = ts.isPropertyAssignment(property)
      ? known(property.initializer, scope)
      : scope.get(name);
    return value !== false;
  });
}

/** Longer lines test limits of the rival's reader. */
const MAX_LINE = 4000;

function matcherOf(expect: ts.CallExpression): { name: string; not: boolean } | undefined {
  let access = expect.parent;
  if (!ts.isPropertyAccessExpression(access)) return undefined;
  const not = access.name.text === "not";
  if (not) access = access.parent;
  return ts.isPropertyAccessExpression(access) ? { name: access.name.text, not } : undefined;
}

function bound(
  scope: Scope,
  names: readonly ts.BindingName[],
  values: readonly (Known | undefined)[],
): Map<string, Known> {
  const inner = new Map(scope);
  names.forEach((name, index) => {
    const value = values[index];
    if (value === undefined) return;
    if (ts.isIdentifier(name)) inner.set(name.text, value);
    else if (ts.isArrayBindingPattern(name) && Array.isArray(value)) {
      name.elements.forEach((element, at) => {
        const part = (value as readonly Known[])[at];
        if (ts.isBindingElement(element) && ts.isIdentifier(element.name) && part !== undefined)
          inner.set(element.name.text, part);
      });
    } else if (ts.isObjectBindingPattern(name) && typeof value === "object") {
      for (const element of name.elements) {
        if (!ts.isIdentifier(element.name)) continue;
        const part = (value as { readonly [key: string]: Known })[element.name.text];
        if (part !== undefined) inner.set(element.name.text, part);
      }
    }
  });
  return inner;
}

/** The value of an expression of constants; undefined for any other. */
function known(node: ts.Expression, scope: Scope): Known | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  if (
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isParenthesizedExpression(node)
  )
    return known(node.expression, scope);
  if (ts.isIdentifier(node)) return scope.get(node.text);
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map((span) => {
      const value = known(span.expression, scope);
      return typeof value === "string" ? value + span.literal.text : undefined;
    });
    return parts.includes(undefined) ? undefined : node.head.text + parts.join("");
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [known(node.left, scope), known(node.right, scope)];
    return typeof left === "string" && typeof right === "string" ? left + right : undefined;
  }
  if (ts.isArrayLiteralExpression(node)) {
    const values = node.elements.map((element) => known(element, scope));
    // What is no constant in a list is left out of it.
    return values.map((value) => value ?? "").filter((_, at) => values[at] !== undefined);
  }
  if (ts.isObjectLiteralExpression(node)) {
    const entries = node.properties.flatMap((property) => {
      if (!ts.isPropertyAssignment(property)) return [];
      const value = known(property.initializer, scope);
      return value === undefined ? [] : [[property.name.getText(), value] as const];
    });
    return Object.fromEntries(entries);
  }
  if (ts.isPropertyAccessExpression(node)) {
    const value = known(node.expression, scope);
    return typeof value === "object" && !Array.isArray(value)
      ? (value as { readonly [key: string]: Known })[node.name.text]
      : undefined;
  }
  return ts.isCallExpression(node) ? called(node, scope) : undefined;
}

/** The few functions that the tests build their lines with. */
function called(node: ts.CallExpression, scope: Scope): Known | undefined {
  const values = node.arguments.map((argument) => known(argument, scope));
  const name = node.expression.getText();
  if (name === "homedir") return HOME;
  if (name === "tmpdir") return "/tmp";
  if (name === "toShellPath") return values[0];
  if (name === "JSON.stringify" && typeof values[0] === "string") return JSON.stringify(values[0]);
  const texts = values.filter((value) => typeof value === "string");
  if (name === "join" && texts.length === values.length) return posix.join(...texts);
  if (name.endsWith(".join") && ts.isPropertyAccessExpression(node.expression)) {
    const list = known(node.expression.expression, scope);
    if (!Array.isArray(list) || !list.every((part) => typeof part === "string")) return undefined;
    // Joined, a list with a part that is no constant would be another line.
    const written = node.expression.expression;
    if (ts.isArrayLiteralExpression(written) && written.elements.length !== list.length)
      return undefined;
    return list.join(texts[0] ?? ",");
  }
  return undefined;
}
