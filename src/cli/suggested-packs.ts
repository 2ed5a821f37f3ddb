import { orUndefined } from "../core/index.ts";
import { objectInFile } from "../machine/index.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** A pack of shell-guard that fits a project, and the file that says so, relative to the folder. */
export interface SuggestedPack {
  readonly pack: string;
  readonly file: string;
}

/**
 * Which files say that a project uses what a pack is about: patterns for paths with `/`, in the order of the options.
 */
const SIGNS: readonly (readonly [pack: string, path: RegExp])[] = [
  ["aws", /(?:^|\/)(?:cdk\.json|samconfig\.toml|buildspec\.ya?ml|\.elasticbeanstalk\/.+)$/],
  ["azure", /(?:^|\/)(?:azure-pipelines\.ya?ml|azure\.ya?ml|.+\.bicep)$/],
  ["cdn", /(?:^|\/)(?:wrangler\.(?:toml|jsonc?)|fastly\.toml)$/],
  ["ci", /^(?:\.circleci\/config\.yml|Jenkinsfile|\.travis\.yml|\.drone\.yml|\.buildkite\/.+)$/],
  [
    "databases",
    /(?:^|\/)(?:schema\.(?:prisma|sql|rb)|alembic\.ini|knexfile\.[jt]s|drizzle\.config\.[jt]s|migrations\/.+\.sql|db\/migrate\/.+)$/,
  ],
  ["docker", /(?:^|\/)(?:Dockerfile|Containerfile|(?:docker-)?compose\.ya?ml)$/],
  ["gcloud", /(?:^|\/)(?:cloudbuild\.ya?ml|firebase\.json|\.gcloudignore)$/],
  ["github", /^\.github\/workflows\/.+\.ya?ml$/],
  ["gitlab", /^\.gitlab-ci\.ya?ml$/],
  ["helm", /(?:^|\/)(?:Chart\.yaml|helmfile\.ya?ml)$/],
  [
    "hosting",
    /(?:^|\/)(?:Procfile|vercel\.json|netlify\.toml|fly\.toml|render\.yaml|railway\.json)$/,
  ],
  [
    "infrastructure",
    /(?:^|\/)(?:serverless\.ya?ml|Pulumi\.ya?ml|cdk\.json|ansible\.cfg|Vagrantfile|sst\.config\.ts)$/,
  ],
  [
    "kubernetes",
    /(?:^|\/)(?:kustomization\.ya?ml|skaffold\.ya?ml|Tiltfile|Chart\.yaml|(?:k8s|kubernetes|manifests)\/.+\.ya?ml)$/,
  ],
  ["load-balancers", /(?:^|\/)(?:nginx\.conf|haproxy\.cfg|Caddyfile|traefik\.ya?ml)$/],
  ["monitoring", /(?:^|\/)(?:prometheus\.ya?ml|alertmanager\.ya?ml)$/],
  ["secrets", /(?:^|\/)(?:doppler\.yaml|\.sops\.yaml|\.infisical\.json)$/],
  ["terraform", /(?:^|\/)(?:.+\.tf|.+\.tofu|terragrunt\.hcl)$/],
];

/** Deepest folder, and most entries, that are looked at. */
const MOST_DEEP = 4;
const MOST_ENTRIES = 5000;

/** Folders of other people's files, and of what a build makes. */
const SKIPPED = /^(?:node_modules|vendor|dist|build|target|\.git|\.venv|venv|\.terraform)$/;

/** The packs that fit what is in a folder, in the order of their names. A folder that cannot be read has nothing. */
export function suggestedPacks(dir: string): readonly SuggestedPack[] {
  const files = filesIn(dir);
  const found = SIGNS.flatMap(([pack, path]) => {
    const file = files.find((one) => path.test(one));
    return file === undefined ? [] : [{ pack, file }];
  });
  // npm refuses to publish a private package.
  const { name, private: isPrivate } = objectInFile(join(dir, "package.json")) ?? {};
  const isPublished = name !== undefined && isPrivate !== true;
  const published = isPublished ? [{ pack: "registries", file: "package.json" }] : [];
  return [...found, ...published].toSorted((a, b) => (a.pack < b.pack ? -1 : 1));
}

/** Paths of files, those of a folder before those of its subfolders. */
function filesIn(dir: string): string[] {
  const files: string[] = [];
  let folders = [""];
  for (let depth = 0; depth < MOST_DEEP && folders.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of folders) {
      for (const entry of entriesOf(join(dir, folder))) {
        const path = folder + entry.name;
        if (entry.isDirectory() && !SKIPPED.test(entry.name)) next.push(`${path}/`);
        else if (entry.isFile()) files.push(path);
        if (files.length > MOST_ENTRIES) return files;
      }
    }
    folders = next;
  }
  return files;
}

function entriesOf(dir: string) {
  const entries = orUndefined(() => readdirSync(dir, { withFileTypes: true })) ?? [];
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
