import { AssignmentFinder } from "./assignments.ts";
import { CommandFinder } from "./commands.ts";
import { findJwts } from "./jwt.ts";
import type { KeyNames } from "./key-names.ts";
import { findPem } from "./pem.ts";
import { Spans } from "./spans.ts";
import { TokenFinder } from "./tokens.ts";
import { findUrlPasswords } from "./urls.ts";

/** What one masking leaves may read otherwise than before; more often than this nobody has seen it. */
const MAX_ROUNDS = 8;

/** Masks secrets in texts by what they look like, and by the names they stand under. */
export function textRedactor(
  names: KeyNames,
  masks: readonly ((text: string) => string)[],
): (text: string) => string {
  // Made when there is a text: most processes that answer a host have none to mask.
  let finders: ReturnType<typeof makeFinders> | undefined;
  const once = (text: string): string => {
    finders ??= makeFinders(names);
    const { assignments, commands, tokens } = finders;
    const spans = new Spans();
    findPem(text, spans);
    findJwts(text, spans);
    tokens.find(text, spans);
    findUrlPasswords(text, spans);
    commands.find(text, spans);
    assignments.find(text, spans);
    return spans.maskedIn(text);
  };
  return (text) => {
    let left = masks.reduce((masked, mask) => mask(masked), text);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = once(left);
      if (next === left) break;
      left = next;
    }
    return left;
  };
}

function makeFinders(names: KeyNames) {
  return {
    assignments: new AssignmentFinder(names),
    commands: new CommandFinder(),
    tokens: new TokenFinder(),
  };
}
