import type { HostName } from "../../core/hosts.ts";
import { propertyOf } from "./hooks-section.ts";
import { append, readJsonc, remove, replace } from "./jsonc.ts";
import { HOST_SETTINGS, TOKEN_VARIABLE } from "./settings-places.ts";

/** Whether settings hold the token, as `withToken` writes it. @throws Error when the text is not JSON */
export function hasToken(text: string, host: HostName): boolean {
  return propertyOf(variablesIn(text, host).variables, TOKEN_VARIABLE) !== undefined;
}

/**
 * Settings that have the host find the token in its environment.
 * @throws Error when the settings have another shape
 */
export function withToken(text: string, host: HostName, token: string): string {
  const { doc, key, variables } = variablesIn(text, host);
  if (key === undefined || !doc.root) return text;
  if (!variables) return append(doc, doc.root, { [TOKEN_VARIABLE]: token }, key);
  if (variables.type !== "object") throw new Error(`${key} is not an object`);
  const there = propertyOf(variables, TOKEN_VARIABLE);
  if (!there) return append(doc, variables, token, TOKEN_VARIABLE);
  return there.value === token ? text : replace(doc, there, token);
}

/** Settings without the token. @param kept what stays although it is empty, as `containersOf` gives it */
export function withoutToken(text: string, host: HostName, kept: ReadonlySet<string>): string {
  const { doc, variables } = variablesIn(text, host);
  const token = propertyOf(variables, TOKEN_VARIABLE);
  if (!token?.parent) return text;
  const after = remove(doc, token.parent);
  const { doc: left, key, variables: others } = variablesIn(after, host);
  const isEmpty = others?.parent && others.children?.length === 0;
  return isEmpty && !kept.has(key ?? "") ? remove(left, others.parent) : after;
}

function variablesIn(text: string, host: HostName) {
  const doc = readJsonc(text);
  const key = HOST_SETTINGS[host].http?.variables;
  return { doc, key, variables: key === undefined ? undefined : propertyOf(doc.root, key) };
}
