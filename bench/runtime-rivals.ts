import type { Component, Json, Request } from "orcs";
import { insideRuntime } from "./vm.ts";

/** Asks a component; what it answers. */
type Ask = (payload: Json) => Promise<Json>;

const TIMEOUT_MS = 30_000;

/** What is least for one request at a time: each begins when the one before has ended. */
export function promiseQueue(component: Component): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (payload) => {
    const answer = last.then(() => serve(component, payload));
    last = answer.catch(() => undefined);
    return answer;
  };
}

/** A loop written for this: the runtime's mailbox, the same component, a timeout for each request, nothing else. */
export async function plainLoop(component: Component): Promise<Ask> {
  interface Letter {
    readonly payload: Json;
    isOver: boolean;
    resolve(answer: Json): void;
    reject(error: unknown): void;
  }
  const { Mailbox } = await insideRuntime();
  const mailbox = new Mailbox<Letter>(1024, ({ isOver }) => isOver);
  let isServing = false;
  const serveAll = async (): Promise<void> => {
    isServing = true;
    for (;;) {
      const letter = mailbox.shift();
      if (!letter) break;
      try {
        letter.resolve(await serve(component, letter.payload));
      } catch (thrown) {
        letter.reject(thrown);
      }
    }
    isServing = false;
  };
  return (payload) =>
    new Promise((resolve, reject) => {
      const late = (): void => reject(new Error("it took too long"));
      const timer = setTimeout(late, TIMEOUT_MS);
      const end = (letter: Letter): void => {
        letter.isOver = true;
        clearTimeout(timer);
      };
      const letter: Letter = {
        payload,
        isOver: false,
        resolve: (answer) => (end(letter), resolve(answer)),
        reject: (error) => (end(letter), reject(error)),
      };
      if (!mailbox.push(letter)) reject(new Error("the mailbox is full"));
      if (!isServing) void serveAll();
    });
}

function serve(component: Component, payload: Json): Promise<Json> {
  const request = { operation: "echo", payload } as Request;
  return component.onRequest(request, undefined as never) as Promise<Json>;
}
