import type { LuaField, OrcsFunction } from "../../../src/core/orcs-api.ts";

/** A class of the definitions: fields by name, `[string]` and `[1]` included. */
export interface LuaClass {
  readonly name: string;
  readonly parent?: string;
  readonly doc: string;
  readonly fields: Readonly<Record<string, LuaField>>;
}

export function classText({ name, parent, doc, fields }: LuaClass): string {
  return [
    `---${doc}`,
    `---@class ${name}${parent === undefined ? "" : ` : ${parent}`}`,
    ...Object.entries(fields).map(
      ([key, { type, optional, doc: help }]) =>
        `---@field ${key}${optional ? "?" : ""} ${type} ${help}`,
    ),
  ].join("\n");
}

export function aliasText(name: string, doc: string, type: string): string {
  return `---${doc}\n---@alias ${name} ${type}`;
}

/** An alias of one of several strings. */
export function enumText(name: string, doc: string, values: readonly string[]): string {
  return [`---${doc}`, `---@alias ${name}`, ...values.map((value) => `---| "${value}"`)].join("\n");
}

/** @param name with the table it is in: `orcs.log` */
export function functionText(name: string, fn: OrcsFunction): string {
  const { doc, params, returns, alsoReturns = [], overloads = [] } = fn;
  const results = returns ? [returns, ...alsoReturns] : alsoReturns;
  return [
    `---${doc}`,
    ...params.map(
      ({ name: param, optional, type, doc: help }) =>
        `---@param ${param}${optional ? "?" : ""} ${type} ${help}`,
    ),
    ...results.map(
      ({ type, optional, doc: help }) => `---@return ${type}${optional ? "?" : ""} # ${help}`,
    ),
    ...overloads.map((overload) => `---@overload ${overload}`),
    `function ${name}(${params.map((param) => param.name).join(", ")}) end`,
  ].join("\n");
}

/** One of several strings, as a type. */
export function oneOf(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join("|");
}

/** `scan_dir` as `ScanDir`. */
export function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());
}
