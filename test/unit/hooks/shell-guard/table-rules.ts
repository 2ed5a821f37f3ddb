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
hg push
svn cleanup
hg log -l 5
hg annotate a.c
svn blame a.c
svn cat a.c
hg diff
svn update
svn diff
`,
  },
  {
    trick: "accounts and histories of Windows",
    refuse: String.raw`
Clear-History
Remove-LocalUser -Name ada
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
cmd /c net stop spooler
`,
    pass: String.raw`
git fetch origin main
git tag v2
git lfs status
git remote show origin
git symbolic-ref HEAD
Get-VM -Name web
Get-ExecutionPolicy
git fetch --prune
`,
  },
  { trick: "emptied files of Windows", level: "paranoid", refuse: "\nClear-Content notes.txt\n" },
];
