import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEffectReader } from "../../../src/guards/index.ts";
import { createShellReader } from "../../../src/matching/index.ts";
import { cpuMs } from "../../cpu-time.ts";
import { isSlowRun, runCount, slowTest } from "../../slow-test.ts";

const reader = createEffectReader(createShellReader({ home: "/home/me", root: "/" }), "/work");

/** What the commands of a line for PowerShell do, apart from what they start, and why it is not all read. */
function said(line: string): string {
  const { commands, unread } = reader.shell.read(line, "/work", { dialect: "powershell" });
  const effects = commands.flatMap(({ effects: all = [] }) => all);
  const list = effects
    .filter(({ kind }) => kind !== "run")
    .map(
      ({ kind, target = "unknown", sure, recursive }) =>
        `${sure ? "" : "?"}${kind} ${target}${recursive ? "/**" : ""}`,
    );
  return [...list, ...(unread === undefined ? [] : ["unread"])].join(", ");
}

/** A line, and what it does. */
const LINES = String.raw`
Get-Content a → read /work/a
gc a, b c → read /work/a, read /work/b, read /work/c
Get-Content -Path:a -Raw → read /work/a
gc -Encoding utf8 -TotalCount 1 a -ErrorAction Stop → read /work/a
Get-Content C:\a\b → read C:/a/b
Get-Content C:\Users\me\AppData\Local\Temp\a → read /tmp/a
Get-Content FileSystem::C:\a → read C:/a
Get-Content HKLM:\a →
Get-Content $env:USERPROFILE\a, 'it''s' → read /home/me/a, read /work/it's
Get-Content $null, NUL →
Get-Content "$env:APPDATA\x y" → read unknown
Get-Content (Get-Item a) → read unknown
$x = 'a'; Get-Content $x\b → read /work/a/b
$x='a'; Get-Content ${"${x}"} → read /work/a
foreach ($f in ls a) { gc $f.FullName } → read /work/a
gci -Filter *.ts | % { gc $_ } → read /work/*.ts
gci | Get-Content → read /work/*
gci a | where Name -eq x | gc →
gci -r -Include *.ts | ri → remove /work/**/*.ts
gci ~ -Recurse | ri → remove /home/me/**
ri -r . -Include *.log → remove /work/**/*.log/**
Get-Process | Stop-Process → signal *
Stop-Process -Name node → signal node
taskkill /f /im * → signal *
Select-String -Pattern x a → read /work/a
sls x a → read /work/a
Set-Content -Val y -Pa a → write /work/a
'x' | Set-Content a → write /work/a
sc a.txt b → write /work/a.txt
sc stop x → system stop, system x
Set-ItemProperty HKLM:\x a b → system HKLM:\x
Set-ItemProperty a b c → attributes /work/a
Remove-Item a -WhatIf; ri b -WhatIf:$false → remove /work/b
ri HKCU:\x -Recurse → system HKCU:\x
ri -r @x → remove unknown/**
rd /s/q build → remove /work/build/**
rm -rf build → remove /work/build/**
del /q a.txt → remove /work/a.txt
Copy-Item -Path a.txt b.txt → read /work/a.txt, write /work/b.txt
Move-Item a.txt b.txt → remove /work/a.txt/**, write /work/b.txt
robocopy a b /mir → read /work/a/**, write /work/b/**
Expand-Archive a.zip b → read /work/a.zip, write /work/b/**
Compress-Archive a b.zip → read /work/a/**, write /work/b.zip
Save-Module x -Path a → write /work/a/**
New-Item -Path a -Name b → write /work/a/b
ni -Name b → write /work/b
New-Item -ItemType Junction -Path a.x -Target b.x → write /work/a.x, write /work/a.x
Rename-Item d\a b → remove /work/d/a/**, write /work/d/b
Rename-Item d/a $x → remove /work/d/a/**
iwr u -OutFile a → write /work/a, connect u
irm -InFile a u → read /work/a, connect u
certutil -urlcache -f https://x/y z → connect x, write /work/z
cd x; Set-Content a b → write /work/x/a
pushd x; popd; ni b → write /work/b
cd $x; ni b → write unknown
[IO.File]::WriteAllText('a', 'b') → write /work/a
[System.IO.Directory]::Delete('a', $true) → remove /work/a/**
[IO.File]::Move('a.x', $x) → remove /work/a.x/**, write unknown, ?write unknown
gci a | % { $_.Delete() } → remove /work/a
(gi a).Delete() → remove unknown
cmd /c "for %i in (a b) do del %i" → remove /work/a, remove /work/b
for /r C:\x %i in (*) do del %i → remove C:/x/*/**
forfiles /p C:\x /c "cmd /c del @path" → remove C:/x/*
cmd /c "d^el a" → remove /work/a
cmd /c type a & del b → read /work/a, remove /work/b
pwsh -e cgBpACAAYQA= → remove /work/a
pwsh -EncodedCommand x → unread
pwsh -File a.ps1; pwsh a.ps1 →
powershell -c ri a → remove /work/a
x | pwsh → unread
pwsh -c $x → unread
iex "ri a"; 'ri b' | iex → remove /work/a, remove /work/b
iex $x → unread
Start-Process cmd -ArgumentList "/c del a" -RedirectStandardOutput b → write /work/b, remove /work/a
'x' >> a.txt; x 2>&1 > b.log → write /work/a.txt, write /work/b.log
echo a > NUL; b > $null →
'x' > $out → write unknown
Set-Alias w Set-Content; w a b → write /work/a
function f { ri a } → remove /work/a
& 'C:\Program Files\x\rm.exe' a → remove /work/a
$y = Remove-Item a; if ($y) { ri b } → remove /work/a, remove /work/b
ConvertTo-Json @{ a = 1 }; 1..5; [Math]::Max(1, 2) →
Grant-All → unread
ri a; ) → unread
ri 'a → unread
`;

