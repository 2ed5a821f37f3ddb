import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";

/** The browser of this machine: `CHROMIUM_PATH`, or one on the PATH. Nothing is downloaded. */
export const CHROMIUM: string | undefined = [
  process.env["CHROMIUM_PATH"] ?? "",
  ...(process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) =>
      ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)),
    ),
].find((file) => file !== "" && isProgram(file));

if (CHROMIUM === undefined) {
  process.stderr.write(
    "\n*** NOT TESTED: the page of orcs ui. There is no chromium on the PATH or in CHROMIUM_PATH ***\n\n",
  );
}

export function launch(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("there is no browser");
  // Tests run as root in containers, where the browser's own sandbox cannot start.
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** With `ORCS_SCREENSHOTS=FOLDER`, pictures of a page to look at: wide and narrow, light and dark. */
export async function pictured(page: Page, name: string): Promise<void> {
  const folder = process.env["ORCS_SCREENSHOTS"];
  if (folder === undefined) return;
  const before = page.viewportSize();
  for (const width of [1200, 400]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  if (before) await page.setViewportSize(before);
}
