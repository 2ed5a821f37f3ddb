/** Programs that create, copy, move, remove, change and pack files: see `notation.ts`. */
export const FILE_PROGRAMS = `
rm grm | -r,-R,--recursive:recursive -f,--force:force -i -I --interactive=? -d,--dir -v,--verbose
  --no-preserve-root:root --preserve-root=? --one-file-system | removes...
rmdir grmdir | -p,--parents -v,--verbose --ignore-fail-on-non-empty | removes... | fn=rmdir
unlink | | removes
shx | | subcommand
shx/rm | -r,-R,--recursive:recursive -f,--force | removes...
rimraf | -g,--glob -v,--verbose | removes... | fn=tree
trash trash-put | -d,--directory -f,--force -i -r,-R,--recursive -v,--verbose -g,--glob | removes...
shred gshred | -n,--iterations= -s,--size= -u --remove=? -f,--force -v,--verbose -x,--exact -z,--zero
  --random-source=reads | removes...
cp gcp | -t,--target-directory=into:named -T,--no-target-directory:exact -S,--suffix= -r,-R,--recursive:recursive
  -a,--archive:recursive -f,--force -i,--interactive -n,--no-clobber -p --preserve=? --no-preserve= --parents:whole
  -v,--verbose -u --update=? -l,--link -s,--symbolic-link -L,--dereference -P,--no-dereference -d -x,--one-file-system
  --backup=? -b --sparse= --reflink=? --strip-trailing-slashes --context=? | named: reads... ; reads... into | fn=copy
mv gmv | -t,--target-directory=into:named -T,--no-target-directory:exact -S,--suffix= -f,--force -i,--interactive
  -n,--no-clobber --no-copy -v,--verbose -u --update=? -b --backup=? --strip-trailing-slashes --context | named:
  moves... ; moves... into | fn=copy
ln gln | -t,--target-directory=into:named -T,--no-target-directory:exact -S,--suffix= -s,--symbolic:symbolic
  -f,--force -i,--interactive -n,--no-dereference -r,--relative -v,--verbose -b --backup=? -L,--logical -P,--physical
  -d,--directory | named: links... ; links... into | fn=copy
link | | links into | fn=copy
install ginstall | -t,--target-directory=into:named -T,--no-target-directory:exact -S,--suffix= -d,--directory:makes
  -m,--mode= -o,--owner= -g,--group= -D -s,--strip --strip-program= -v,--verbose -b --backup=? -C,--compare
  -p,--preserve-timestamps --context=? | makes: makes... ; named: reads... ; reads... into | fn=copy
ditto | -V -X --arch= | reads... into | fn=copy
mmv | -m -x -r -c -o -a -l -s -h -d -p -g -t -v -n | 1: reads ; reads... writes
touch gtouch | -d,--date= -t= -r,--reference=names -a -m -c,--no-create -h,--no-dereference --time= | writes...
mkdir gmkdir | -m,--mode= -p,--parents -v,--verbose -Z --context=? | makes...
mkfifo | -m,--mode= -Z --context=? | writes...
mknod | -m,--mode= -Z --context=? | writes text...
truncate gtruncate | -s,--size= -r,--reference=names -c,--no-create -o,--io-blocks | writes...
fallocate | -l,--length= -o,--offset= -c -d -i -n -p -v,--verbose -x -z | writes...
tee gtee | -a,--append -i,--ignore-interrupts -p --output-error=? | writes...
sponge | -a | writes...
dd gdd | | text... | fn=dd
split gsplit | -a,--suffix-length= --additional-suffix=:suffix -b,--bytes= -C,--line-bytes= -l,--lines= -n,--number=
  -t,--separator= --filter=line -d --numeric-suffixes=? -x --hex-suffixes=? -e -u --verbose | reads? text? | fn=split
csplit gcsplit | -f,--prefix=:prefix -b,--suffix-format= -n,--digits= -k,--keep-files -s,--quiet,--silent -z | reads
  text... | fn=split
mktemp gmktemp | -p,--tmpdir=text:folder -d,--directory -u,--dry-run:dry -q,--quiet --suffix= -t:temporary | dry:
  text... ; temporary: text... ; writes? | fn=mktemp
patch | -p,--strip= -i,--input=reads -o,--output=writes -d,--directory=cd -D,--ifdef= -r,--reject-file=writes
  -B,--prefix= -z,--suffix= -F,--fuzz= -V,--version-control= -Y,--basename-prefix= --dry-run:dry -R,--reverse
  -N,--forward -b,--backup -c,--context -e --merge=? -f,--force -t,--batch -s,--quiet,--silent -u,--unified -E -n -l
  --verbose | dry: reads... ; edits? reads? | lang=patch tree
apply_patch applypatch | | code... | lang=patch
rename | -n,--no-act,--nono:dry -f,--force -v,--verbose -s -e= -E= --all --no-overwrite | dry: text... ; text edits...
rename.ul | -n,--no-act:dry -s -v,--verbose -o,--no-overwrite -i | dry: text... ; text text edits...
chmod gchmod | -R,--recursive:recursive -v,--verbose -c,--changes -f,--silent,--quiet --reference=names:reference
  --preserve-root --no-preserve-root --from= | reference: attributes... ; text attributes... | fn=modes
chown chgrp gchown gchgrp | -R,--recursive:recursive -v,--verbose -c,--changes -f,--silent,--quiet
  --reference=names:reference --from= -h,--no-dereference --dereference -H -L -P --preserve-root --no-preserve-root |
  reference: attributes... ; text attributes...
setcap | -q -v:dry -n= -r | dry: text... ; text attributes...
chattr | -R:recursive -V -f -v= -p= | text attributes... | fn=modes
setfacl | -m,--modify= -M,--modify-file=reads -x,--remove= -X,--remove-file=reads --set= --set-file=reads
  -b,--remove-all -k,--remove-default -n --mask -d,--default -R,--recursive:recursive -L -P --restore=reads --test:dry
  --recalculate-mask | dry: names... ; attributes...
gio | | subcommand
gio/trash gio/remove | -f,--force --empty --list | removes...
gio/mkdir gio/save | -p,--parent | writes...
gio/move | -T -p -i -b -C | moves... into | fn=copy
gio/rename | | moves writes
gio/copy | -T -p -i -b -P | reads... into | fn=copy
find gfind bfs | | names... | fn=find
dos2unix unix2dos mac2unix unix2mac | -k,--keepdate -q,--quiet -c,--convmode= -n,--newfile:new -o,--oldfile -i=? |
  new: reads writes ; edits...
script | -c,--command=line -t=?writes -T,--log-timing=writes -I,--log-in=writes -O,--log-out=writes -B,--log-io=writes
  -a,--append -f,--flush --force -q,--quiet -e,--return | writes? program...
# Programs that pack, unpack and compress.
tar gtar bsdtar | %bundled %globs -f,--file=:file -C,--directory=:folder --one-top-level=?:top
  -x,--extract,--get:extract -c,--create:create -t,--list:list -d,--diff,--compare:list -r,--append -u,--update
  -A,--catenate,--concatenate --delete --remove-files:remove -O,--to-stdout:stdout -X,--exclude-from=names:chosen
  --exclude=omits -T,--files-from=list -I,--use-compress-program=line --to-command=line
  -F,--info-script,--new-volume-script=line --rsh-command=line -g,--listed-incremental=writes --index-file=writes
  -H,--format= -b,--blocking-factor= --transform,--xform= --strip-components= --owner= --group= --owner-map=reads
  --group-map=reads --mode= --mtime= -N,--newer= -K,--starting-file= -L,--tape-length= -V,--label= --suffix= --sort=
  --checkpoint=? --checkpoint-action= --exclude-ignore=:chosen --exclude-ignore-recursive= --exclude-tag=
  --exclude-tag-all= --exclude-tag-under= --exclude-backups --exclude-caches --exclude-caches-all
  --exclude-caches-under --exclude-vcs --exclude-vcs-ignores:chosen --force-local --confirmation
  --delay-directory-restore --null --one-file-system --overwrite --overwrite-dir --touch | packs... | fn=tar
unzip | -d=below:into -x= -P= -p,-c:shown -l,-t,-Z,-v,-z:shows | shown: reads guess... ; shows: reads text... ; into:
  reads text... ; .below reads text... | fn=unpack
zip | %globs -x,--exclude=omits -i,--include=only -b= -P,--password= -n= -t= -tt= -O,--out=writes
  -r,--recurse-paths:recursive -R,--recurse-patterns -m,--move:move -TT,--unzip-command=line -u -f -d -q -j -y
  -@:listed -T | move: writes moves... ; recursive: writes packs... ; writes reads...
7z 7za 7zz 7zr | | subcommand
7z/a 7z/u 7z/d 7z/rn | %globs -o=?below -w=? -m=? -p=? -t=? -x=? -i=? -v=? -s=? | edits packs... | fn=moved
7z/x 7z/e | -o=?below:into -w=? -m=? -p=? -t=? -x=? -i=? -y -a=? -s=? | into: reads text... ; .below reads text...
unrar rar | | subcommand
unrar/x unrar/e | -o -p=? -x=? -y | 1: .below reads ; reads text... below
cpio gcpio | -D,--directory=cd -F,--file=reads -O=writes -I=reads -E,--pattern-file=reads -H,--format= -R,--owner=
  -C,--io-size= -M,--message= -W= -i,--extract:extract -o,--create:listed -p,--pass-through:pass -A,--append
  -t,--list:list --rsh-command=line --force-local --null --quiet --to-stdout:list --link --verbose | list: text... ;
  pass: below ; extract: .below text...
ar gar | %bundled -r,-d,-q,-m,-s:change -x:extract -t,-p:shows | change: writes packs... ; extract: .below reads
  text... ; reads text...
gzip gunzip ggzip bzip2 bunzip2 xz unxz zstd unzstd lzma unlzma pigz pbzip2 | -S,--suffix= -o=writes:output -b= -B=
  -T,--threads= -D=reads -c,--stdout,--to-stdout:shows -t,--test:shows -l,--list:shows
  -d,--decompress,--uncompress:unpack -k,--keep:keep -f,--force --check= --format= --name --quiet --recursive
  --files=?list --files0=?list --verbose | shows: reads... ; output: reads... ; reads... | fn=compress
lz4 | -D=reads -c:shows -d -z -f -k -m | reads? writes?
brotli | -o,--output=writes -q,--quality= -w,--lgwin= -D,--dictionary=reads -c,--stdout:shows -d,--decompress:unpack
  -j,--rm -k,--keep:keep -f,--force | reads...
pax | %globs -w,--write:listed -r -f=writes -x= -s= -o= -b= -d -v -X -z -j -a | packs...
borg | --rsh=line | packs...
duplicity croc wormhole magic-wormhole duplicati bup kopia | | packs...
restic | --password-command=line -r,--repo=packs -p,--password-file=packs | packs...
jar | %bundled -f,--file= -C= -e= -m= | guess...
unar | %single -o,-output-directory=below:into -p,-password= -e,-encoding= | into: reads text... ; .below reads
  text...
cabextract | -d,--directory=below:into -F,--filter= -l,--list,-t,--test,-p,--pipe:shows | shows: reads... ; into:
  reads... ; .below reads... | fn=unpack
asar | | subcommand
asar/extract asar/e | | reads below
asar/pack asar/p | | reads writes
zipfile tarfile | -e,--extract=reads:extract -c,--create=writes:create -l,--list=reads -t,--test=reads | extract+0:
  .below ; extract: below ; create: reads... ; text...
`;
