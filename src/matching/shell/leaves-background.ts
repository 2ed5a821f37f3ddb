import type { SyntaxNode, Word } from "unbash";
import { forEachChild, parse } from "unbash";

/** Programs whose argument after `-c` is a line of its own. */
const SHELLS = /(?:^|\/)(?:ba|da|z|k)?sh$/;

/**
 * Whether a command line starts something in the background (`… &`) and does not wait for it; in a script that it
 * gives to a shell, too. What programs do by themselves is not known.
 */
export function leavesBackground(line: string): boolean {
  const script = parse(line);
  let isLeft = false;
  let waits = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Statement" && node.background === true) isLeft = true;
    if (node.type === "Command") {
      if (node.name?.value === "wait") waits = true;
      const words = [node.name, ...node.args].flatMap((word): Word[] =>
        word?.type === "Word" ? [word] : [],
      );
      const shell = words.findIndex(({ value }) => SHELLS.test(value));
      const at = words.findIndex(({ value }, i) => i > shell && /^-\w*c$/.test(value));
      const inner = shell < 0 || at < 0 ? undefined : words[at + 1];
      if (inner && leavesBackground(inner.value)) isLeft = true;
    }
    forEachChild(node, visit);
  };
  visit(script);
  return isLeft && !waits;
}

/** Parts of a line that may run again, behind what follows them. */
const AGAIN = /^(?:For|ArithmeticFor|While|Select|Function)$/;

/** Whether a part of a line may run in another order than it is written. */
export function mayRunAgain(line: string): boolean {
  let isFound = false;
  const visit = (node: SyntaxNode): void => {
    isFound ||= AGAIN.test(node.type);
    forEachChild(node, visit);
  };
  visit(parse(line));
  return isFound;
}
