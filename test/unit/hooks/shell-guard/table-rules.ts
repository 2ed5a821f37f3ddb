import type { Group } from "./rows.ts";

/** Lines for rules that no other line of the table reaches. */
export const RULES: readonly Group[] = [
  {
    trick: "other version control",
    refuse: String.raw`
hg revert --all
hg strip tip
hg push --force
svn cleanup --remove-unversioned
`,
    pass: String.raw`
hg annotate a.c
svn blame a.c
`,
  },
  {
    trick: "accounts and histories of Windows",
    refuse: String.raw`
Clear-History
`,
  },
  {
    trick: "what git and Windows lose for others",
    level: "strict",
    refuse: String.raw`
git fetch origin +main:main
git tag --force v1
git lfs prune
git remote remove origin
git symbolic-ref --delete refs/heads/x
Remove-VM -Name web
Set-ExecutionPolicy Bypass
schtasks /delete /tn backup
`,
    pass: String.raw`
git remote show origin
git symbolic-ref HEAD
`,
  },
  { trick: "emptied files of Windows", level: "paranoid", refuse: "\nClear-Content notes.txt\n" },
];
