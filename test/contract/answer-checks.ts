/** Whether a value of a response is one that the agent takes. */
export type Check = (value: unknown) => boolean;
export type Keys = Readonly<Record<string, Check>>;

export const text: Check = (value) => typeof value === "string" && value !== "";
export const object: Check = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const oneOf =
  (...words: unknown[]): Check =>
  (value) =>
    words.includes(value);
