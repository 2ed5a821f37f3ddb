// A room of src/ is entered through its index.ts, which names what the room offers. Bundles go past it, straight to the
// file behind a name: a door that is imported when it is needed would load its whole room.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const STATIC = /^(import|export) \{([^}]*)\} from "(\.[^"]*\/index\.[jt]s)";/gm;
const NEEDED =
  /const \{([^}]*)\} = await import\("(\.[^"]*\/index\.[jt]s)"\)|\(await import\("(\.[^"]*\/index\.[jt]s)"\)\)\.(\w+)/g;

/** The file behind each name of a door. */
const doors = new Map();

/** @returns the code of a module with what it imports from doors imported from the files behind them */
export function pastDoors(code, file) {
  // Of a door itself, too: it is an entry when users import it.
  const past = code.replaceAll(STATIC, (_, verb, names, door) =>
    filesOf(names, join(dirname(file), door))
      .map(([target, list]) => `${verb} { ${list.join(", ")} } from "${from(file, target)}";`)
      .join("\n"),
  );
  return past.replaceAll(NEEDED, (_, names, door, whole, name) => {
    if (name !== undefined) {
      const [[target]] = filesOf(name, join(dirname(file), whole));
      return `(await import("${from(file, target)}")).${name}`;
    }
    return `const ${filesOf(names.replaceAll(":", " as"), join(dirname(file), door))
      .map(
        ([target, list]) =>
          `{ ${list.join(", ").replaceAll(" as", ":")} } = await import("${from(file, target)}")`,
      )
      .join(", ")}`;
  });
}

/** For rolldown and vite. */
export const PAST_DOORS = {
  name: "past-doors",
  transform(code, id) {
    if (!code.includes("/index.js") || id.includes("node_modules")) return undefined;
    const past = pastDoors(code, id);
    const left = past.match(/\b(?:from |import\()"\.[^"]*\/index\.js"/);
    if (left !== null) throw new Error(`${id} goes through a door: ${left[0]}`);
    return { code: past, map: null };
  },
};

/** @returns the file of a name that a module exports from a door */
export function fileBehind(module, name) {
  const text = readFileSync(module, "utf8");
  for (const [, , names, door] of text.matchAll(STATIC)) {
    if (names.split(",").some((each) => each.trim() === name)) return behind(join(dirname(module), door), name)[0];
  }
  throw new Error(`${module} has no ${name}`);
}

/** @returns the names by the files that they are from, each with what it is called here */
function filesOf(names, door) {
  const found = new Map();
  for (const each of names.split(",").map((name) => name.trim())) {
    if (each === "") continue;
    const [file, name] = behind(door, each.split(" ")[0]);
    const as = each.split(" as ")[1] ?? each.split(" ")[0];
    found.set(file, [...(found.get(file) ?? []), name === as ? name : `${name} as ${as}`]);
  }
  return [...found];
}

/** Where a name of a door comes from: a door may lead to another one. */
function behind(door, name) {
  const known = doors.get(door) ?? doors.set(door, namesOf(door)).get(door);
  const file = known.get(name);
  if (file === undefined) throw new Error(`${door} has no ${name}`);
  return /\/index\.[jt]s$/.test(file) ? behind(file, name) : [file, name];
}

function namesOf(door) {
  const text = readFileSync(door, "utf8");
  const names = new Map();
  for (const [, list, path] of text.matchAll(/^export \{([^}]*)\} from "([^"]*)";/gm)) {
    for (const name of list.split(",")) names.set(name.trim(), join(dirname(door), path));
  }
  for (const [, path] of text.matchAll(/^export \* from "([^"]*)";/gm)) {
    const file = join(dirname(door), path);
    for (const [, name] of readFileSync(file, "utf8").matchAll(
      /^export (?:async )?(?:const|let|class|function\*?) (\w+)/gm,
    )) {
      names.set(name, file);
    }
  }
  return names;
}

function from(file, target) {
  const path = relative(dirname(file), target);
  return path.startsWith(".") ? path : `./${path}`;
}
