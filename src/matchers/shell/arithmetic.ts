import type { ArithmeticBinary, ArithmeticUnary } from "unbash";
import type { Frame } from "./frame.ts";

/** No arithmetic: two words without an operator between them, or several statements. */
export const COMMAND_IN_NUMBERS =
  /^[\s(]*[^\s=<>!+*%&|^?:,()-][^\s=<>!+*%&|^?:,()]*\s+(?:--?[A-Za-z]|\/\S|[\w~$"'.{])|;/;

/** Arithmetic sets a variable; to what is not followed. */
export function forgetAssigned(node: ArithmeticBinary | ArithmeticUnary, { scope }: Frame): void {
  const target = node.type === "ArithmeticBinary" ? node.left : node.operand;
  if (!/^(?:(?:[-+*/%&|^]|<<|>>)?=|\+\+|--)$/.test(node.operator)) return;
  const name =
    target.type === "ArithmeticWord" ? /^[A-Za-z_]\w*/.exec(target.value)?.[0] : undefined;
  if (name !== undefined) scope.set(name, null);
}