describe("a line for PowerShell or cmd", () => {
  const rows = LINES.trim()
    .split("\n")
    .map((row) => row.split(/ →\s?/));
  test.each(rows)("%s", (line, effects) => {
    expect(said(line ?? "")).toBe(effects);
  });

  test("may be nested four shells deep", () => {
    let line = "ri a";
    const nest = (): void => {
      line = `pwsh -c '${line.replaceAll("'", "''")}'`;
    };
    for (let depth = 0; depth < 4; depth++) nest();
    expect(said(line)).toBe("remove /work/a");
    nest();
    expect(said(line)).toBe("unread");
  });

  test.each([
    ["a dialect", "ri a", "powershell", ["remove-item"]],
    ["a word that only PowerShell has", "ri a", undefined, ["ri", "remove-item"]],
    ["a cmdlet", "Remove-Item a", undefined, ["remove-item"]],
    ["a shell in a POSIX line", "cd x && pwsh -c 'ri a'", undefined, ["cd", "pwsh", "remove-item"]],
    ["a program of Windows", "bash -c 'sc.exe stop x'", undefined, ["bash", "sc"]],
    ["the shell of Elixir", "iex -S mix", undefined, ["iex"]],
    ["another program", "sc x; net x; rm x", undefined, ["sc", "net", "rm"]],
  ] as const)("is recognized by %s", (_, line, dialect, programs) => {
    const { commands } = reader.shell.read(line, "/work", { dialect });
    expect(commands.map(({ program }) => program)).toEqual(programs);
  });

  test("tells where its commands are and what they read", () => {
    const line = "cd x; gci | Where-Object Name | ri; git.exe -C C:\\y push > ..\\log";
    const { commands } = reader.shell.read(line, "/work", { dialect: "powershell" });
    expect(commands.slice(3)).toMatchObject([
      { argv: ["ri"], from: ["where-object", "get-childitem"], dialect: "powershell" },
      {
        argv: ["git", "-C", "/C:/y", "push"],
        program: "git",
        cwd: "/work/x",
        redirects: [{ op: ">", target: "../log", dynamic: false }],
      },
    ]);
  });
});

/** Lines of pieces that mean something to the reader. */
const lines = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(..."|&;,(){}'\"`$@%^<>#= \n\t\\/:.*-".split("")) },
      {
        weight: 8,
        arbitrary: fc.constantFrom(
          ..."gci ri gc Remove-Item Copy-Item New-Item iex pwsh cmd /c -c -e for forfiles %i in do /r".split(
            " ",
          ),
          ..."$_ $x @' '@ <# #> $( @( .Delete() [IO.File]::Delete( -Path -Include -Recurse foreach where".split(
            " ",
          ),
          ..."cd pushd popd Start-Process Set-Alias -ItemType link env: C:\\ ~ git rm -rf sh -c".split(
            " ",
          ),
        ),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
    ),
    { maxLength: 30 },
  )
  .chain((parts) => fc.constantFrom("", " ").map((between) => parts.join(between)));

test("no line is an error", () => {
  const dialects = ["powershell", "cmd", undefined] as const;
  fc.assert(
    fc.property(lines, fc.constantFrom(...dialects), (line, dialect) => {
      reader.shell.read(line, "/work", { dialect });
    }),
    { numRuns: isSlowRun ? runCount(1_000_000) : 1_000 },
  );
}, 1_200_000);

slowTest.each([
  "gci a b | % { ri $_ $_ } ;",
  "$x = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa'; ri $x $x $x;",
  "for %i in (a b c) do for %j in (d e f) do ",
  "a | ",
  "( ",
  "{ ri a } ",
  "'a', ",
  "ri -Include a,b,c ",
  "cd a; ",
  "pwsh -c ",
  "[IO.File]::Delete(",
  "$($_.",
  '"$x',
  "%a",
  "@'\n",
  "<# ",
  "-a:",
  "/s/",
  ".a",
  "git a; ",
])("lines of %j take linear time", (part) => {
  const of = (length: number): number => {
    const line = part.repeat(Math.ceil(length / part.length)).slice(0, length);
    return cpuMs(() => reader.shell.read(line, "/work", { dialect: "powershell" }));
  };
  of(8_000);
  const [short, long] = [of(16_000), of(64_000)];
  expect(long).toBeLessThan(Math.max(250, short * 12));
});
