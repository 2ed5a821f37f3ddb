import { OrcsError } from "./errors.ts";

/** A component's id in parts; its text form is `namespace::name`. */
export interface ComponentId {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Parse `namespace::name`.
 * @throws OrcsError ORCS1010 when a part is missing or contains a separator.
 */
export function parseComponentId(text: string): ComponentId {
  const [namespace = "", name = "", ...rest] = text.split("::");
  const bad = /[/#\s]/;
  if (!namespace || !name || rest.length > 0 || bad.test(namespace) || bad.test(name)) {
    const why = `invalid component id ${JSON.stringify(text)}; expected namespace::name`;
    throw new OrcsError("ORCS1010", why, { id: text });
  }
  return { namespace, name };
}
