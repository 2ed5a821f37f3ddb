import { dirname, relative } from "node:path/posix";

/**
 * A page whose links lead somewhere. Tables of the code name a page by the end of its path, such as `trust.md` or
 * `hosts/codex.md`, because their lines stand on several pages and the page may move.
 * @param page where the text stands, in the checkout
 * @param pages paths of all pages
 */
export function withLinks(text: string, page: string, pages: readonly string[]): string {
  const existing = new Set(pages);
  return text.replaceAll(/\]\(([\w/-]+\.md)(?=[)#])/g, (link, name: string) => {
    const here = dirname(page);
    if (existing.has(`${here}/${name}`)) return link;
    const [target, ...others] = pages.filter((path) => path.endsWith(`/${name}`));
    if (target === undefined || others.length > 0) {
      throw new Error(`${page} links to ${name}, which is no page, or more than one`);
    }
    return `](${relative(here, target)}`;
  });
}
