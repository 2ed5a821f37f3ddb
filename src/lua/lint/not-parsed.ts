/** Ends the reading of a text that is not Lua, or nested too deep. What is wrong is for the VM to say. */
export class NotParsed extends Error {}
