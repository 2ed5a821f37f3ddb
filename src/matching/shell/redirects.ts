import type { Redirect, Redirection } from "unbash";
import { REDIRECT_OPS } from "../../core/index.ts";
import type { ShellRedirect } from "../../core/index.ts";
import type { Frame, Stdin } from "./frame.ts";
import { layered, OWN_STDIN, PIPED_STDIN } from "./frame.ts";
import type { LineReading } from "./reader.ts";
import { givenField, staticOutputOfScript } from "./static-output.ts";
import { expandText, unmarked } from "./words/expand-word.ts";
import type { Field } from "./words/expand-word.ts";

/** The files of redirections, and the stdin of a command, which stays unless one of them changes it. */
export function readRedirects(
  redirects: readonly Redirection[],
  frame: Frame,
  reading: LineReading,
): { readonly files: readonly ShellRedirect[]; readonly stdin: Stdin | undefined } {
  const files: ShellRedirect[] = [];
  let stdin: Stdin | undefined;
  for (const redirect of redirects) {
    const programs = reading.substitutions(redirect, frame);
    readJoined(redirect, frame, reading);
    // Variables set here may only be set in the started process.
    const inner = layered(frame);
    const isInput =
      redirect.descriptor?.type !== "FileDescriptor" || redirect.descriptor.value === 0;
    if (redirect.type !== "Redirect") {
      const field = givenField(redirect, reading.around(inner));
      frame.scope.merge(inner.scope);
      if (isInput)
        stdin = { piped: true, from: programs, begin: reading.found.length, text: () => field };
      continue;
    }
    const { operator, target } = redirect;
    if (!target) continue;
    const field = expandText(target, reading.around(inner));
    frame.scope.merge(inner.scope);
    if (operator === "<" && isInput) stdin = fromFile(redirect, field, programs, frame, reading);
    else if (isCopied(redirect, field)) stdin = PIPED_STDIN;
    if (isDescriptor(operator, field)) continue;
    const op = operator === ">&" ? "&>" : REDIRECT_OPS.find((known) => known === operator);
    const isPipe = target.parts?.[0]?.type === "ProcessSubstitution";
    if (op && !isPipe) files.push({ op, target: field.text, dynamic: !field.known });
  }
  return { files, stdin };
}

/**
 * In a here-document, a backslash at the end of a line joins it with the next one before its substitutions are read,
 * also where they have it in quotes.
 */
function readJoined(redirect: Redirection, frame: Frame, reading: LineReading): void {
  if (redirect.type !== "HereDoc" || redirect.delimiter?.quoted === true) return;
  const { text } = redirect.body;
  if (!/\\\n/.test(text) || !/\$\(|`/.test(text)) return;
  const joined = text.replaceAll(/\\(?:\n|([^]))/g, (found, other?: string) =>
    other === undefined ? "" : found,
  );
  reading.expandedText(joined, layered(frame));
}

/** Files that are the standard input. */
export const STDIN_FILE = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/;

/** Files that are the output of other processes: descriptors, and bash's network connections. */
export const DESCRIPTOR_FILE = /^\/(?:dev\/(?:fd|tcp|udp)\/|proc\/[^/]+\/fd\/)/;

/** `2>&1`, `<&3`, `>&-`: the target is not a file. */
function isDescriptor(operator: string, { text, known }: Field): boolean {
  return operator === "<&" || (operator === ">&" && (!known || /^(?:\d+-?|-)$/.test(text)));
}

/** `<&3`, `0>&1`: the standard input comes from a descriptor that is not tracked. */
function isCopied({ operator, descriptor }: Redirect, { text }: Field): boolean {
  const isInput = descriptor?.type === "FileDescriptor" && descriptor.value === 0;
  if (!(operator === "<&" && (isInput || !descriptor)) && !(operator === ">&" && isInput))
    return false;
  return text !== "-" && text !== "0";
}

function fromFile(
  { target }: Redirect,
  { text }: Field,
  programs: readonly string[],
  frame: Frame,
  reading: LineReading,
): Stdin {
  const [part] = target?.parts ?? [];
  if (part?.type === "ProcessSubstitution") {
    const { script } = part;
    const output = script && staticOutputOfScript(script, reading.around(frame));
    const field = output === undefined ? undefined : unmarked(output);
    return { piped: true, from: programs, begin: reading.found.length, text: () => field };
  }
  // It reads its own input again.
  if (STDIN_FILE.test(text)) return frame.stdin;
  return DESCRIPTOR_FILE.test(text) ? PIPED_STDIN : OWN_STDIN;
}
